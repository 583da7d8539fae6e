import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listResourceTemplates } from '../../../src/mcp/resources/resources.ts';
import { samples, toolsOf } from '../../samples.ts';
import {
  bearer,
  type House,
  lastMessage,
  message,
  openHouse,
  openHouseHere,
  post,
} from './http-server.ts';

const alice = 'alice-has-a-long-token';
const orders = 'orders-only-long-token';

async function call(house: House, token: string, name: string, args: unknown = {}) {
  const body = message('tools/call', { name, arguments: args });
  return lastMessage(await post(house.url, body, bearer(token)));
}

async function ask(house: House, token: string, method: string, params: unknown = {}) {
  return lastMessage(await post(house.url, message(method, params), bearer(token)));
}

/** The status for a GET with headers, or a request target, that fetch does not let through. */
function statusWith(url: string, headers: Record<string, string>, path?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, ...(path !== undefined && { path }) }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('a server of this machine alone', () => {
  let house: House;

  beforeAll(async () => {
    house = await openHouse({ settings: { COMMERCE_ALLOWED_ORIGINS: 'https://app.example.com' } });
  });

  afterAll(() => house.close());

  const paths = ['/mcp', '/healthz', '/readyz', '/metrics', '/elsewhere', '/.well-known/x'];

  test.each(paths)('refuses another host at %s', async (path) => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80'])
      expect(await statusWith(house.origin + path, { host })).toBe(403);
  });

  test.each(paths)('refuses another host in an absolute request target for %s', async (path) => {
    const { host } = new URL(house.origin);
    const target = `http://evil.example${path}`;
    expect(await statusWith(house.origin, { host }, target)).toBe(403);
    expect(await statusWith(house.origin, { host: 'evil.example' }, house.origin + path)).toBe(403);
  });

  test.each(paths)('refuses a page of another origin at %s', async (path) => {
    for (const origin of [
      'https://evil.example',
      'null',
      'not an origin',
      'http://app.example.com',
    ])
      expect(await statusWith(house.origin + path, { origin })).toBe(403);
  });

  test.each(['localhost', '127.0.0.1:80', '[::1]:8787'])('is reached as %s', async (host) => {
    expect(await statusWith(`${house.origin}/healthz`, { host })).toBe(200);
  });

  test('shares nothing with pages, unless their origin is allowed', async () => {
    const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } };
    const local = await fetch(house.url, preflight);
    expect(local.headers.get('access-control-allow-origin')).toBeNull();
    const origin = 'https://app.example.com';
    const asked = await fetch(house.url, {
      ...preflight,
      headers: { ...preflight.headers, origin, 'access-control-request-headers': 'authorization' },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-headers')).toContain('authorization');
    const answered = await post(house.url, message('ping'), { origin });
    expect(answered.status).toBe(200);
    expect(answered.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answered.headers.get('vary')).toContain('Origin');
  });

  test('is reached under further names when they are allowed', async () => {
    const { origin } = await openHouseHere({
      settings: { COMMERCE_ALLOWED_HOSTS: 'mcp.example.com' },
    });
    expect(await statusWith(`${origin}/healthz`, { host: 'mcp.example.com' })).toBe(200);
    expect(await statusWith(`${origin}/healthz`, { host: 'example.com' })).toBe(403);
  });
});

describe('starting', () => {
  test('is refused on an address that others can reach while nobody has to show who they are', async () => {
    await expect(openHouse({ settings: { COMMERCE_HTTP_HOST: '0.0.0.0' } })).rejects.toThrow(
      'COMMERCE_HTTP_TOKENS',
    );
  });

  test('is refused with tokens that cannot be read, and the refusal quotes none', async () => {
    const settings = { COMMERCE_HTTP_TOKENS: `alice:${alice}:sales` };
    const refusal = await openHouse({ settings }).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'bad_config' });
    expect(refusal.message).toContain('COMMERCE_HTTP_TOKENS entry 1 (alice)');
    expect(refusal.message).not.toContain(alice);
  });

  test('is refused on a port that is taken, naming it', async () => {
    const { url } = await openHouseHere();
    const settings = { COMMERCE_HTTP_PORT: new URL(url).port };
    await expect(openHouse({ settings })).rejects.toThrow(/COMMERCE_HTTP_PORT .* is in use/);
  });
});

