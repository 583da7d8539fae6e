import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { toolsets } from '../../../src/endpoints/define.ts';
import { accountMessages } from '../../../src/mcp/app/accounts.ts';
import { missingRedis, startRedis } from '../../redis-server.ts';
import { goingOn, sandboxAt } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';
import type { Sandbox } from '../../spawn.ts';
import {
  type AccountsServer,
  entryOf,
  serveAccounts,
  tokenOf,
  tokensOf,
} from './accounts-server.ts';
import { audience, startIssuer } from './auth/issuer-server.ts';
import { bearer, callTool, message, modern, modernHeaders, post, resultIdIn } from './messages.ts';

/** Long enough for a busy machine. */
const patience = { timeout: 15_000 };

const [utrecht, haarlem] = ['utrecht', 'haarlem'].map((it) => bearer(tokenOf(it)));

let first: Sandbox;
let second: Sandbox;

beforeAll(async () => {
  const options = { now: Date.now, ordersPerDay: 10, days: 60 };
  first = await sandboxAt({ ...options, seed: 1 });
  second = await sandboxAt({ ...options, seed: 2 });
});

const both = () => ({ utrecht: entryOf(first), haarlem: entryOf(second) });

/** The first platform gives no answer until the test is over. */
function slowDown(): void {
  first.control.setLatency(20_000);
  onTestFinished(() => first.control.setLatency(0));
}

/** Starts calls that hang. @returns a function that ends them */
function hang({ url }: AccountsServer, callers: readonly { authorization: string }[]) {
  const leaving = new AbortController();
  const calls = callers.map((it) => post(url, listShops, it, leaving.signal).catch(() => {}));
  return async () => {
    leaving.abort();
    await Promise.all(calls);
  };
}

const listShops = message('tools/call', { name: 'list_shops', arguments: {} });
const wholeWeek = { period: 'last_week', all: true };
const orders = { period: 'last_week', fields: ['id', 'total_wt'], limit: 5 };

/** Waits until every account but these has closed for being idle. */
async function closesIdle({ accounts, open }: AccountsServer, stay: readonly string[] = []) {
  await vi.waitFor(async () => {
    await accounts.sweep();
    expect(open()).toEqual(stay);
  }, patience);
}

/** Waits until no call is under way. */
async function rests({ metrics }: AccountsServer) {
  await vi.waitFor(async () => expect(await metrics()).toContain('queue_active 0'), patience);
}

async function structured({ url }: AccountsServer, headers = utrecht, tool = 'list_orders') {
  const { result } = await callTool(url, tool, tool === 'list_orders' ? orders : {}, headers);
  return (result as { structuredContent?: { data?: unknown; context: Record<string, unknown> } })
    ?.structuredContent;
}

