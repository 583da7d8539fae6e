import { beforeAll, describe, expect, test } from 'vitest';
import { toolsOf } from '../../../samples.ts';
import { type HttpServer, serverOver } from '../../../server-over.ts';
import { ask, bearer, callTool, message, post } from '../messages.ts';

const aliceToken = 'alice-has-a-long-token';
const ordersToken = 'orders-only-long-token';
const [alice, bob] = [bearer(aliceToken), bearer(ordersToken)];

describe('a server with static tokens', () => {
  let server: HttpServer;

  beforeAll(async () => {
    server = await serverOver('http', {
      settings: {
        COMMERCE_HTTP_HOST: '0.0.0.0',
        COMMERCE_HTTP_TOKENS: `alice:${aliceToken};bob:${ordersToken}:orders,analysis`,
      },
    });
    server.origin = server.origin.replace('0.0.0.0', '127.0.0.1');
    server.url = server.url.replace('0.0.0.0', '127.0.0.1');
  });

  test('answers a request that shows nothing with 401 and a challenge', async () => {
    const response = await fetch(server.url);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="commerce-mcp"');
  });

  test.each([
    ...['Bearer something-else', `Bearer ${aliceToken.slice(0, -1)}`, `Bearer ${aliceToken}x`],
    ...[`Basic ${btoa(`alice:${aliceToken}`)}`, 'Bearer ', 'Bearer alice'],
  ])('answers %s with 401', async (authorization) => {
    const response = await post(server.url, message('ping'), { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  const asked = (caller: typeof alice, method: string, params?: unknown) =>
    ask(server.url, method, params, caller);
  const called = (caller: typeof alice, name: string, args?: unknown) =>
    callTool(server.url, name, args, caller);

  test('a caller with two toolsets sees and reaches theirs, and no other', async () => {
    // Without any reference list there is nothing to find.
    const theirs = toolsOf('orders', 'analysis').filter((name) => name !== 'find_reference');
    const { result } = await asked(bob, 'tools/list');
    const named = theirs.map((name) => expect.objectContaining({ name }));
    expect(result).toEqual({ tools: expect.arrayContaining(named) });
    expect(result).toMatchObject({ tools: { length: theirs.length } });
    expect(await called(bob, 'get_me')).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('no tool "get_me"') },
    });
    expect(await asked(bob, 'resources/read', { uri: 'commerce://shops' })).toMatchObject({
      error: { message: expect.stringContaining('commerce://shops') },
    });
    const none = { result: { completion: { values: [] } } };
    const ref = { type: 'ref/prompt', name: 'sales-by-hour' };
    const shop = { ref, argument: { name: 'shop', value: '' } };
    expect(await asked(alice, 'completion/complete', shop)).not.toMatchObject(none);
    expect(await asked(bob, 'completion/complete', shop)).toMatchObject(none);
  });

  const completion = (uri: string, name: string) => ({
    ref: { type: 'ref/resource', uri },
    argument: { name, value: '' },
  });

  test('results of one caller are kept from another, and the log says which tool gave them and how many left', async () => {
    const kept = await called(alice, 'list_orders', { period: 'last_week', all: true });
    const id = /r_[0-9a-z]{10}/.exec(JSON.stringify(kept))?.[0];
    expect(id).toBeDefined();
    const slice = { result_id: id, limit: 1 };
    const refused = { isError: true };
    server.log.length = 0;
    await asked(alice, 'resources/read', { uri: `commerce://results/${id}.csv` });
    expect(await called(alice, 'read_rows', slice)).not.toMatchObject({ result: refused });
    const [read, sliced] = server.log.filter(({ message: text }) => text === 'call');
    const source_tool = 'list_orders';
    const tool = 'commerce://results/{result_id}';
    expect(read?.facts).toMatchObject({ tool, source_tool });
    expect(read?.facts.rows).toBeGreaterThan(100);
    expect(sliced?.facts).toMatchObject({ tool: 'read_rows', source_tool, rows: 1 });
    expect(await called(bob, 'read_rows', slice)).toMatchObject({
      result: { ...refused, _meta: { 'commerce-mcp/error': { code: 'result_gone' } } },
    });
    const results = completion(tool, 'result_id');
    for (const [caller, values] of [
      [alice, [id]],
      [bob, []],
    ] as const)
      expect(await asked(caller, 'completion/complete', results)).toMatchObject({
        result: { completion: { values } },
      });
  });

  test('each call leaves one line in the audit, without what was asked, and is counted', async () => {
    const series = 'commerce_mcp_calls_total{tool="get_order",caller="bob",outcome="not_found"}';
    const before = await server.metric(series, alice);
    server.log.length = 0;
    await called(alice, 'list_orders', { period: 'last_month', limit: 3 });
    await called(bob, 'get_me');
    await called(bob, 'get_order', { order_id: 999_999_999 });
    const lines = server.log.filter(({ message: text }) => text === 'call');
    expect(lines.map(({ facts }) => [facts.caller, facts.tool, facts.outcome])).toEqual([
      ['alice', 'list_orders', 'ok'],
      ['bob', 'get_me', 'scope'],
      ['bob', 'get_order', 'not_found'],
    ]);
    for (const { level, facts } of lines) {
      expect(level).toBe('info');
      const { caller: _, tool: __, outcome: ___, rows: ____, bytes: _____, ...rest } = facts;
      expect(rest).toEqual({
        request_id: expect.stringMatching(/^[\w-]{36}$/),
        remote: '127.0.0.1',
        duration_ms: expect.any(Number),
        upstream_requests: expect.any(Number),
        trace_ids: expect.any(Array),
      });
      // The platform takes the id of the request as its own.
      expect(rest.trace_ids).toEqual([]);
    }
    expect(lines[0]?.facts).toMatchObject({ rows: 3, bytes: expect.any(Number) });
    expect(await server.metric(series, alice)).toBe(before + 1);
    const byBob = 'commerce_mcp_upstream_requests_by_caller_total{caller="bob"}';
    expect(await server.metric(byBob, alice)).toBeGreaterThan(0);
  });
});
