import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { connectionAdvice } from '../../../../src/analysis/errors/advice.ts';
import type { Check } from '../../../../src/cli/commands/doctor/checks.ts';
import { examine } from '../../../../src/cli/commands/doctor/doctor.ts';
import { person } from '../../../../src/cli/terminal/catalogue/catalogue.ts';
import type { Remedy } from '../../../../src/cli/terminal/catalogue/checks.ts';
import type { Description } from '../../../../src/sandbox/http/openapi.ts';
import { startTlsPlatform } from '../../../client/tls-server.ts';
import { engineFor } from '../../../query-engine.ts';
import { missingRedis, startRedis } from '../../../redis-server.ts';
import { type SandboxOptions, startSandbox } from '../../../sandbox/start-sandbox.ts';
import { closeAfterwards } from '../../../setup/closing.ts';
import { folderWith } from '../../../setup/folder.ts';
import { account, type Sandbox } from '../../../spawn.ts';
import { runHere } from '../../run-here.ts';

const order = [
  ...['configuration', 'http', 'redis', 'query engine', 'discovery', 'exchange'],
  ...[
    'role and capabilities',
    'order lines',
    'signing in',
    'clock skew',
    'rate budget',
    'drift',
    'definitions',
  ],
];

/** What the named checks say: what each found, then what to do about it. */
type Says = Record<string, readonly object[]>;

const remedy = (name: Remedy) => ({ code: 'remedy', name });

/** Checks an account: which checks fail, and what some say; the secret must appear nowhere. */
async function hold(env: Record<string, string>, failed: string[], says: Says, isSandbox = false) {
  const checks: Check[] = [];
  const line = { operands: [], flags: { sandbox: isSandbox ? 'true' : undefined } };
  for await (const check of examine({ ...line, env, ...engineFor(env) })) checks.push(check);
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
  for (const [name, messages] of Object.entries(says)) {
    const found = checks.find((check) => check.name === name);
    const said = [found?.detail, ...(found?.remedies ?? [])];
    expect(said).toEqual(messages.map((it) => expect.objectContaining(it)));
  }
}

const { say } = person;

test.each([
  ['a short token', { COMMERCE_HTTP_TOKENS: 'ann:short' }, 'weak_token'],
  ['a wrong toolset', { COMMERCE_HTTP_TOKENS: 'ann:0123456789abcdef:sales' }, 'unknown_toolset'],
  ['a missing file', { COMMERCE_HTTP_TOKENS_FILE: '/no/such/file' }, 'unreadable_file'],
  ['an open address', { COMMERCE_HTTP_HOST: '0.0.0.0' }, 'open_address'],
])('doctor refuses what http refuses: %s', async (_, env, code) => {
  const opened = await startSandbox();
  closeAfterwards(opened.close);
  const line = { operands: [], flags: {}, env: { ...account(opened), ...env } };
  for await (const { name, verdict, detail } of examine(line))
    if (name === 'http') {
      expect([verdict, JSON.stringify(detail)]).toEqual(['FAILED', expect.stringContaining(code)]);
      return;
    }
  expect.unreachable('http was not checked');
});

const nowhere = 'http://127.0.0.1:1';

