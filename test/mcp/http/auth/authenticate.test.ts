import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listResourceTemplates } from '../../../../src/mcp/resources/resources.ts';
import { samples, toolsOf } from '../../../samples.ts';
import { bearer, type House, lastMessage, message, openHouse, post } from '../http-server.ts';

const alice = 'alice-has-a-long-token';
const orders = 'orders-only-long-token';

async function call(house: House, token: string, name: string, args: unknown = {}) {
  const body = message('tools/call', { name, arguments: args });
  return lastMessage(await post(house.url, body, bearer(token)));
}

async function ask(house: House, token: string, method: string, params: unknown = {}) {
  return lastMessage(await post(house.url, message(method, params), bearer(token)));
}

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