describe('a caller', () => {
  test('a caller is answered by the account of their token, which answers, lines and metrics name, for the operator alone', async () => {
    const server = await serveAccounts(both());
    const [one, other] = [await structured(server, utrecht), await structured(server, haarlem)];
    expect(one?.context.account).toBe('utrecht');
    expect(other?.context.account).toBe('haarlem');
    expect(one?.data).not.toEqual(other?.data);
    expect(one).toMatchObject({ total: first.world.orders(...lastWeek(first)).length });
    const { result } = await callTool(server.url, 'get_me', {}, haarlem);
    // The payload of the platform has an account of its own, which stays as it is.
    expect(result).toMatchObject({ structuredContent: { account: { name: 'sandbox' } } });
    const calls = server.lines.filter(({ message: text }) => text === 'call');
    expect(calls.map(({ facts }) => [facts.account, facts.caller, facts.tool])).toEqual([
      ['utrecht', 'alice', 'list_orders'],
      ['haarlem', 'alice', 'list_orders'],
      ['haarlem', 'alice', 'get_me'],
    ]);
    const metrics = await server.metrics();
    expect(metrics).toContain(
      'calls_total{tool="list_orders",caller="alice",outcome="ok",account="utrecht"} 1',
    );
    expect(metrics).toMatch(/budget_limit\{account="haarlem"\} \d/);
    expect(metrics).toContain('accounts_open 2');
    for (const headers of [{}, bearer(tokenOf('utrecht'))]) {
      const refused = await fetch(`${server.origin}/metrics`, { headers });
      expect(refused.status).toBe(401);
      expect(await refused.text()).not.toMatch(/utrecht|haarlem/);
      expect(JSON.stringify(await server.ready(headers))).not.toMatch(/utrecht|haarlem/);
    }
    expect((await post(server.url, message('ping'), server.operator)).status).toBe(401);
  });

  test('a caller of a missing account, or of none without a default, gets 403 and learns nothing', async () => {
    const tokens = `${tokensOf(['utrecht'])};bob:${tokenOf('gouda')}::gouda`;
    const server = await serveAccounts(both(), { tokens });
    const said = server.lines.find(({ level }) => level === 'warn');
    expect(said?.facts).toEqual({ caller: 'bob', account: 'gouda' });
    const refused = await post(server.url, message('ping'), bearer(tokenOf('gouda')));
    expect(refused.status).toBe(403);
    expect(await refused.text()).not.toMatch(/utrecht|haarlem|gouda/);
    expect(server.lines.at(-1)?.facts).toMatchObject({
      reason: 'account',
      status: 403,
      caller: 'bob',
      detail: 'gouda',
    });
    expect(await server.metrics()).toContain('refusals_total{reason="account"} 1');
  });

  test('a caller with a JWT gets the account of its claim, or else the default, and no other', async () => {
    const issuer = await startIssuer();
    onTestFinished(issuer.close);
    const settings = { COMMERCE_OAUTH_ISSUER: issuer.issuer, COMMERCE_OAUTH_AUDIENCE: audience };
    const server = await serveAccounts(both(), { settings, default: 'utrecht' });
    for (const [claims, account] of [
      [{ account: 'gouda' }, undefined],
      [{ account: ['haarlem'] }, undefined],
      [{ account: null }, undefined],
      [{ account: 'haarlem' }, 'haarlem'],
      [{}, 'utrecht'],
    ] as const) {
      const before = server.open();
      const headers = bearer(await issuer.mint({ scope: 'commerce', ...claims }));
      const { status } = await post(server.url, message('ping'), headers);
      const what = JSON.stringify(claims);
      expect(status, what).toBe(account === undefined ? 403 : 200);
      expect(server.open(), what).toEqual(account === undefined ? before : [...before, account]);
    }
    expect(server.open()).toEqual(['haarlem', 'utrecht']);
  });

  test.each([
    ['tokens of no account', { COMMERCE_HTTP_TOKENS: 'alice:a-token-that-is-long' }, 'token_entry'],
    ['no tokens', { COMMERCE_HTTP_TOKENS: '' }, 'no_default_account'],
    ['a setting of an account', { COMMERCE_CLIENT_ID: 'x' }, 'setting_of_one_account'],
  ])('accounts without a default are not served with %s', async (_, settings, code) => {
    const problems = [{ problem: { code } }];
    await expect(serveAccounts(both(), { settings })).rejects.toMatchObject({ problems });
  });

  test('a caller names no account where there is a default, nor shows a token', async () => {
    const settings = { COMMERCE_HTTP_TOKENS: '' };
    const server = await serveAccounts(both(), { default: 'haarlem', settings });
    const { result } = await callTool(server.url, 'list_shops');
    expect(result).toMatchObject({ structuredContent: { context: { account: 'haarlem' } } });
  });
});

