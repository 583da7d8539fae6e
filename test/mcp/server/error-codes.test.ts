import {
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { connectNew } from '../../clients.ts';
import { serverOver, sharedServer, type TestServer } from '../../server-over.ts';

const server = sharedServer();

async function failureOf({ client }: TestServer, name: string, args: JsonObject) {
  const { isError, structuredContent, _meta } = await client.callTool({ name, arguments: args });
  // An output schema would refuse it.
  expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined });
  return _meta?.['commerce-mcp/error'];
}

describe('a failed call says for programs', () => {
  const yesterday = { period: 'yesterday' };
  const quarter = "SELECT * FROM list_orders(period := 'last_90_days')";

  test.each<[tool: string, args: JsonObject, argument: string]>([
    ['list_orders', { ...yesterday, fields: ['nothing'] }, 'fields'],
    ['get_order', { order_number: 'none' }, 'order_number'],
    ['query', { sql: quarter, max_calls: 1 }, 'max_calls'],
  ])(
    'which argument is wrong once something was asked: %s %j: %s',
    async (tool, args, argument) => {
      expect(await failureOf(server(), tool, args)).toEqual({ code: 'bad_input', argument });
    },
  );

  test.each<[tool: string, args: JsonObject]>([
    ['get_order', { order_id: 1 }],
    ['query', { sql: 'SELECT * FROM get_order(order_id := 1)' }],
  ])('what the platform answered: %s %j', async (tool, args) => {
    const trace_id = expect.stringMatching(/./);
    const failure = { code: 'not_found', status: 404, trace_id };
    expect(await failureOf(server(), tool, args)).toEqual(failure);
  });

  test('a refusal for budget tells programs when to come back', async () => {
    const settings = { COMMERCE_MAX_WAIT_SECONDS: '0' };
    const busy = await serverOver('memory', { quota: 1, ordersPerDay: 1, settings });
    await busy.ask('list_shops');
    expect(await failureOf(busy, 'list_locations', {})).toMatchObject({
      code: 'rate_limited',
      retry_after_seconds: expect.any(Number),
    });
  });
});

describe('what is no call says the same in the data of its error', () => {
  test.each<[what: string, request: () => Promise<unknown>, data: object]>([
    [
      'a tool that is not there',
      () => server().client.callTool({ name: 'list_ordrs' }),
      { code: 'unknown_tool' },
    ],
    [
      'a prompt that is not there',
      () => server().client.getPrompt({ name: 'daily' }),
      { code: 'not_found' },
    ],
    [
      'an argument that a prompt lacks',
      () => server().client.getPrompt({ name: 'daily-turnover', arguments: { dat: 'today' } }),
      { code: 'bad_input', argument: 'dat' },
    ],
    [
      'a result that is kept no more',
      () => server().client.readResource({ uri: 'commerce://results/r_0' }),
      { code: 'result_gone', argument: 'result_id' },
    ],
    [
      'an order that is not there',
      () => server().client.readResource({ uri: 'commerce://orders/999999999' }),
      { code: 'not_found', status: 404, trace_id: expect.any(String) },
    ],
  ])('%s', async (_, request, data) => {
    await expect(request()).rejects.toMatchObject({ data });
  });
});

describe('a resource that does not exist is refused', () => {
  /** The code on the wire: the client writes another one over it. */
  async function codeOf(transport: Transport, mode: VersionNegotiationMode, uri: string) {
    const { client, close } = await connectNew(transport, mode);
    const codes: unknown[] = [];
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if ('error' in message) codes.push(message.error.code);
      receive?.(message, extra);
    };
    await expect(client.readResource({ uri })).rejects.toThrow();
    await close();
    return codes;
  }

  let url: URL;

  beforeAll(async () => {
    url = new URL((await serverOver('http', { ordersPerDay: 1 })).url);
  });

  test.each([
    ['legacy', 'commerce://nowhere', -32_602],
    ['legacy', 'commerce://orders/x', -32_602],
    [{ pin: '2026-07-28' }, 'commerce://nowhere', -32_602],
  ] as const)('over HTTP, by %j, %s: %i', async (mode, uri, code) => {
    const transport = new StreamableHTTPClientTransport(url);
    expect(await codeOf(transport, mode, uri)).toEqual([code]);
  });
});

describe('a cursor that nothing gave is refused', () => {
  test.each([
    ...(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const),
  ])('by %s', async (method) => {
    const request = server().client.request({ method, params: { cursor: 'two' } });
    await expect(request).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('There is no page "two": this list is one page.'),
    });
  });
});
