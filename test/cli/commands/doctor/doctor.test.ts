import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiKey } from '../../../../src/sandbox/http/keyring.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../../src/sandbox/sandbox.ts';
import { account, run } from '../../../mcp/spawn.ts';

const order = [
  'configuration',
  'discovery',
  'exchange',
  'role and capabilities',
  'clock skew',
  'rate budget',
  'drift',
];

const reportSchema = z.array(
  z.strictObject({
    check: z.string(),
    ok: z.boolean(),
    detail: z.string().min(1),
    remedy: z.string().min(1).nullable(),
  }),
);

interface Report {
  code: number | null;
  checks: z.output<typeof reportSchema>;
  /** Names of the checks that are not ok although they were run. */
  failed: string[];
  notRun: string[];
  find(check: string): z.output<typeof reportSchema>[number];
}

/** Runs `doctor --json` as a script would; the secret must appear nowhere. */
async function examine(
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<Report> {
  const { code, stdout, stderr } = await run(['doctor', '--json', ...args], settings);
  const secret = settings.COMMERCE_CLIENT_SECRET;
  if (secret) expect(stdout + stderr).not.toContain(secret);
  const checks = reportSchema.parse(JSON.parse(stdout));
  expect(checks.map(({ check }) => check)).toEqual(order);
  const isNotRun = ({ detail }: { detail: string }) => detail.startsWith('not run: ');
  return {
    code,
    checks,
    failed: checks.filter((it) => !it.ok && !isNotRun(it)).map(({ check }) => check),
    notRun: checks.filter(isNotRun).map(({ check }) => check),
    find: (name) =>
      checks.find(({ check }) => check === name) ?? expect.unreachable(`no check ${name}`),
  };
}

/** Examines a sandbox made for one test, with the key of its owner or another. */
async function examineOwn(
  options: SandboxOptions,
  prepare: (sandbox: Sandbox) => ApiKey | undefined = () => undefined,
): Promise<Report> {
  const sandbox = await startSandbox(options);
  try {
    return await examine(account(sandbox, prepare(sandbox)));
  } finally {
    await sandbox.close();
  }
}

describe('commerce-mcp doctor', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  afterAll(() => sandbox.close());

  test('finds a good account well', async () => {
    const { code, checks } = await examine(account(sandbox));
    expect(checks.map(({ ok, remedy }) => [ok, remedy])).toEqual(order.map(() => [true, null]));
    expect(code).toBe(0);
  });

  test('examines the embedded sandbox, whatever else is configured', async () => {
    const { code, find } = await examine({ COMMERCE_BASE_URL: 'ftp://nowhere' }, ['--sandbox']);
    expect(code).toBe(0);
    expect(find('configuration').detail).toContain('sandbox');
  });

  test('says a line a check and its verdict to people, and what to do next', async () => {
    const good = await run(['doctor', '--sandbox']);
    expect(good.stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(7);
    expect(good.stdout).toContain('All is well.');
    expect(good.stdout).not.toContain('\u001b');
    const bad = await run(['doctor']);
    expect(bad.stdout).toMatch(/^FAILED {3}configuration .*COMMERCE_BASE_URL is missing/);
    expect(bad.stdout).toMatch(/-> Set them in the environment.*--sandbox/);
    expect(bad.stdout).toContain('1 of 7 checks failed, 6 could not be run.');
    expect(bad.code).toBe(1);
  });

  test('names every missing setting, and runs nothing else', async () => {
    const { code, failed, notRun, find } = await examine({});
    expect([code, failed, notRun]).toEqual([1, ['configuration'], order.slice(1)]);
    for (const name of ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
      expect(find('configuration').detail).toContain(`COMMERCE_${name} is missing`);
    expect(find('configuration').remedy).toContain('commerce-mcp demo');
  });

  test('refuses wrong usage with exit code 2', async () => {
    expect((await run(['doctor', '--jsn'])).code).toBe(2);
  });

  test('tells a wrong secret from everything else', async () => {
    const { code, failed, notRun, find } = await examine({
      ...account(sandbox),
      COMMERCE_CLIENT_SECRET: 'not-the-secret-of-owner',
    });
    expect([code, failed]).toEqual([1, ['exchange']]);
    expect(notRun).toEqual(['role and capabilities', 'clock skew', 'rate budget']);
    expect(find('exchange').remedy).toMatch(/COMMERCE_CLIENT_SECRET.*administrator/);
    expect(find('drift').ok).toBe(true);
  });

  test('sends the holder of a revoked key to an administrator (section 5.4)', async () => {
    const { failed, find } = await examineOwn({}, ({ control, keys }) => {
      control.revokeKey(keys.clerk.clientId);
      return keys.clerk;
    });
    expect(failed).toEqual(['exchange']);
    expect(find('exchange').detail).toContain('revoked or rolled');
    expect(find('exchange').remedy).toContain('ask an account administrator for a new API key');
  });

  test('tells a token that is refused at once from a refused key', async () => {
    const { failed, find } = await examineOwn({ faults: '401:path=/api/me' });
    expect(failed).toEqual(['role and capabilities']);
    expect(find('role and capabilities').remedy).toContain('different accounts');
  });

  test('names the address where nothing answers', async () => {
    const { code, failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: 'http://127.0.0.1:1',
    });
    expect([code, failed]).toEqual([1, ['discovery']]);
    expect(find('discovery').detail).toContain('nothing answers');
    expect(find('discovery').remedy).toMatch(
      /COMMERCE_AUTH_URL \(http:\/\/127\.0\.0\.1:1\).*network/,
    );
  });

  test('names both addresses where there is no network', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const { failed, notRun } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: nowhere,
      COMMERCE_BASE_URL: nowhere,
    });
    expect(failed).toEqual(['discovery', 'drift']);
    expect(notRun).toEqual(['exchange', 'role and capabilities', 'clock skew', 'rate budget']);
  });

  test('says once that nothing of the platform answers', async () => {
    const { failed, notRun, find } = await examine({
      ...account(sandbox),
      COMMERCE_BASE_URL: 'http://127.0.0.1:1',
    });
    expect(failed).toEqual(['role and capabilities']);
    expect(notRun).toEqual(['rate budget', 'drift']);
    expect(find('clock skew').ok).toBe(true);
  });

  test('tells an API address given for the authorization server', async () => {
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: sandbox.baseUrl,
    });
    expect(failed).toEqual(['discovery']);
    expect(find('discovery').remedy).toContain("the account's own authorization server");
  });

  test('tells an authorization server given for the API', async () => {
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_BASE_URL: sandbox.authUrl,
    });
    expect(failed).toEqual(['role and capabilities']);
    expect(find('role and capabilities').remedy).toContain('COMMERCE_BASE_URL');
    expect(find('drift').remedy).toContain('Nothing breaks');
  });

  test.each<[keyof Sandbox['keys'], RegExp, RegExp]>([
    ['clerk', /role Clerk.*location\.list/, /search_products with location_id.*inventory\.view/],
    ['powerless', /holds no capabilities/, /list_locations \(needs location\.list\)/],
    ['regional', /bound to location 2, 3/, /Reports have to name one location/],
    ['auditor', /all locations except 5/, /Reports have to name one location/],
    ['unbound', /bound to no location/, /bind the role to a location/],
    ['faceless', /holds location\.list/, /profile could not be read/],
  ])(
    'says what the role %s cannot have, without calling it a failure',
    async (role, detail, remedy) => {
      const { code, find } = await examine(account(sandbox, sandbox.keys[role]));
      expect(code).toBe(0);
      expect(find('role and capabilities')).toMatchObject({ ok: true });
      expect(find('role and capabilities').detail).toMatch(detail);
      expect(find('role and capabilities').remedy).toMatch(remedy);
    },
  );

  test('asks for the clock to be set where it is an hour off', async () => {
    await using clock = await serveWithDate(sandbox, -3_600_000);
    const { code, failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: clock.url,
    });
    expect([code, failed]).toEqual([1, ['clock skew']]);
    expect(find('clock skew').detail).toContain("60 minutes ahead of the platform's");
    expect(find('clock skew').remedy).toContain('NTP');
  });

  test('notes differences of the interface that break nothing', async () => {
    const { code, find } = await examineOwn({
      openapi: (document) => withPath(document, '/api/till'),
    });
    expect(code).toBe(0);
    expect(find('drift')).toMatchObject({ ok: true });
    expect(find('drift').detail).toContain('GET /api/till is new');
  });

  test('fails where the interface lost what a tool needs', async () => {
    const { code, failed, find } = await examineOwn({
      openapi: (document) => withoutPath(document, '/api/stock'),
    });
    expect([code, failed]).toEqual([1, ['drift']]);
    expect(find('drift').detail).toContain('list_stock will be answered 404');
  });

  test('does without a description of the interface', async () => {
    const { code, find } = await examineOwn({ openapi: false });
    expect(code).toBe(0);
    expect(find('drift').detail).toContain('could not be read');
  });

  test('does not fail for a description that does not come, while the platform answers', async () => {
    const { code, find } = await examineOwn({ faults: 'reset:path=/openapi.json' });
    expect(code).toBe(0);
    expect(find('drift').remedy).toContain('Nothing breaks');
  });

  test('tells a spent budget from a failing platform', async () => {
    const { failed, find } = await examineOwn({ faults: '429:path=/api/me,value=30' });
    expect(failed).toEqual(['role and capabilities']);
    expect(find('role and capabilities').remedy).toMatch(/^Wait 3\d s/);
    expect(find('rate budget').detail).toMatch(/^0 of 600 requests left/);
  });

  test('takes an unreported budget for what it is, not for none (section 8.4)', async () => {
    const { code, find } = await examineOwn({ faults: 'no-limits' });
    expect(code).toBe(0);
    expect(find('rate budget').detail).toContain('does not mean that none is left');
  });
});

/** The authorization server of a sandbox behind another clock. */
async function serveWithDate(
  { authUrl }: Sandbox,
  offMs: number,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const answer = await fetch(`${authUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: request.headers.authorization ?? '',
        'content-type': request.headers['content-type'] ?? '',
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = (await answer.text()).replaceAll(authUrl, addressOf(server));
    response.sendDate = false;
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      date: new Date(Date.now() + offMs).toUTCString(),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: addressOf(server),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') return expect.unreachable('not listening');
  return `http://127.0.0.1:${address.port}`;
}

const described = z.looseObject({ paths: z.record(z.string(), z.unknown()) });

function withPath(document: unknown, path: string): unknown {
  const { paths, ...rest } = described.parse(document);
  return { ...rest, paths: { ...paths, [path]: { get: { parameters: [] } } } };
}

function withoutPath(document: unknown, path: string): unknown {
  const { paths, ...rest } = described.parse(document);
  const kept = Object.entries(paths).filter(([known]) => known !== path);
  return { ...rest, paths: Object.fromEntries(kept) };
}
