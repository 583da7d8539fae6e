import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkJson } from '../../../../src/cli/commands/doctor/doctor.ts';
import { examine as findings } from '../../../../src/cli/commands/doctor/examine.ts';
import type { ApiKey } from '../../../../src/sandbox/access/keyring.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../../src/sandbox/sandbox.ts';
import { account, run } from '../../../mcp/spawn.ts';
import { engineFor } from '../../../query-engine.ts';
import { missingRedis, startRedis } from '../../../redis-server.ts';
import { runHere } from '../../run-here.ts';

const order = [
  'configuration',
  'discovery',
  'exchange',
  'role and capabilities',
  'clock skew',
  'rate budget',
  'drift',
  'redis',
  'query engine',
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
  checks: z.output<typeof reportSchema>;
  /** Names of the checks that are not ok although they were run. */
  failed: string[];
  notRun: string[];
  find(check: string): z.output<typeof reportSchema>[number];
}

/** What `doctor --json` reports; the secret must appear nowhere. */
async function examine(env: Record<string, string>, sandbox = false): Promise<Report> {
  const checks: unknown[] = [];
  for await (const check of findings({ env, flags: {}, sandbox, ...engineFor(env) }))
    checks.push(checkJson(check));
  return read(JSON.stringify(checks), env);
}

