import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { examine } from '../../../../src/cli/commands/doctor/doctor.ts';
import { judgeClock } from '../../../../src/cli/commands/doctor/platform-checks.ts';
import type { Description } from '../../../../src/sandbox/http/openapi.ts';
import { startTlsPlatform } from '../../../client/tls-server.ts';
import { engineFor } from '../../../query-engine.ts';
import { missingRedis, startRedis } from '../../../redis-server.ts';
import type { SandboxOptions } from '../../../sandbox/start-sandbox.ts';
import { sandboxAt } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { account, type Sandbox } from '../../../spawn.ts';
import { runHere } from '../../run-here.ts';

const order = [
  ...['configuration', 'http', 'redis', 'query engine', 'order lines', 'signing in'],
  ...['discovery', 'exchange'],
  ...['role and capabilities', 'clock skew', 'rate budget', 'drift', 'definitions'],
];

/** Parts of the texts of checks by name: of the detail, then of the remedy, which is absent without one. */
type Texts = Record<string, readonly [detail: string, ...remedy: string[]]>;

const reach = 'and that this machine reaches it';

/** Checks an account: which checks fail, and texts of some; the secret must appear nowhere. */
async function hold(
  env: Record<string, string>,
  failed: string[],
  texts: Texts,
  isSandbox = false,
) {
  const line = { operands: [], flags: { sandbox: isSandbox ? 'true' : undefined } };
  const checks = await examine({ ...line, env, ...engineFor(env) });
  for (const secret of [env.COMMERCE_CLIENT_SECRET, 'a-password'])
    if (secret) expect(JSON.stringify(checks)).not.toContain(secret);
  expect(checks.filter(({ verdict }) => verdict === 'FAILED').map(({ name }) => name)).toEqual(
    failed,
  );
  // What needs a key cannot be checked without one.
  const last = failed.find((name) => name === 'discovery' || name === 'exchange');
  expect(checks.map(({ name }) => name)).toEqual(
    last ? order.slice(0, order.indexOf(last) + 1) : order,
  );
  for (const [name, [detail, ...parts]] of Object.entries(texts)) {
    const check = checks.find((made) => made.name === name);
    expect(check?.detail).toContain(detail);
    if (parts.length === 0) expect(check?.remedy).toBeUndefined();
    for (const part of parts) expect(check?.remedy).toContain(part);
  }
}

test.each([
  ['a short token', { COMMERCE_HTTP_TOKENS: 'ann:short' }, 'COMMERCE_HTTP_TOKENS'],
  ['an audit nowhere', { COMMERCE_AUDIT_FILE: '/no/such/audit' }, 'COMMERCE_AUDIT_FILE cannot be'],
  ['an open address', { COMMERCE_HTTP_HOST: '0.0.0.0' }, 'COMMERCE_HTTP_HOST (--host) is 0.0.0.0'],
])('doctor refuses what http refuses: %s', async (_, env, text) => {
  const opened = await sandboxAt({ now: Date.now });
  const line = { operands: [], flags: {}, env: { ...account(opened), ...env }, ...engineFor({}) };
  expect(await examine(line)).toContainEqual(
    expect.objectContaining({
      ...{ name: 'http', verdict: 'FAILED' },
      detail: expect.stringContaining(text),
    }),
  );
});

const nowhere = 'http://127.0.0.1:1';

test.each([
  [undefined, 'note', 'not known'],
  [-60, 'ok', 'in step with the platform'],
  [-3600, 'FAILED', "this machine's clock is 60 minutes ahead of the platform's"],
  [120, 'FAILED', '2 minutes behind'],
])('doctor judges a clock skew of %j s as %s', (skewSeconds, verdict, detail) => {
  expect(judgeClock(skewSeconds)).toMatchObject({
    verdict,
    detail: expect.stringContaining(detail),
  });
});

