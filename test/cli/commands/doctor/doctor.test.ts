import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { checkJson } from '../../../../src/cli/commands/doctor/doctor.ts';
import { examine as findings } from '../../../../src/cli/commands/doctor/examine.ts';
import {
  type Sandbox,
  type SandboxOptions,
  startSandbox,
} from '../../../../src/sandbox/sandbox.ts';
import { engineFor } from '../../../query-engine.ts';
import { missingRedis, startRedis } from '../../../redis-server.ts';
import { account, run } from '../../../spawn.ts';
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
  const switches = new Set(sandbox ? ['sandbox'] : []);
  for await (const check of findings({ env, values: {}, switches, ...engineFor(env) }))
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

/** What a case of trouble is found to be. */
interface Case {
  failed: string[];
  notRun?: string[];
  /** What the named check says, with its remedy. */
  says: Record<string, RegExp>;
}

const afterExchange = ['role and capabilities', 'clock skew', 'rate budget'];
const nowhere = 'http://127.0.0.1:1';

describe('commerce-mcp doctor', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  afterAll(() => sandbox.close());

  function hold({ failed, notRun, find }: Report, expected: Case): void {
    expect({ failed, notRun }).toEqual({ notRun: [], ...expected, says: undefined });
    for (const [name, pattern] of Object.entries(expected.says))
      expect(`${find(name).detail} -> ${find(name).remedy}`).toMatch(pattern);
  }

  test('finds a good account well', async () => {
    const { checks } = await examine(account(sandbox));
    expect(checks.map(({ ok, remedy }) => [ok, remedy])).toEqual(order.map(() => [true, null]));
  });

  test('examines the embedded sandbox, whatever else is configured', async () => {
    const report = await examine(
      { COMMERCE_BASE_URL: 'ftp://nowhere', COMMERCE_CLIENT_ID: '"' },
      true,
    );
    hold(report, { failed: [], says: { configuration: /embedded sandbox.*null$/ } });
  });

  test.each<[string, (sandbox: Sandbox) => Record<string, string>, Case]>([
    [
      'a wrong secret',
      () => ({ COMMERCE_CLIENT_SECRET: 'not-the-secret-of-owner' }),
      {
        failed: ['exchange'],
        notRun: afterExchange,
        says: { exchange: /COMMERCE_CLIENT_SECRET.*administrator/, drift: /agree/ },
      },
    ],
    [
      'a Redis that is not there, whose password is not told',
      () => ({ COMMERCE_REDIS_URL: 'redis://:a-password@127.0.0.1:1' }),
      { failed: ['redis'], says: { redis: /^(?!.*a-password).*ECONNREFUSED/ } },
    ],
    [
      'TLS with a port that is plain, and no Redis there',
      ({ baseUrl }) => ({
        COMMERCE_BASE_URL: baseUrl.replace('http:', 'https:'),
        COMMERCE_REDIS_URL: baseUrl.replace('http:', 'rediss:'),
      }),
      {
        failed: ['role and capabilities', 'redis'],
        says: { redis: /not answer as a Redis.*rediss:/, 'role and capabilities': /https or http/ },
      },
    ],
    [
      'an address where nothing answers',
      () => ({ COMMERCE_AUTH_URL: nowhere }),
      {
        failed: ['discovery'],
        notRun: ['exchange', ...afterExchange],
        says: {
          discovery: /nothing answers.*COMMERCE_AUTH_URL \(http:\/\/127\.0\.0\.1:1\).*network/,
        },
      },
    ],
    [
      'no network at all',
      () => ({ COMMERCE_AUTH_URL: nowhere, COMMERCE_BASE_URL: nowhere }),
      {
        failed: ['discovery'],
        notRun: ['exchange', ...afterExchange],
        says: { drift: /nothing was compared.*nothing answers/ },
      },
    ],
    [
      'a platform that does not answer, once',
      () => ({ COMMERCE_BASE_URL: nowhere }),
      {
        failed: ['role and capabilities'],
        says: { 'clock skew': /in step/ },
      },
    ],
    [
      'the address of the API given for the authorization server',
      ({ baseUrl }) => ({ COMMERCE_AUTH_URL: baseUrl }),
      {
        failed: ['discovery'],
        notRun: ['exchange', ...afterExchange],
        says: { discovery: /the account's own authorization server/ },
      },
    ],
    [
      'the authorization server given for the API',
      ({ authUrl }) => ({ COMMERCE_BASE_URL: authUrl }),
      {
        failed: ['role and capabilities'],
        says: { 'role and capabilities': /COMMERCE_BASE_URL/, drift: /Nothing breaks/ },
      },
    ],
    ...(
      [
        ['COMMERCE_CLIENT_SECRET', '"hush-hush"', /COMMERCE_CLIENT_SECRET is in quotation marks/],
        [
          'COMMERCE_CLIENT_ID',
          'ck_winkel.4f 9a',
          /key ck_winkel\.4f….*COMMERCE_CLIENT_ID has a space/,
        ],
        ['COMMERCE_CLIENT_ID', '<client id>', /COMMERCE_CLIENT_ID looks like a placeholder/],
      ] as const
    ).map(([name, value, says]): [string, () => Record<string, string>, Case] => [
      `${name} ${value}`,
      () => ({ [name]: value }),
      { failed: ['exchange'], notRun: afterExchange, says: { configuration: says } },
    ]),
    [
      'a variable that is misspelt',
      () => ({ COMMERCE_TOOLSET: 'orders' }),
      { failed: [], says: { configuration: /COMMERCE_TOOLSET: did you mean COMMERCE_TOOLSETS\?/ } },
    ],
  ])('sees %s', async (_, change, expected) => {
    hold(await examine({ ...account(sandbox), ...change(sandbox) }), expected);
  });

  test.each<[string, SandboxOptions, Case]>([
    [
      'a token that is refused at once',
      { faults: '401:path=/api/me' },
      {
        failed: ['role and capabilities'],
        says: { 'role and capabilities': /different accounts/ },
      },
    ],
    [
      'a new path, which breaks nothing',
      { openapi: (document) => withPath(document, '/api/till') },
      { failed: [], says: { drift: /GET \/api\/till is new/ } },
    ],
    [
      'a lost path that a tool needs',
      { openapi: (document) => withoutPath(document, '/api/stock') },
      { failed: ['drift'], says: { drift: /list_stock will be answered 404/ } },
    ],
    [
      'that there is no description of the interface',
      { openapi: false },
      { failed: [], says: { drift: /could not be read.*Nothing breaks/ } },
    ],
    [
      'a description that does not come, while the platform answers',
      { faults: 'reset:path=/openapi.json' },
      { failed: [], says: { drift: /Nothing breaks/ } },
    ],
    [
      'a spent budget',
      { faults: '429:path=/api/me,value=30' },
      {
        failed: ['role and capabilities'],
        says: { 'role and capabilities': /3\d s.*Wait/, 'rate budget': /^0 of 600 requests left/ },
      },
    ],
    [
      'a budget that is not reported, which is not none',
      { faults: 'limits=none' },
      { failed: [], says: { 'rate budget': /does not mean that none is left/ } },
    ],
  ])('sees %s', async (_, options, expected) => {
    const own = await startSandbox(options);
    onTestFinished(() => own.close());
    hold(await examine(account(own)), expected);
  });

  test('sends the holder of a revoked key to an administrator', async () => {
    const { control, keys, ...own } = await startSandbox({});
    onTestFinished(() => own.close());
    control.revokeKey(keys.clerk.clientId);
    const says = { exchange: /revoked or rolled.*ask an account administrator for a new API key/ };
    const report = await examine(account({ keys, ...own }, keys.clerk));
    hold(report, { failed: ['exchange'], notRun: afterExchange, says });
  });

  test.skipIf(missingRedis)('sees a Redis that answers', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const report = await examine({ ...account(sandbox), COMMERCE_REDIS_URL: redis.url });
    hold(report, { failed: [], says: { redis: /answers/ } });
  });

  test.each<[keyof Sandbox['keys'], RegExp]>([
    ['clerk', /role Clerk.*location\.list.*search_products with location_id.*inventory\.view/],
    ['powerless', /holds no capabilities.*list_locations \(needs location\.list\)/],
    ['regional', /bound to location 2, 3.*Reports have to name one location/],
    ['auditor', /all locations except 5.*Reports have to name one location/],
    ['unbound', /bound to no location.*bind the role to a location/],
    ['faceless', /holds location\.list.*profile could not be read/],
  ])('says what the role %s cannot have, without calling it a failure', async (role, says) => {
    const report = await examine(account(sandbox, sandbox.keys[role]));
    hold(report, { failed: [], says: { 'role and capabilities': says } });
  });

  test('asks for the clock to be set where it is an hour off', async () => {
    await using clock = await serveWithDate(sandbox, -3_600_000);
    const report = await examine({ ...account(sandbox), COMMERCE_AUTH_URL: clock.url });
    const says = { 'clock skew': /60 minutes ahead of the platform's.*NTP/ };
    hold(report, { failed: ['clock skew'], says });
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