describe('a server with static tokens', () => {
  let house: House;

  beforeAll(async () => {
    house = await openHouse({
      settings: {
        COMMERCE_HTTP_HOST: '0.0.0.0',
        COMMERCE_HTTP_TOKENS: `alice:${alice};bob:${orders}:orders,analysis`,
      },
    });
    house.origin = house.origin.replace('0.0.0.0', '127.0.0.1');
    house.url = house.url.replace('0.0.0.0', '127.0.0.1');
  });

  afterAll(() => house.close());

  test.each([
    ['/mcp', 'POST'],
    ['/mcp', 'GET'],
    ['/mcp', 'OPTIONS'],
    ['/metrics', 'GET'],
    ['/elsewhere', 'GET'],
    ['/healthz', 'POST'],
  ])('answers %s %s with 401 and a challenge to whoever shows nothing', async (path, method) => {
    const response = await fetch(house.origin + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="commerce-mcp"');
  });

  test.each([
    ['another token', 'Bearer something-else'],
    ['a token that begins alike', `Bearer ${alice.slice(0, -1)}`],
    ['a token that goes on', `Bearer ${alice}x`],
    ['another scheme', `Basic ${btoa(`alice:${alice}`)}`],
    ['no token', 'Bearer '],
    ['a name', 'Bearer alice'],
  ])('answers %s with 401', async (_, authorization) => {
    const response = await post(house.url, message('ping'), { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
  });

  test('leaves health open', async () => {
    expect((await fetch(`${house.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${house.origin}/readyz`)).status).toBe(200);
  });

  test('shows a limited caller their own tools, resources and templates', async () => {
    const { result: all } = await ask(house, alice, 'tools/list');
    expect(all).toMatchObject({ tools: { length: samples.length } });
    const { result } = await ask(house, orders, 'tools/list');
    const theirs = toolsOf('orders', 'analysis').map((name) => expect.objectContaining({ name }));
    expect(result).toEqual({ tools: expect.arrayContaining(theirs) });
    expect(result).toMatchObject({ tools: { length: theirs.length } });
    expect(await ask(house, orders, 'resources/list')).toMatchObject({ result: { resources: [] } });
    const { result: families } = await ask(house, orders, 'resources/templates/list');
    expect(families).toEqual({ resourceTemplates: listResourceTemplates(['orders', 'analysis']) });
  });

  test('lets a limited caller neither call nor read nor complete the rest', async () => {
    expect(await call(house, orders, 'get_me')).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('no tool "get_me"') },
    });
    expect(await ask(house, orders, 'resources/read', { uri: 'commerce://shops' })).toMatchObject({
      error: { message: expect.stringContaining('commerce://shops') },
    });
    for (const [uri, name] of [
      ['commerce://products/{shop_product_id}', 'shop_product_id'],
      ['commerce://tax-rates/{country_code}', 'country_code'],
    ]) {
      const ref = { type: 'ref/resource', uri };
      const completed = await ask(house, orders, 'completion/complete', {
        ref,
        argument: { name, value: '' },
      });
      expect(completed).toMatchObject({ result: { completion: { values: [] } } });
    }
  });

  test('keeps the results of one caller from another', async () => {
    const kept = await call(house, alice, 'list_orders', { period: 'last_week', all: true });
    const id = /r_[0-9a-z]{10}/.exec(JSON.stringify(kept))?.[0];
    expect(id).toBeDefined();
    const slice = { result_id: id, limit: 1 };
    expect(await call(house, alice, 'read_rows', slice)).not.toMatchObject({
      result: { isError: true },
    });
    expect(await call(house, orders, 'read_rows', slice)).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('nothing is kept') }] },
    });
    const completion = {
      ref: { type: 'ref/resource', uri: 'commerce://results/{result_id}' },
      argument: { name: 'result_id', value: '' },
    };
    const own = await ask(house, alice, 'completion/complete', completion);
    expect(own).toMatchObject({ result: { completion: { values: [id] } } });
    const theirs = await ask(house, orders, 'completion/complete', completion);
    expect(theirs).toMatchObject({ result: { completion: { values: [] } } });
  });

  test('writes one audit line for each call: who, what, how; nothing of what was asked', async () => {
    house.log.length = 0;
    await call(house, alice, 'list_orders', { period: 'last_month', limit: 3 });
    await call(house, orders, 'get_me');
    await call(house, orders, 'get_order', { order_id: 999_999_999 });
    const lines = house.log.filter(({ message: text }) => text === 'call');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'call',
        facts: {
          caller: 'alice',
          tool: 'list_orders',
          outcome: 'ok',
          duration_ms: expect.any(Number),
          upstream_requests: expect.any(Number),
          trace_ids: expect.any(Array),
        },
      },
      {
        level: 'info',
        message: 'call',
        facts: expect.objectContaining({
          caller: 'bob',
          tool: 'unknown',
          outcome: 'unknown_tool',
          upstream_requests: 0,
        }),
      },
      {
        level: 'info',
        message: 'call',
        facts: expect.objectContaining({ caller: 'bob', tool: 'get_order', outcome: 'not_found' }),
      },
    ]);
    for (const { facts } of lines)
      expect(facts.trace_ids).toHaveLength(Number(facts.upstream_requests));
  });

  test('counts calls by tool, caller and outcome', async () => {
    const counted = () =>
      house.metric(
        'commerce_mcp_calls_total{tool="get_me",caller="alice",outcome="ok"}',
        bearer(alice),
      );
    const before = await counted();
    await call(house, alice, 'get_me');
    expect(await counted()).toBe(before + 1);
  });
});