describe('the checks of an account', () => {
  let sandbox: Sandbox;
  let tlsPort: number;

  beforeAll(async () => {
    tlsPort = await startTlsPlatform();
    sandbox = await sandboxAt({ now: Date.now });
  });

  /** Checks the account of a sandbox of its own. */
  async function holdOf(options: SandboxOptions, failed: string[], texts: Texts, more = {}) {
    const other = await sandboxAt({ now: Date.now, quota: 600, ...options });
    await hold({ ...account(other), ...more }, failed, texts);
  }

  test('doctor looks at the sandbox, whatever else is configured', async () => {
    const settings = { COMMERCE_BASE_URL: 'ftp://nowhere', COMMERCE_CLIENT_ID: '"' };
    await hold(settings, [], { configuration: ['the embedded sandbox'] }, true);
  });

  const role = 'role and capabilities';

  test.each<[string, (sandbox: Sandbox) => Record<string, string>, failed: string, Texts]>([
    [
      'a wrong secret',
      () => ({ COMMERCE_CLIENT_SECRET: 'not-the-secret-of-owner' }),
      'exchange',
      { exchange: ['it was revoked or rolled', 'ask an account administrator for a new API key'] },
    ],
    [
      'a Redis that is not there, whose password is not told',
      () => ({ COMMERCE_REDIS_URL: 'redis://:a-password@127.0.0.1:1' }),
      'redis',
      { redis: ['127.0.0.1:1 does not answer as a Redis (ECONNREFUSED)', 'COMMERCE_REDIS_URL'] },
    ],
    [
      'no network at all',
      () => ({ COMMERCE_AUTH_URL: nowhere, COMMERCE_BASE_URL: nowhere }),
      'discovery',
      { discovery: ['ECONNREFUSED', reach] },
    ],
    [
      'a certificate that is not trusted',
      () => ({ COMMERCE_AUTH_URL: `https://127.0.0.1:${tlsPort}` }),
      'discovery',
      { discovery: ['certificate', 'NODE_EXTRA_CA_CERTS'] },
    ],
    [
      'a proxy that is not there',
      () => ({ COMMERCE_AUTH_URL: 'https://platform.test', HTTPS_PROXY: nowhere }),
      'discovery',
      { discovery: ['proxy', 'HTTPS_PROXY (or HTTP_PROXY) names the proxy'] },
    ],
    [
      'the address of the API given for the authorization server',
      ({ baseUrl }) => ({ COMMERCE_AUTH_URL: baseUrl }),
      'discovery',
      { discovery: ['', "has to be the account's own authorization server"] },
    ],
    [
      'the authorization server given for the API',
      ({ authUrl }) => ({ COMMERCE_BASE_URL: authUrl }),
      role,
      {
        [role]: ['', 'COMMERCE_BASE_URL: it has to be the platform API'],
        drift: ['nothing was compared: ', 'Nothing breaks'],
      },
    ],
  ])('doctor sees %s', async (_, change, failed, texts) => {
    await hold({ ...account(sandbox), ...change(sandbox) }, [failed], texts);
  });

  /** An openapi.json whose paths are changed. */
  const describing = (change: (paths: Paths) => Paths): SandboxOptions => ({
    openapi: (document) => {
      const { paths, ...rest } = described.parse(document);
      return { ...rest, paths: change(paths) };
    },
  });

  test.each<[string, SandboxOptions, failed: string[], Texts]>([
    [
      'a token that is refused at once',
      { faults: '401:path=/api/me' },
      [role],
      { [role]: ['', 'COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts'] },
    ],
    [
      'a lost parameter, which others do without',
      describing(({ '/api/order': orders, ...others }) => {
        const parameters = orders?.get.parameters.filter(({ name }) => name !== 'is_paid') ?? [];
        return { ...others, '/api/order': { get: { parameters } } };
      }),
      [],
      { drift: ['not listed any more: /api/order?is_paid', 'check its figures'] },
    ],
    [
      'a lost path that a tool needs',
      describing(({ '/api/stock': _, ...kept }) => kept),
      ['drift'],
      { drift: ['not listed any more: /api/stock', 'Look for a newer version'] },
    ],
    [
      'that there is no description of the interface',
      { description: 'none' },
      [],
      { drift: ['openapi.json could not be read', 'Nothing breaks'] },
    ],
    [
      'a spent budget',
      { faults: '429:path=/api/me,value=30' },
      [role],
      {
        [role]: ['rate budget', 'Wait as long as the detail says'],
        'rate budget': ['0 of 600 requests left in this window of 60 s'],
      },
    ],
    [
      'a budget that is not reported',
      { faults: 'limits=none' },
      [],
      { 'rate budget': ['the platform reported none, so requests are paced carefully'] },
    ],
  ])('doctor sees %s', async (_, options, failed, texts) => {
    await holdOf(options, failed, texts);
  });

  test.skipIf(missingRedis)('doctor sees a Redis that answers', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const settings = { ...account(sandbox), COMMERCE_REDIS_URL: redis.url };
    const { host } = new URL(redis.url);
    await hold(settings, [], { redis: [`${host} answers: replicas on this key share one budget`] });
    const wrong = { ...settings, COMMERCE_REDIS_URL: `redis://nobody:wrong@${host}` };
    const refuses = 'refuses the user or the password (WRONGPASS)';
    await hold(wrong, ['redis'], { redis: [refuses, 'COMMERCE_REDIS_URL'] });
  });

  test('doctor knows the clock of the authorization server where the platform is out of reach', async () => {
    await hold({ ...account(sandbox), COMMERCE_BASE_URL: nowhere }, [role], {
      [role]: ['ECONNREFUSED', reach],
      'clock skew': ['in step with the platform'],
      'rate budget': ['the platform reported none'],
    });
  });

  test('doctor says that http starts with tokens that open nothing', async () => {
    const token = 'ann:0123456789abcdef';
    const ended = { ...account(sandbox), COMMERCE_HTTP_TOKENS: `${token}:until=2020-12-31` };
    const idle = 'these tokens open nothing';
    await hold(ended, [], { http: ['tokens whose last day is past: ann (2020-12-31)', idle] });
    const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
    const entry = `base_url: ${baseUrl}, auth_url: ${authUrl}, client_id: ${clientId}`;
    const file = `default: a\naccounts:\n  a: {${entry}, client_secret: ${clientSecret}}\n`;
    const unopened = {
      COMMERCE_ACCOUNTS_FILE: join(folderWith({ 'accounts.yaml': file }), 'accounts.yaml'),
      COMMERCE_HTTP_TOKENS: `${token}::nobody`,
    };
    const http: Texts[string] = [
      'tokens are of accounts that the file does not have: nobody',
      idle,
    ];
    await hold(unopened, [], { http });
  });

  test.skipIf(process.platform === 'win32')(
    'doctor sees a secret that everybody can read',
    async () => {
      const { COMMERCE_CLIENT_SECRET: secret = '', ...env } = account(sandbox);
      const path = join(folderWith({ secret }), 'secret');
      const settings = { ...env, COMMERCE_CLIENT_SECRET_FILE: path };
      await chmod(path, 0o600);
      await hold(settings, [], { configuration: ['secret given'] });
      await chmod(path, 0o644);
      const configuration: Texts[string] = ['secret given', `can read the secret in ${path}`];
      await hold(settings, [], { configuration });
    },
  );

  const anyRole = 'of account sandbox; capabilities: ';
  const stock = 'get_product, list_product_changes, list_stock, search_products';
  const lacks = (missing: string, tools: string) =>
    `It lacks ${missing}, which ${tools} may need: `;
  const lacksElsewhere = lacks('inventory.view_other_locations', stock);
  const lacksStock = lacks('inventory.view_local and inventory.view_other_locations', stock);

  test.each<[keyof Sandbox['keys'], Texts[string]]>([
    ['clerk', [`role Clerk ${anyRole}`, lacksStock]],
    [
      'powerless',
      [
        `${anyRole}none`,
        lacksStock,
        lacks('location.view', 'get_location'),
        lacks('location.list', 'list_locations'),
      ],
    ],
    [
      'regional',
      [
        anyRole,
        lacksElsewhere,
        'Reports need location_id, one of the locations that the key is bound to: Utrecht Centraal (2), Utrecht Oost (3).',
      ],
    ],
    ['unbound', [anyRole, 'It may see no location, and so no report']],
  ])('doctor says what the role %s may do', async (name, texts) => {
    const settings = account(sandbox, sandbox.keys[name]);
    await hold(settings, [], { [role]: texts });
  });

  test('doctor says what is kept of order lines, and where they cannot be', async () => {
    const folder = folderWith();
    const settings = { ...account(sandbox), COMMERCE_KEEP_DIR: folder };
    const kept = '0 orders, no whole day, 0.0 of 2000 MB';
    await hold(settings, [], { 'order lines': [`lines of ${kept}, in ${folder}`] });
    const fresh = { ...settings, COMMERCE_KEEP_DIR: join(folder, 'a', 'b') };
    await hold(fresh, [], { 'order lines': ['does not exist yet'] });
    await writeFile(join(folder, 'file'), '');
    const file = { ...settings, COMMERCE_KEEP_DIR: join(folder, 'file') };
    await hold(file, ['order lines'], { 'order lines': ['EACCES', 'COMMERCE_KEEP_DIR'] });
    if (process.platform === 'win32') return;
    await chmod(folder, 0o777);
    await hold(settings, ['order lines'], { 'order lines': [folder, 'mode 700'] });
  });

  const works: Texts[string] = ['net_turnover, regulars, slow_movers, targets of '];

  test.each<[string, Description, failed: string[], Texts[string]]>([
    ['definitions', 'bare', [], works],
    ['definitions', 'none', [], works],
    ['nowhere', 'full', ['definitions'], ['COMMERCE_DEFINITIONS', 'Correct the named files']],
    ['bench', 'full', [], ['bench holds no view and no table', 'views/NAME.sql']],
  ])(
    'doctor reads the folder %s as a server does, openapi.json being %s',
    async (folder, description, failed, definitions) => {
      await holdOf({ description }, failed, { definitions }, { COMMERCE_DEFINITIONS: folder });
    },
  );
});

