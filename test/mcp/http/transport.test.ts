import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { refusalMessages } from '../../../src/mcp/http/refusals.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { envelope, lastMessage, message, modern, modernHeaders, post, posted } from './messages.ts';

let server: HttpServer;

beforeAll(async () => {
  server = await serverOver('http');
});

/** A ping with other parameters, as its body. */
const ping = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;
const unknownRevision = message('tools/list', {
  _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
});
const most = { keysPerObject: 150, levels: 50, values: 2500 };
const tooFull = refusalMessages.body_too_full(most).text;

describe('the endpoint', () => {
  test.each<[what: string, status: number, body: string, headers?: Record<string, string>]>([
    ['a message of the older revisions, without a handshake', 200, message('tools/list')],
    ['a message of the newest', 200, modern('tools/list'), modernHeaders('tools/list')],
    ['a charset', 200, message('ping'), { 'content-type': 'application/json; charset=x' }],
    ['a body just under 1 MB', 200, message('ping', { padding: 'x'.repeat(990_000) })],
    ['as many members as there may be', 200, ping(`{"_meta":${members(150)}}`)],
    ['a notification', 202, '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['text', 415, message('ping'), { 'content-type': 'text/plain' }],
    ['any type taken', 200, message('tools/list'), { accept: '*/*' }],
    ['streams of events alone taken', 200, message('tools/list'), { accept: 'text/event-stream' }],
    ['parameters that are null', 200, message('tools/list', null)],
    ['a header that contradicts', 400, modern('tools/list'), modernHeaders('prompts/list')],
    ['what is no message', 400, '{}'],
  ])('answers %s with %i', async (_, status, body, headers) => {
    const response = await post(server.url, body, headers);
    expect(response.status).toBe(status);
    if (body.includes('tools/list') && status === 200)
      expect(await lastMessage(response)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  test.each<[what: string, says: string, body: string, headers?: Record<string, string>]>([
    ['an empty body', '-32700', ''],
    ['a batch', '-32600', `[${message('ping')}]`],
    ['151 members', tooFull, ping(members(151))],
    ['members beyond these, an invalid request', '-32600', ping(members(2000))],
    ['as many within a batch', tooFull, `[${ping(`{"arguments":{"where":[${members(1001)}]}}`)}]`],
    ['60 lists within each other', tooFull, ping(`{"_meta":{"a":${lists(60)}}}`)],
    ['20,000 empty objects', tooFull, ping(`{"_meta":{"a":[${'{},'.repeat(20_000)}{}]}}`)],
    [
      'an unknown revision of the older kind',
      '2025-11-25',
      message('ping'),
      { 'mcp-protocol-version': '2019-01-01' },
    ],
    [
      'an unknown revision of the newer kind',
      '"supported":["2026-07-28"]',
      unknownRevision,
      modernHeaders('tools/list', '2099-01-01'),
    ],
  ])('answers %s with 400 and %s', async (_, says, body, headers) => {
    const response = await post(server.url, body, headers);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(says);
  });

  test('is served with a slash at its end', async () => {
    const response = await post(`${server.url}/`, message('tools/list'));
    expect(await lastMessage(response)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  test('reads from the body of the handshake which revision is asked for', async () => {
    const protocolVersion = '2025-06-18';
    const clientInfo = { name: 'bare', version: '1' };
    const handshake = message('initialize', { protocolVersion, capabilities: {}, clientInfo });
    const newer = { 'mcp-protocol-version': '2026-07-28' };
    const answer = await lastMessage(await post(server.url, handshake, newer));
    expect(answer).toMatchObject({ result: { protocolVersion } });
  });

  test('refuses a malformed request under its id', async () => {
    const body = '{"jsonrpc":"2.0","id":"one","method":"prompts/get","params":{"name":5}}';
    const response = await post(server.url, body);
    expect(response.status).toBe(200);
    expect(await lastMessage(response)).toMatchObject({ id: 'one', error: { code: -32_602 } });
  });

  test.each(['GET', 'DELETE', 'OPTIONS'])('answers %s with 405', async (method) => {
    const response = await fetch(server.url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('answers a body over 1 MB that comes in pieces with 413', async () => {
    expect(await postInPieces(server.url, 'x'.repeat(1_000_001))).toBe(413);
  });

  test('streams progress within the call', async () => {
    const args = { period: 'last_90_days', all: true };
    const params = { name: 'list_orders', arguments: args, _meta: { progressToken: 'p' } };
    const text = await (await post(server.url, message('tools/call', params))).text();
    expect(text.match(/notifications\/progress/g)?.length).toBeGreaterThan(1);
    expect(text.lastIndexOf('notifications/progress')).toBeLessThan(text.indexOf('"result"'));
  });

  test('promises news of changed prompts, and none of tools, for they never change', async () => {
    const newer = await lastMessage(
      await post(server.url, modern('server/discover'), modernHeaders('server/discover')),
    );
    const [never, told] = [{ listChanged: false }, { listChanged: true }];
    const capabilities = { tools: never, prompts: told, resources: told };
    expect(newer).toMatchObject({ result: { capabilities } });
  });

  test('acknowledges a subscription, of which nothing will come, and ends it', async () => {
    const wish = { notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] } };
    const method = 'subscriptions/listen';
    const response = await post(server.url, modern(method, wish), modernHeaders(method));
    const text = await response.text();
    expect(text).toContain('"notifications":{}');
    expect(text).toContain('"resultType":"complete"');
  });

  test('lets clients of the newest revision keep its lists for an hour', async () => {
    for (const method of ['tools/list', 'prompts/list', 'resources/list']) {
      const reply = await lastMessage(
        await post(server.url, modern(method), modernHeaders(method)),
      );
      expect(reply).toMatchObject({ result: { ttlMs: 3_600_000, cacheScope: 'private' } });
    }
  });
});

/** Sends a body without content-length. */
function postInPieces(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: posted }, (response) => {
      resolve(response.statusCode ?? 0);
      response.resume();
      sent.destroy();
    });
    sent.on('error', reject);
    for (let at = 0; at < body.length; at += 100_000) sent.write(body.slice(at, at + 100_000));
    sent.end();
  });
}

/** JSON of an object with a number of members. */
function members(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;
}

/** JSON of nested lists. */
function lists(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}