describe('a server with a file of tokens', () => {
  async function openWithFile(text: string) {
    const folder = await mkdtemp(join(tmpdir(), 'tokens-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'tokens');
    await writeFile(file, text);
    const house = await openHouseHere({ settings: { COMMERCE_HTTP_TOKENS_FILE: file } });
    const statusOf = async (token: string) =>
      (await post(house.url, message('ping'), bearer(token))).status;
    return { house, file, statusOf };
  }

  test('reads it again when it is written', async () => {
    const { file, statusOf } = await openWithFile(`# who may\nalice:${alice}\n`);
    expect(await statusOf(alice)).toBe(200);
    await writeFile(file, `bob:${orders}\n`);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
  });

  test('reads it again when another is put in its place', async () => {
    const { file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(`${file}.new`, `alice:${orders}`);
    await rename(`${file}.new`, file);
    expect([await statusOf(alice), await statusOf(orders)]).toEqual([401, 200]);
  });

  test('lets nobody in when its last token is taken out', async () => {
    const { file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(file, '');
    expect(await statusOf(alice)).toBe(401);
  });

  test('stays with what it knew while the file is wrong or away, and says so', async () => {
    const { house, file, statusOf } = await openWithFile(`alice:${alice}`);
    await writeFile(file, `alice ${orders}`);
    expect(await statusOf(alice)).toBe(200);
    await rm(file);
    expect(await statusOf(alice)).toBe(200);
    const errors = house.log.filter(({ level }) => level === 'error');
    expect(errors.map(({ facts }) => facts.reason)).toEqual([
      expect.stringContaining('entry 1 is not name:token'),
      'ENOENT',
    ]);
    expect(JSON.stringify(house.log)).not.toContain(orders);
  });

  test('refuses to start without it', async () => {
    const settings = { COMMERCE_HTTP_TOKENS_FILE: join(tmpdir(), 'no-such-file') };
    await expect(openHouse({ settings })).rejects.toThrow(
      'COMMERCE_HTTP_TOKENS_FILE cannot be read: ENOENT',
    );
  });
});