describe('the file', () => {
  test('an account that is added to the file opens, and one that is taken out closes at once with what it kept', async () => {
    const server = await serveAccounts(
      { utrecht: entryOf(first) },
      { tokens: tokensOf(['utrecht', 'haarlem']) },
    );
    expect((await post(server.url, message('ping'), haarlem)).status).toBe(403);
    await server.write(both());
    expect((await structured(server, haarlem))?.context.account).toBe('haarlem');
    await callTool(server.url, 'list_orders', wholeWeek, utrecht);
    expect(await server.metrics()).toContain('kept_results{account="utrecht"} 1');
    await server.write({ haarlem: entryOf(second) });
    expect((await post(server.url, message('ping'), utrecht)).status).toBe(403);
    expect(server.open()).toEqual(['haarlem']);
    await server.write(both());
    await structured(server, utrecht);
    expect(await server.metrics()).toContain('kept_results{account="utrecht"} 0');
  });

  test('calls under way end with the account that is taken out, and those of another go on', async () => {
    const server = await serveAccounts(both());
    await Promise.all([structured(server, utrecht), structured(server, haarlem)]);
    const inFlight = () => {
      const app = server.accounts.apps().find(({ account }) => account === 'utrecht');
      return app?.services.client.load().inFlight;
    };
    // Requests in the background of those calls have ended.
    await vi.waitFor(() => expect(inFlight()).toBe(0), patience);
    slowDown();
    const slow = callTool(server.url, 'list_shops', {}, utrecht);
    await vi.waitFor(() => expect(inFlight()).toBeGreaterThan(0), patience);
    await server.write({ haarlem: entryOf(second) });
    expect((await structured(server, haarlem))?.context.account).toBe('haarlem');
    const { result } = await slow;
    expect(JSON.stringify(result)).toContain(accountMessages.account_closed().text);
  });

  test('a subscription ends with the account that is taken out', async () => {
    const server = await serveAccounts(both());
    const method = 'subscriptions/listen';
    const wish = modern(method, { notifications: { promptsListChanged: true } });
    const listening = await post(server.url, wish, { ...modernHeaders(method), ...utrecht });
    const ended = listening.text().catch(() => 'cut off');
    await server.write({ haarlem: entryOf(second) });
    await structured(server, haarlem);
    await ended;
    await rests(server);
  });

  test('an account whose secret changed is asked with the new one', async () => {
    const secret = 'utrecht.secret';
    const { client_secret: _, ...entry } = entryOf(first);
    const tokens = tokensOf(['utrecht', 'haarlem']);
    const server = await serveAccounts({ haarlem: entryOf(second) }, { tokens });
    await writeFile(join(server.folder, secret), `${first.clientSecret}\n`);
    await server.write({ utrecht: { ...entry, client_secret_file: secret } });
    expect((await structured(server))?.context.account).toBe('utrecht');
    const [before] = server.accounts.apps();
    await writeFile(join(server.folder, secret), 'rolled');
    const { result } = await callTool(server.url, 'list_shops', {}, utrecht);
    expect(JSON.stringify(result)).toContain('key_refused');
    expect(server.accounts.apps()).not.toContain(before);
    expect(await server.ready(server.operator)).toMatchObject({
      status: 'ready',
      checks: {
        accounts: { open: 1, in_trouble: 1 },
        account: { utrecht: { platform: 'not asked' } },
      },
    });
  });

  test('a broken accounts file leaves the accounts as they were, and says so', async () => {
    const server = await serveAccounts(both());
    await structured(server);
    for (const text of ['accounts: [', 'accounts: {utrecht: {base_url: http://evil.example}}']) {
      await writeFile(server.path, text);
      expect((await structured(server))?.context.account).toBe('utrecht');
      expect(await server.ready()).toEqual({
        status: 'ready',
        checks: {
          accounts: { open: 1, in_trouble: 0 },
          accounts_file: 'the accounts file cannot be used; the accounts stay as they were',
        },
      });
      expect(await server.metrics()).toContain('accounts_file_broken 1');
    }
    const problems = server.lines.filter(({ level }) => level === 'error');
    expect(problems).toHaveLength(2);
    await server.write(both());
    await structured(server);
    expect(await server.ready()).toEqual({
      status: 'ready',
      checks: { accounts: { open: 1, in_trouble: 0 } },
    });
  });
});

