import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listResourceTemplates } from '../../../../src/mcp/resources/resources.ts';
import { samples, toolsOf } from '../../../samples.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { bearer, lastMessage, message, post } from '../messages.ts';

const alice = 'alice-has-a-long-token';
const orders = 'orders-only-long-token';

async function call(server: HttpServer, token: string, name: string, args: unknown = {}) {
  const body = message('tools/call', { name, arguments: args });
  return lastMessage(await post(server.url, body, bearer(token)));
}

async function ask(server: HttpServer, token: string, method: string, params: unknown = {}) {
  return lastMessage(await post(server.url, message(method, params), bearer(token)));
}

describe('a server with static tokens', () => {
  let server: HttpServer;

  beforeAll(async () => {
    server = await serverOver('http', {
      settings: {
        COMMERCE_HTTP_HOST: '0.0.0.0',
        COMMERCE_HTTP_TOKENS: `alice:${alice};bob:${orders}:orders,analysis`,
      },
    });
    server.origin = server.origin.replace('0.0.0.0', '127.0.0.1');
    server.url = server.url.replace('0.0.0.0', '127.0.0.1');
  });

  afterAll(() => server.close());

  test.each([
    ['/mcp', 'POST'],
    ['/mcp', 'GET'],
    ['/mcp', 'OPTIONS'],
    ['/metrics', 'GET'],
    ['/elsewhere', 'GET'],
    ['/healthz', 'POST'],
  ])('answers %s %s with 401 and a challenge to whoever shows nothing', async (path, method) => {
    const response = await fetch(server.origin + path, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="commerce-mcp"');
  });

  test.each([
    ...['Bearer something-else', `Bearer ${alice.slice(0, -1)}`, `Bearer ${alice}x`],
    ...[`Basic ${btoa(`alice:${alice}`)}`, 'Bearer ', 'Bearer alice'],
  ])('answers %s with 401', async (authorization) => {
    const response = await post(server.url, message('ping'), { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('leaves health open', async () => {
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  });

  test('shows a limited caller their own tools, resources and templates', async () => {
    const { result: all } = await ask(server, alice, 'tools/list');
    expect(all).toMatchObject({ tools: { length: samples.length } });
    const { result } = await ask(server, orders, 'tools/list');
    // Without any reference list there is nothing to find.
    const theirs = toolsOf('orders', 'analysis')
      .filter((name) => name !== 'find_reference')
      .map((name) => expect.objectContaining({ name }));
    expect(result).toEqual({ tools: expect.arrayContaining(theirs) });
    expect(result).toMatchObject({ tools: { length: theirs.length } });
    // None of the reference lists, which are of other toolsets.
    expect(await ask(server, orders, 'resources/list')).toMatchObject({
      result: { resources: [{ name: 'tables' }, { name: 'figure' }] },
    });
    const { result: families } = await ask(server, orders, 'resources/templates/list');
    expect(families).toEqual({ resourceTemplates: listResourceTemplates(['orders', 'analysis']) });
  });

  test('lets a limited caller neither call nor read nor complete the rest', async () => {
    expect(await call(server, orders, 'get_me')).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('no tool "get_me"') },
    });
    expect(await ask(server, orders, 'resources/read', { uri: 'commerce://shops' })).toMatchObject({
      error: { message: expect.stringContaining('commerce://shops') },
    });
    for (const [uri, name] of [
      ['commerce://products/{shop_product_id}', 'shop_product_id'],
      ['commerce://tax-rates/{country_code}', 'country_code'],
    ]) {
      const ref = { type: 'ref/resource', uri };
      const completed = await ask(server, orders, 'completion/complete', {
        ref,
        argument: { name, value: '' },
      });
      expect(completed).toMatchObject({ result: { completion: { values: [] } } });
    }
  });

  test('keeps the results of one caller from another', async () => {
    const kept = await call(server, alice, 'list_orders', { period: 'last_week', all: true });
    const id = /r_[0-9a-z]{10}/.exec(JSON.stringify(kept))?.[0];
    expect(id).toBeDefined();
    const slice = { result_id: id, limit: 1 };
    expect(await call(server, alice, 'read_rows', slice)).not.toMatchObject({
      result: { isError: true },
    });
    expect(await call(server, orders, 'read_rows', slice)).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('nothing is kept') }] },
    });
    const completion = {
      ref: { type: 'ref/resource', uri: 'commerce://results/{result_id}' },
      argument: { name: 'result_id', value: '' },
    };
    const own = await ask(server, alice, 'completion/complete', completion);
    expect(own).toMatchObject({ result: { completion: { values: [id] } } });
    const theirs = await ask(server, orders, 'completion/complete', completion);
    expect(theirs).toMatchObject({ result: { completion: { values: [] } } });
  });

  test('writes one audit line for each call: who, what, how; nothing of what was asked', async () => {
    server.log.length = 0;
    await call(server, alice, 'list_orders', { period: 'last_month', limit: 3 });
    await call(server, orders, 'get_me');
    await call(server, orders, 'get_order', { order_id: 999_999_999 });
    const lines = server.log.filter(({ message: text }) => text === 'call');
    expect(lines.map(({ facts }) => [facts.caller, facts.tool, facts.outcome])).toEqual([
      ['alice', 'list_orders', 'ok'],
      ['bob', 'unknown', 'unknown_tool'],
      ['bob', 'get_order', 'not_found'],
    ]);
    for (const { level, facts } of lines) {
      expect(level).toBe('info');
      const { caller: _, tool: __, outcome: ___, ...rest } = facts;
      expect(rest).toEqual({
        duration_ms: expect.any(Number),
        upstream_requests: expect.any(Number),
        trace_ids: expect.any(Array),
      });
      expect(rest.trace_ids).toHaveLength(Number(rest.upstream_requests));
    }
  });

  test('counts calls by tool, caller and outcome', async () => {
    const counted = () =>
      server.metric(
        'commerce_mcp_calls_total{tool="get_me",caller="alice",outcome="ok"}',
        bearer(alice),
      );
    const before = await counted();
    await call(server, alice, 'get_me');
    expect(await counted()).toBe(before + 1);
  });
});