function read(printed: string, { COMMERCE_CLIENT_SECRET: secret }: Record<string, string>): Report {
  if (secret) expect(printed).not.toContain(secret);
  const checks = reportSchema.parse(JSON.parse(printed));
  expect(checks.map(({ check }) => check)).toEqual(order);
  const isNotRun = ({ detail }: { detail: string }) => detail.startsWith('not run: ');
  return {
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
    const { checks } = await examine(account(sandbox));
    expect(checks.map(({ ok, remedy }) => [ok, remedy])).toEqual(order.map(() => [true, null]));
  });

  test('examines the embedded sandbox, whatever else is configured', async () => {
    const { failed, find } = await examine({ COMMERCE_BASE_URL: 'ftp://nowhere' }, true);
    expect(failed).toEqual([]);
    expect(find('configuration').detail).toContain('sandbox');
  });

  test('names every missing setting, and runs nothing else', async () => {
    const { failed, notRun, find } = await examine({});
    expect([failed, notRun]).toEqual([['configuration'], order.slice(1)]);
    for (const name of ['BASE_URL', 'AUTH_URL', 'CLIENT_ID', 'CLIENT_SECRET'])
      expect(find('configuration').detail).toContain(`COMMERCE_${name} is missing`);
    expect(find('configuration').remedy).toContain('commerce-mcp demo');
  });

  test('tells a wrong secret from everything else', async () => {
    const { failed, notRun, find } = await examine({
      ...account(sandbox),
      COMMERCE_CLIENT_SECRET: 'not-the-secret-of-owner',
    });
    expect(failed).toEqual(['exchange']);
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

  test('sees a Redis that is not there, whose password it does not tell', async () => {
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_REDIS_URL: 'redis://:a-password@127.0.0.1:1',
    });
    expect(failed).toEqual(['redis']);
    expect(find('redis').detail).toContain('ECONNREFUSED');
    expect(JSON.stringify(find('redis'))).not.toContain('a-password');
  });

  test('sees that TLS is spoken to a port that is plain', async () => {
    const plain = sandbox.baseUrl.replace('http://', '');
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_BASE_URL: `https://${plain}`,
      COMMERCE_REDIS_URL: `rediss://${plain}`,
    });
    expect(failed).toEqual(['role and capabilities', 'redis']);
    expect(find('redis').remedy).toContain('rediss://');
    expect(find('role and capabilities').remedy).toContain('https or http');
  });

  test('sees what is no Redis', async () => {
    const { find } = await examine({
      ...account(sandbox),
      COMMERCE_REDIS_URL: sandbox.baseUrl.replace('http:', 'redis:'),
    });
    expect(find('redis').ok).toBe(false);
    expect(find('redis').detail).toContain('does not answer as a Redis');
  });

  test.skipIf(missingRedis)(
    'sees a Redis that answers, and one that wants a password',
    async () => {
      const redis = await startRedis();
      const { find, failed } = await examine({
        ...account(sandbox),
        COMMERCE_REDIS_URL: redis.url,
      });
      expect([failed, find('redis').detail]).toEqual([[], expect.stringContaining('answers')]);
      await redis.close();
    },
  );

  test('names the address where nothing answers', async () => {
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: 'http://127.0.0.1:1',
    });
    expect(failed).toEqual(['discovery']);
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
      const { failed, find } = await examine(account(sandbox, sandbox.keys[role]));
      expect(failed).toEqual([]);
      expect(find('role and capabilities')).toMatchObject({ ok: true });
      expect(find('role and capabilities').detail).toMatch(detail);
      expect(find('role and capabilities').remedy).toMatch(remedy);
    },
  );

  test('asks for the clock to be set where it is an hour off', async () => {
    await using clock = await serveWithDate(sandbox, -3_600_000);
    const { failed, find } = await examine({
      ...account(sandbox),
      COMMERCE_AUTH_URL: clock.url,
    });
    expect(failed).toEqual(['clock skew']);
    expect(find('clock skew').detail).toContain("60 minutes ahead of the platform's");
    expect(find('clock skew').remedy).toContain('NTP');
  });

  test('notes differences of the interface that break nothing', async () => {
    const { failed, find } = await examineOwn({
      openapi: (document) => withPath(document, '/api/till'),
    });
    expect(failed).toEqual([]);
    expect(find('drift')).toMatchObject({ ok: true });
    expect(find('drift').detail).toContain('GET /api/till is new');
  });

  test('fails where the interface lost what a tool needs', async () => {
    const { failed, find } = await examineOwn({
      openapi: (document) => withoutPath(document, '/api/stock'),
    });
    expect(failed).toEqual(['drift']);
    expect(find('drift').detail).toContain('list_stock will be answered 404');
  });

  test('does without a description of the interface', async () => {
    const { failed, find } = await examineOwn({ openapi: false });
    expect(failed).toEqual([]);
    expect(find('drift').detail).toContain('could not be read');
  });

  test('does not fail for a description that does not come, while the platform answers', async () => {
    const { failed, find } = await examineOwn({ faults: 'reset:path=/openapi.json' });
    expect(failed).toEqual([]);
    expect(find('drift').remedy).toContain('Nothing breaks');
  });

  test('tells a spent budget from a failing platform', async () => {
    const { failed, find } = await examineOwn({ faults: '429:path=/api/me,value=30' });
    expect(failed).toEqual(['role and capabilities']);
    expect(find('role and capabilities').detail).toMatch(/3\d s/);
    expect(find('role and capabilities').remedy).toMatch(/^Wait/);
    expect(find('rate budget').detail).toMatch(/^0 of 600 requests left/);
  });

  test('takes an unreported budget for what it is, not for none (section 8.4)', async () => {
    const { failed, find } = await examineOwn({ faults: 'limits=none' });
    expect(failed).toEqual([]);
    expect(find('rate budget').detail).toContain('does not mean that none is left');
  });
});

describe('as a command, doctor', () => {
  test('says a line a check and its verdict to people, and leaves with 0 when all is well', async () => {
    const { code, stdout } = await runHere(['doctor', '--sandbox']);
    expect(stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(order.length);
    expect(stdout).toContain('All is well.');
    expect(stdout).not.toContain('\u001b');
    expect(code).toBe(0);
  });

  test('says what to do next, and leaves with 1', async () => {
    const { code, stdout } = await run(['doctor']);
    expect(stdout).toMatch(/^FAILED {3}configuration .*COMMERCE_BASE_URL is missing/);
    expect(stdout).toMatch(/-> Set them in the environment.*--sandbox/);
    expect(stdout).toContain('1 of 9 checks failed, 8 could not be run.');
    expect(code).toBe(1);
  });

  test('with --json prints the same for a script', async () => {
    const settings = { COMMERCE_CLIENT_SECRET: 'a-secret' };
    const { code, stdout, stderr } = await runHere(['doctor', '--json'], settings);
    expect(read(stdout + stderr, settings)).toMatchObject({ failed: ['configuration'] });
    expect(code).toBe(1);
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