describe('doctor', () => {
  let sandbox: Sandbox;
  let tlsPort: number;

  beforeAll(async () => {
    tlsPort = await startTlsPlatform();
    sandbox = await startSandbox();
    closeAfterwards(sandbox.close);
  });

  /** Checks the account of a sandbox of its own. */
  async function holdOf(options: SandboxOptions, failed: string[], says: Says, more = {}) {
    const other = await startSandbox(options);
    closeAfterwards(other.close);
    await hold({ ...account(other), ...more }, failed, says);
  }

  test('looks at the sandbox, whatever else is configured', async () => {
    const settings = { COMMERCE_BASE_URL: 'ftp://nowhere', COMMERCE_CLIENT_ID: '"' };
    await hold(
      settings,
      [],
      { configuration: [{ code: 'configuration_ok', isSandbox: true }] },
      true,
    );
  });

  const role = 'role and capabilities';

  test.each<[string, (sandbox: Sandbox) => Record<string, string>, failed: string, Says]>([
    [
      'a wrong secret',
      () => ({ COMMERCE_CLIENT_SECRET: 'not-the-secret-of-owner' }),
      'exchange',
      { exchange: [{ code: 'key_wrong' }, remedy('key_refused')] },
    ],
    [
      'a Redis that is not there, whose password is not told',
      () => ({ COMMERCE_REDIS_URL: 'redis://:a-password@127.0.0.1:1' }),
      'redis',
      { redis: [{ code: 'redis_silent', error: 'ECONNREFUSED' }, remedy('redis')] },
    ],
    [
      'no network at all',
      () => ({ COMMERCE_AUTH_URL: nowhere, COMMERCE_BASE_URL: nowhere }),
      'discovery',
      { discovery: [{ code: 'not_connected', cause: 'ECONNREFUSED' }, remedy('unreachable')] },
    ],
    [
      'a certificate that is not trusted',
      () => ({ COMMERCE_AUTH_URL: `https://127.0.0.1:${tlsPort}` }),
      'discovery',
      { discovery: [{ fault: 'certificate' }, { words: connectionAdvice.certificate }] },
    ],
    [
      'plain http to a port that speaks TLS',
      () => ({ COMMERCE_AUTH_URL: `http://127.0.0.1:${tlsPort}` }),
      'discovery',
      { discovery: [{ code: 'speaks_tls' }, remedy('unreachable')] },
    ],
    [
      'https to a port that speaks plain http',
      ({ authUrl }) => ({ COMMERCE_AUTH_URL: authUrl.replace('http:', 'https:') }),
      'discovery',
      { discovery: [{ fault: 'no_tls' }, remedy('unreachable')] },
    ],
    [
      'a proxy that is not there',
      () => ({ COMMERCE_AUTH_URL: 'https://platform.test', HTTPS_PROXY: nowhere }),
      'discovery',
      { discovery: [{ fault: 'proxy' }, { words: connectionAdvice.proxy }] },
    ],
    [
      'the address of the API given for the authorization server',
      ({ baseUrl }) => ({ COMMERCE_AUTH_URL: baseUrl }),
      'discovery',
      { discovery: [{}, remedy('discovery')] },
    ],
    [
      'the authorization server given for the API',
      ({ authUrl }) => ({ COMMERCE_BASE_URL: authUrl }),
      role,
      { [role]: [{}, remedy(role)], drift: [{ code: 'drift_unknown' }, remedy('drift_unknown')] },
    ],
  ])('sees %s', async (_, change, failed, says) => {
    await hold({ ...account(sandbox), ...change(sandbox) }, [failed], says);
  });

  /** An openapi.json whose paths are changed. */
  const describing = (change: (paths: Paths) => Paths): SandboxOptions => ({
    openapi: (document) => {
      const { paths, ...rest } = described.parse(document);
      return { ...rest, paths: change(paths) };
    },
  });

  test.each<[string, SandboxOptions, failed: string[], Says]>([
    [
      'a token that is refused at once',
      { faults: '401:path=/api/me' },
      [role],
      { [role]: [{}, remedy('unauthorized')] },
    ],
    [
      'a lost parameter, which others do without',
      describing(({ '/api/order': orders, ...others }) => {
        const parameters = orders?.get.parameters.filter(({ name }) => name !== 'is_paid') ?? [];
        return { ...others, '/api/order': { get: { parameters } } };
      }),
      [],
      { drift: [{ code: 'drift', gone: ['/api/order?is_paid'] }, remedy('drift_of_parameters')] },
    ],
    [
      'a lost path that a tool needs',
      describing(({ '/api/stock': _, ...kept }) => kept),
      ['drift'],
      { drift: [{ code: 'drift', gone: ['/api/stock'] }, remedy('drift')] },
    ],
    [
      'that there is no description of the interface',
      { description: 'none' },
      [],
      { drift: [{ code: 'drift_unknown' }, remedy('drift_unknown')] },
    ],
    [
      'a spent budget',
      { faults: '429:path=/api/me,value=30' },
      [role],
      {
        [role]: [{ code: 'budget_spent' }, remedy('rate_limited')],
        'rate budget': [{ code: 'budget_left', remaining: 0, limit: 600 }],
      },
    ],
    [
      'a budget that is not reported',
      { faults: 'limits=none' },
      [],
      { 'rate budget': [{ code: 'no_budget_told' }] },
    ],
  ])('sees %s', async (_, options, failed, says) => {
    await holdOf(options, failed, says);
  });

  test('sends the holder of a revoked key to an administrator', async () => {
    const other = await startSandbox({});
    onTestFinished(() => other.close());
    other.control.revokeKey(other.keys.clerk.clientId);
    const says = { exchange: [{ code: 'key_wrong' }, remedy('key_refused')] };
    await hold(account(other, other.keys.clerk), ['exchange'], says);
  });

  test.skipIf(missingRedis)('sees a Redis that answers', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const settings = { ...account(sandbox), COMMERCE_REDIS_URL: redis.url };
    await hold(settings, [], { redis: [{ code: 'redis_answers' }] });
    const { host } = new URL(redis.url);
    const wrong = { ...settings, COMMERCE_REDIS_URL: `redis://nobody:wrong@${host}` };
    const says = { redis: [{ code: 'redis_refuses', refusal: 'WRONGPASS' }, remedy('redis')] };
    await hold(wrong, ['redis'], says);
  });

  test('knows neither clock nor budget of a platform that is out of reach', async () => {
    await hold({ ...account(sandbox), COMMERCE_BASE_URL: nowhere }, [role], {
      [role]: [{ code: 'not_connected' }, remedy('unreachable')],
      'clock skew': [{ code: 'no_clock' }],
      'rate budget': [{ code: 'budget_unknown' }],
    });
  });

  test('says that http starts with tokens that open nothing', async () => {
    const token = 'ann:0123456789abcdef';
    const ended = { ...account(sandbox), COMMERCE_HTTP_TOKENS: `${token}:until=2020-12-31` };
    const idle = remedy('idle_tokens');
    const names = ['ann (2020-12-31)'];
    await hold(ended, [], { http: [{ code: 'tokens_ended', ended: names }, idle] });
    const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
    const entry = `base_url: ${baseUrl}, auth_url: ${authUrl}, client_id: ${clientId}`;
    const file = `default: a\naccounts:\n  a: {${entry}, client_secret: ${clientSecret}}\n`;
    const unopened = {
      COMMERCE_ACCOUNTS_FILE: join(folderWith({ 'accounts.yaml': file }), 'accounts.yaml'),
      COMMERCE_HTTP_TOKENS: `${token}::nobody`,
    };
    const accounts = ['nobody'];
    await hold(unopened, [], { http: [{ code: 'tokens_of_no_account', accounts }, idle] });
  });

  test.skipIf(process.platform === 'win32')('sees a secret that everybody can read', async () => {
    const { COMMERCE_CLIENT_SECRET: secret = '', ...env } = account(sandbox);
    const path = join(folderWith({ secret }), 'secret');
    const settings = { ...env, COMMERCE_CLIENT_SECRET_FILE: path };
    await chmod(path, 0o600);
    await hold(settings, [], { configuration: [{ code: 'configuration_ok' }] });
    await chmod(path, 0o644);
    const says = [{ code: 'configuration_ok' }, { code: 'secret_readable', path }];
    await hold(settings, [], { configuration: says });
  });

  const anyRole = { code: 'role_of_key' };
  const lacks = (missing: string, ...tools: string[]) => ({ code: 'role_lacks', missing, tools });
  const stock = ['get_product', 'list_product_changes', 'list_stock', 'search_products'];
  const lacksElsewhere = lacks('inventory.view_other_locations', ...stock);
  const lacksStock = lacks('inventory.view_local and inventory.view_other_locations', ...stock);
  const [centraal, oost] = [2, 3].map((id) => expect.objectContaining({ id }));

  test.each<[keyof Sandbox['keys'], ...says: object[]]>([
    ['clerk', { ...anyRole, role: 'Clerk', account: 'sandbox' }, lacksStock],
    [
      'powerless',
      { ...anyRole, capabilities: [] },
      lacksStock,
      lacks('location.view', 'get_location'),
      lacks('location.list', 'list_locations'),
    ],
    ['manager', anyRole, lacksElsewhere],
    [
      'regional',
      anyRole,
      lacksElsewhere,
      { code: 'reports_need_location', locations: [centraal, oost] },
    ],
    ['unbound', anyRole, { code: 'role_sees_no_location' }],
    ['owner', anyRole],
  ])('says what the role %s may do', async (role, ...says) => {
    const settings = account(sandbox, sandbox.keys[role]);
    await hold(settings, [], { 'role and capabilities': says });
  });

  test('says what is kept of order lines, and where they cannot be', async () => {
    const folder = folderWith();
    const settings = { ...account(sandbox), COMMERCE_KEEP_DIR: folder };
    const kept = '0 orders, no whole day, 0.0 of 2000 MB';
    await hold(settings, [], { 'order lines': [{ code: 'lines_in', folder, kept }] });
    const fresh = { ...settings, COMMERCE_KEEP_DIR: join(folder, 'a', 'b') };
    await hold(fresh, [], { 'order lines': [{ code: 'keep_dir_is_new' }] });
    await writeFile(join(folder, 'file'), '');
    const file = { ...settings, COMMERCE_KEEP_DIR: join(folder, 'file') };
    const says = {
      'order lines': [{ code: 'not_writable', error: 'EACCES' }, remedy('order lines')],
    };
    await hold(file, ['order lines'], says);
  });

  test.skipIf(process.platform === 'win32')('sees a folder that others may write', async () => {
    const folder = folderWith();
    await chmod(folder, 0o777);
    const settings = { ...account(sandbox), COMMERCE_KEEP_DIR: folder };
    const says = { 'order lines': [{ code: 'folder_open_to_others' }, remedy('order lines')] };
    await hold(settings, ['order lines'], says);
  });

  const names = expect.arrayContaining(['net_turnover', 'targets']);
  const works = [{ code: 'definitions_work', names }];
  const none = expect.objectContaining({ code: 'no_such_folder', setting: 'COMMERCE_DEFINITIONS' });
  const problems = [expect.objectContaining({ reason: none })];

  test.each<[string, Description, failed: string[], object[]]>([
    ['definitions', 'full', [], works],
    ['definitions', 'bare', [], works],
    ['definitions', 'none', [], works],
    [
      'nowhere',
      'full',
      ['definitions'],
      [{ code: 'definitions_broken', problems }, remedy('definitions')],
    ],
    ['bench', 'full', [], [{ code: 'definitions_work', names: [] }, remedy('no_definitions')]],
  ])(
    'reads the folder %s as a server does, openapi.json being %s',
    async (folder, description, failed, definitions) => {
      await holdOf({ description }, failed, { definitions }, { COMMERCE_DEFINITIONS: folder });
    },
  );

  test('asks for the clock to be set where it is an hour off', async () => {
    const { authUrl } = sandbox;
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      const { authorization = '', 'content-type': type = '' } = request.headers;
      const answer = await fetch(`${authUrl}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization, 'content-type': type },
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      });
      response.sendDate = false;
      response.setHeader('content-type', 'application/json');
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      response.writeHead(answer.status).end((await answer.text()).replaceAll(authUrl, url));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const skewSeconds = expect.closeTo(-3600, -2);
    const says = { 'clock skew': [{ code: 'clock_differs', skewSeconds }, remedy('clock skew')] };
    const settings = { ...account(sandbox), COMMERCE_AUTH_URL: url };
    await hold(settings, ['clock skew'], says);
  });
});

const parameters = z.array(z.looseObject({ name: z.string() }));
const paths = z.record(z.string(), z.looseObject({ get: z.looseObject({ parameters }) }));
type Paths = z.output<typeof paths>;
const described = z.looseObject({ paths });

describe('as a command, doctor', () => {
  test('says one line to people when all is well, and with --all a line a check', async () => {
    const verdict = { code: 'checks_verdict', failed: 0, well: order.length } as const;
    const short = await runHere(['doctor', '--sandbox']);
    expect(short.stdout).toBe(`${say({ ...verdict, count: order.length })}\n`);
    const { code, stdout } = await runHere(['doctor', '--sandbox', '--all']);
    expect(stdout.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(order.length);
    expect(stdout).toMatch(/^ok +definitions +net_turnover, regulars, slow_movers, targets of /m);
    expect(stdout).toContain(short.stdout);
    expect(stdout).not.toContain('\u001b');
    expect(code).toBe(0);
  });

  test('says what to do next where nothing is configured, and leaves with 1', async () => {
    const { code, stdout } = await runHere(['doctor']);
    expect(stdout).toMatch(/^FAILED {3}configuration .*COMMERCE_BASE_URL is missing/);
    expect(stdout).toContain(`-> ${say({ code: 'remedy', name: 'configuration' })}`);
    expect(stdout).toContain(say({ code: 'checks_verdict', failed: 1, well: 0, count: 1 }));
    expect(code).toBe(1);
  });

  test('with --json prints the same for a script', async () => {
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
});