describe('an account beside another', () => {
  type Change = (control: Sandbox['control'], clientId: string) => void;

  test.each<[string, harm: Change, heal: Change]>([
    ['down', (it) => it.inject('reset'), (it) => it.clearFaults()],
    ['slow', (it) => it.setLatency(20_000), (it) => it.setLatency(0)],
    [
      'revoked',
      (it, clientId) => it.revokeKey(clientId),
      (it, clientId) => it.restoreKey(clientId),
    ],
  ])(
    'an account is served in as many requests as ever beside one whose platform is %s',
    async (_, harm, heal) => {
      const settings = { COMMERCE_MAX_WAIT_SECONDS: '1' };
      const server = await serveAccounts(both(), { settings });
      await structured(server, haarlem);
      harm(first.control, first.clientId);
      onTestFinished(() => heal(first.control, first.clientId));
      const giveUp = hang(server, Array(20).fill(utrecht));
      const before = second.stats.requests;
      expect((await structured(server, haarlem))?.context.account).toBe('haarlem');
      expect(second.stats.requests - before).toBe(1);
      await giveUp();
    },
  );

  test('callers of one account hold at most half of the places', async () => {
    const serving = { maxActive: 8, maxWaiting: 100, graceMs: 1000 };
    const names = Array.from({ length: 8 }, (_, at) => `caller-${at}`);
    const tokens = [
      ...names.map((it) => `${it}:${tokenOf('utrecht', it)}::utrecht`),
      tokensOf(['haarlem']),
    ];
    const server = await serveAccounts(both(), { serving, tokens: tokens.join(';') });
    slowDown();
    const giveUp = hang(
      server,
      names.map((it) => bearer(tokenOf('utrecht', it))),
    );
    await vi.waitFor(
      async () => expect(await server.metrics()).toContain('queue_waiting 4'),
      patience,
    );
    expect(await server.metrics()).toContain('queue_active 4');
    expect((await structured(server, haarlem))?.context.account).toBe('haarlem');
    await giveUp();
  });

  test('accounts on the same key share its budget and nothing else', async () => {
    const sandbox = await sandboxAt({ now: goingOn, quota: 20, windowSeconds: 2 });
    const entry = entryOf(sandbox);
    const server = await serveAccounts({ utrecht: entry, haarlem: entry });
    const id = resultIdIn(await callTool(server.url, 'list_orders', wholeWeek, utrecht));
    const theirs = await callTool(server.url, 'read_rows', { result_id: id }, haarlem);
    expect(JSON.stringify(theirs)).toContain('result_gone');
    const before = sandbox.stats.byPath['/api/shop'] ?? 0;
    for (const headers of [utrecht, haarlem]) await structured(server, headers, 'list_shops');
    expect((sandbox.stats.byPath['/api/shop'] ?? 0) - before).toBeGreaterThan(0);
    const [one, other] = server.accounts.apps().map(({ services }) => services.client.budget());
    expect(one?.remaining).toBe(other?.remaining);
    await Promise.all(
      [utrecht, haarlem].flatMap((it) =>
        Array.from({ length: 15 }, (_, id) =>
          callTool(server.url, 'get_order', { order_id: id + 1 }, it),
        ),
      ),
    );
    expect(sandbox.stats.refused).toBe(0);
  });
});

test('the rate budget of a key is known to the next account that has the key', async () => {
  const server = await serveAccounts(both(), { bounds: { idleMs: 1, sweepMs: 3_600_000 } });
  await structured(server, utrecht);
  await rests(server);
  await server.write({ gouda: entryOf(first) });
  await closesIdle(server);
  const caller = { id: 'alice', toolsets, account: 'gouda' };
  const { app, release } = await server.accounts.acquire(caller);
  release();
  expect(app.services.client.budget()).toBeDefined();
});

