import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord, parseJson } from '../../../src/core/json.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { folderWith } from '../../setup/folder.ts';
import { account, type Sandbox, type SpawnedServer, spawnHttp } from '../../spawn.ts';
import { audience, type IssuerServer, startIssuer } from './auth/issuer-server.ts';
import { bearer, callTool, message, post } from './messages.ts';

const staticToken = 'alice-and-nobody-else-7f3a';

/** Parts of questions that no log may repeat. */
const asked = ['Zeldzame Zoekterm', '2026-02-03', 'r_neverkept0'];

describe('everything that a full run logs', () => {
  let sandbox: Sandbox;
  let issuer: IssuerServer;
  let server: SpawnedServer;
  let printed: string;
  let exitCode: number | null;
  const jwts: string[] = [];
  const answers: string[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox({ quota: 10_000 });
    issuer = await startIssuer();
    server = await spawnHttp({
      ...account(sandbox),
      COMMERCE_HTTP_TOKENS: `alice:${staticToken};bob:${staticToken}-2:orders`,
      COMMERCE_OAUTH_ISSUER: issuer.issuer,
      COMMERCE_OAUTH_AUDIENCE: audience,
      COMMERCE_LOG_LEVEL: 'trace',
    });
    jwts.push(await issuer.mint({ scope: 'commerce' }), await issuer.mint({ scope: 'none' }));
    await askEverything();
    await mishandle();
    exitCode = await server.stop();
    printed = server.printed.stderr;
  });

  afterAll(async () => {
    await issuer.close();
    await sandbox.close();
  });

  async function askEverything(): Promise<void> {
    const [customer] = sandbox.world.customers();
    const calls: [string, Record<string, unknown>][] = [
      ['search_customers', { q: asked[0], limit: 50 }],
      ['search_customers', { limit: 50 }],
      ['get_customer', { customer_id: customer?.id }],
      ['get_customer', { customer_id: 987_654_321 }],
      ['list_orders', { period: 'last_week', all: true }],
      ['list_orders', { from: asked[1], shop_id: 'No Such Shop' }],
      ['get_daily_close', { date: asked[1] }],
      ['read_rows', { result_id: asked[2] }],
      ['get_me', { secret: staticToken }],
      ['get_product', { shop_product_id: 1001 }],
      [String(asked[0]), {}],
    ];
    for (const token of [staticToken, `${staticToken}-2`, ...jwts])
      for (const [name, args] of calls)
        answers.push(await tell(message('tools/call', { name, arguments: args }), token));
    for (const uri of ['commerce://access', 'commerce://orders/987654321'])
      await tell(message('resources/read', { uri }));
    sandbox.control.inject('502:times=6;reset:times=2');
    await callTool(server.url, 'list_order_changes', { since: asked[1] }, bearer(staticToken));
    sandbox.control.expireTokens();
    await callTool(server.url, 'get_me', {}, bearer(staticToken));
  }

  /** Requests that are refused, each with something in it that a careless log would quote. */
  async function mishandle(): Promise<void> {
    await tell(message('ping'), `${staticToken}-wrong`);
    await tell(`{"broken": "${asked[0]}`);
    await tell(`{"jsonrpc":"2.0","id":1,"method":"${asked[0]}"}`);
    await tell(`{"jsonrpc":"2.0","id":1,"params":"${asked[0]}"}`);
    await tell(message('ping'), staticToken, { 'mcp-protocol-version': `2026-07-28-${asked[2]}` });
    await fetch(`${server.url}?q=${asked[2]}&token=${staticToken}`);
  }

  async function tell(body: string, token = staticToken, headers = {}): Promise<string> {
    return (await post(server.url, body, { ...bearer(token), ...headers })).text();
  }

  test('is something: the run was full', () => {
    const lines = printed.split('\n').map(parseJson).filter(isRecord);
    expect(lines.filter(({ msg }) => msg === 'call').length).toBeGreaterThan(25);
    expect(lines.filter(({ msg }) => msg === 'platform').length).toBeGreaterThan(25);
    const reasons = lines.flatMap(({ msg, reason }) => (msg === 'refused' ? [reason] : []));
    expect(new Set(reasons)).toEqual(
      new Set(['scope', 'wrong_token', 'malformed', 'protocol', 'no_token']),
    );
    expect(answers.join()).toContain('last_name');
  });

  test('is JSON lines on stderr from the first to the last, and nothing on stdout', () => {
    expect(server.printed.stdout).toBe('');
    const lines = printed.trim().split('\n').map(parseJson);
    expect(lines.every(isRecord)).toBe(true);
    const plain = { level: 30, time: expect.any(Number) };
    const opening = expect.stringMatching(/^commerce-mcp serves http:/);
    expect(lines[0]).toEqual({ ...plain, msg: opening });
    const ending = expect.stringMatching(/^commerce-mcp finishes/);
    expect(lines).toContainEqual({ ...plain, msg: ending });
    expect(exitCode).toBe(0);
  });

  test('holds no token and no secret', () => {
    expect(printed).not.toContain(staticToken);
    expect(printed).not.toContain(sandbox.clientSecret);
    for (const jwt of jwts) for (const part of jwt.split('.')) expect(printed).not.toContain(part);
    expect(printed).not.toMatch(/bearer|authorization|basic /i);
  });

  test('holds no customer', () => {
    const values = sandbox.world
      .customers()
      .flatMap((customer) => Object.values(customer))
      .filter((value): value is string => typeof value === 'string' && value.length > 5);
    expect(values.length).toBeGreaterThan(100);
    for (const value of new Set(values)) expect(printed).not.toContain(value);
  });

  test('holds nothing of what was asked', () => {
    for (const value of [...asked, 'No Such Shop', '987654321']) {
      expect(printed).not.toContain(value);
      expect(printed).not.toContain(encodeURIComponent(value));
    }
    expect(printed).not.toMatch(/[?&](q|from|to|since|shop_id|limit|start)=/);
  });
});

test('http serves the embedded sandbox and says so, and a line of its log says its reason in a sentence', async () => {
  const file = join(folderWith({ tokens: `alice:${staticToken}` }), 'tokens');
  const server = await spawnHttp({ COMMERCE_HTTP_TOKENS_FILE: file }, ['--sandbox']);
  expect(server.printed.stderr).toContain('source: sandbox');
  const ready = await fetch(new URL('/readyz', server.url));
  const checks = { token: 'ok', platform: 'ok' };
  expect(await ready.json()).toEqual({ status: 'ready', checks });
  await writeFile(file, 'alice');
  await post(server.url, message('ping'), bearer(staticToken));
  const line = await server.until(({ stderr }) => /^.*cannot be used.*$/m.exec(stderr)?.[0]);
  expect(parseJson(line)).toMatchObject({
    reason: expect.stringMatching(/^COMMERCE_HTTP_TOKENS_FILE entry 1 is not name:token /),
  });
  expect(await server.stop()).toBe(0);
});