const parameters = z.array(z.looseObject({ name: z.string() }));
const paths = z.record(z.string(), z.looseObject({ get: z.looseObject({ parameters }) }));
type Paths = z.output<typeof paths>;
const described = z.looseObject({ paths });

test('doctor prints one line when all is well, and with --all a line a check', async () => {
  const short = await runHere(['doctor', '--sandbox']);
  expect(short.stdout).toBe(`All is well, of ${order.length} checks.\n`);
  const { code, stdout } = await runHere(['doctor', '--sandbox', '--all']);
  expect(stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(order.length);
  expect(stdout).toMatch(/^ok +definitions +net_turnover, regulars, slow_movers, targets of /m);
  expect(stdout).toContain(short.stdout);
  expect(stdout).not.toContain('\u001b');
  expect(code).toBe(0);
});

test('doctor says what to do next where nothing is configured, and leaves with 1', async () => {
  const { code, stdout } = await runHere(['doctor']);
  expect(stdout).toMatch(/^FAILED {3}configuration .*COMMERCE_BASE_URL is missing/);
  expect(stdout).toContain('-> Set them in the environment; for a client, ');
  expect(stdout).toContain('0 of 1 checks are well. 1 failed: begin with the first.');
  expect(code).toBe(1);
});

test('doctor with --json prints the same for a script', async () => {
  const settings = { COMMERCE_CLIENT_SECRET: 'a-secret' };
  const { code, stdout, stderr } = await runHere(['doctor', '--json'], settings);
  expect(stdout + stderr).not.toContain('a-secret');
  const checks: unknown[] = JSON.parse(stdout);
  expect(checks).toEqual([
    {
      check: 'configuration',
      ok: false,
      detail: expect.stringContaining('COMMERCE_BASE_URL is missing'),
      remedy: expect.stringContaining('demo'),
    },
  ]);
  expect(code).toBe(1);
});