describe('accounts that are open', () => {
  test('accounts close when idle, the longest idle first where there is no room, and never at work', async () => {
    let nowMs = 0;
    const sweepMs = 3_600_000;
    const bounds = { maxOpen: 2, idleMs: 1000, sweepMs };
    const names = ['a', 'b', 'c'];
    const entries = Object.fromEntries(names.map((it) => [it, entryOf(first)]));
    const server = await serveAccounts(entries, { bounds, elapsed: () => nowMs });
    const ask = (name: string) => callTool(server.url, 'get_me', {}, bearer(tokenOf(name)));
    for (const name of names) {
      nowMs += 100;
      await ask(name);
      await rests(server);
    }
    expect(server.open()).toEqual(['b', 'c']);
    nowMs += 950;
    await server.accounts.sweep();
    expect(server.open()).toEqual(['c']);
    slowDown();
    const giveUp = hang(
      server,
      ['a', 'b'].map((name) => bearer(tokenOf(name))),
    );
    // Either of the two sockets may come first.
    await vi.waitFor(() => expect(server.open().toSorted()).toEqual(['a', 'b']), patience);
    const refused = await post(server.url, listShops, bearer(tokenOf('c')));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    first.control.setLatency(0);
    await giveUp();
    await rests(server);
    expect(await ask('c')).toHaveProperty('result');
  });

  test('accounts that are kept filled are open before the first call, and stay open', async () => {
    const bounds = { idleMs: 1, sweepMs: 3_600_000 };
    const entries = { utrecht: { ...entryOf(first), fill: 'yesterday' }, haarlem: entryOf(second) };
    const settings = { COMMERCE_KEEP_DIR: folderWith() };
    const server = await serveAccounts(entries, { bounds, settings });
    const filled: unknown[] = [];
    server.accounts.onOpen(({ account }, { fill }) => filled.push([account, fill]));
    await server.accounts.sweep();
    await vi.waitFor(() => expect(server.open()).toEqual(['utrecht']), patience);
    await structured(server, haarlem);
    await rests(server);
    await closesIdle(server, ['utrecht']);
    expect(filled).toEqual([
      ['utrecht', 'yesterday'],
      ['haarlem', undefined],
    ]);
  });

  test.skipIf(missingRedis)('accounts on one Redis share the budget of a key alone', async () => {
    const redis = await startRedis();
    onTestFinished(redis.kill);
    const entry = entryOf(second);
    const settings = { COMMERCE_REDIS_URL: redis.url };
    const serve = () => serveAccounts({ utrecht: entry, haarlem: entry }, { settings });
    const replicas = [await serve(), await serve()] as const;
    const id = resultIdIn(await callTool(replicas[0].url, 'list_orders', wholeWeek, utrecht));
    const read = async (url: string, headers = utrecht) =>
      JSON.stringify(await callTool(url, 'read_rows', { result_id: id }, headers));
    expect(await read(replicas[1].url)).toContain('structuredContent');
    for (const { url } of replicas) expect(await read(url, haarlem)).toContain('result_gone');
    const reads = () => second.stats.byPath['/api/payment-method'] ?? 0;
    const before = reads();
    for (const { url } of replicas)
      for (const headers of [utrecht, haarlem])
        await callTool(url, 'list_payment_methods', {}, headers);
    // Each account reads it once, and its other replica has it from there.
    expect(reads() - before).toBe(2);
  });

  test('an account asks for nothing before its first call but a token and the description', async () => {
    const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
    const server = await serveAccounts({ utrecht: entryOf(sandbox) });
    expect(sandbox.stats).toMatchObject({ requests: 0, exchanges: 0 });
    await structured(server, utrecht, 'list_shops');
    const { exchanges, byPath } = sandbox.stats;
    expect(exchanges).toBe(1);
    // The locations that name what shops belong to are read beside the question.
    expect(Object.keys(byPath).sort()).toEqual(['/api/location', '/api/shop', '/openapi.json']);
  });
});

function lastWeek({ world }: Sandbox): [string, string] {
  const today = new Date(`${world.today()}T00:00:00Z`);
  const day = (today.getUTCDay() + 6) % 7;
  const at = (days: number) =>
    new Date(today.getTime() - days * 86_400_000).toISOString().slice(0, 10);
  return [at(day + 7), at(day + 1)];
}
