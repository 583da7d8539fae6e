import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { envelope, lastMessage, message, modern, modernHeaders, post, posted } from './messages.ts';

let server: HttpServer;

beforeAll(async () => {
  server = await serverOver('http');
});

afterAll(() => server.close());

describe('the endpoint', () => {
  test('answers a message of the older revisions without a handshake: any replica can', async () => {
    const response = await post(server.url, message('tools/list'));
    expect(response.status).toBe(200);
    const { result } = await lastMessage(response);
    expect(result).toMatchObject({ tools: expect.any(Array) });
  });

  test('answers a message of the 2026-07-28 revision', async () => {
    const response = await post(server.url, modern('tools/list'), modernHeaders('tools/list'));
    expect(response.status).toBe(200);
    expect(await lastMessage(response)).toMatchObject({ result: { tools: expect.any(Array) } });
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('answers %s with 405', async (method) => {
    const response = await fetch(server.url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=utf-8', 200],
  ])('answers a body of %s with %i', async (type, status) => {
    const response = await post(server.url, message('ping'), { 'content-type': type });
    expect(response.status).toBe(status);
  });

  test('answers a client that takes no event streams with 406', async () => {
    const response = await post(server.url, message('ping'), { accept: 'application/json' });
    expect(response.status).toBe(406);
  });

  test.each([
    ['{', -32_700],
    ['', -32_700],
    ['{"jsonrpc":"2.0"', -32_700],
  ])('answers %j, which is no JSON, with 400', async (body, code) => {
    const response = await post(server.url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code }, id: null });
  });

  test.each(['null', '7', '"text"', '[]', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}'])(
    'answers %s, which is no message, with 400',
    async (body) => {
      expect((await post(server.url, body)).status).toBe(400);
    },
  );

  test.each([
    ['1,001 members', members(1001)],
    ['as many within', `{"arguments":{"where":[${members(1001)}]}}`],
    ['60 lists, each within the other', `{"_meta":{"a":${lists(60)}}}`],
    ['100,000 such lists', `{"_meta":{"a":${lists(100_000)}}}`],
  ])('answers parameters of %s with 400, before anybody looks further', async (_, params) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;
    for (const sent of [body, `[${body}]`]) {
      const response = await post(server.url, sent);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('1000 members at most, and stand 50 deep');
    }
  });

  test('takes as many as there may be', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${members(1000)}}}`;
    expect((await post(server.url, body)).status).toBe(200);
  });

  test('answers a body over 1 MB with 413, declared or not', async () => {
    const long = message('ping', { padding: 'x'.repeat(1_000_001) });
    expect((await post(server.url, long)).status).toBe(413);
    expect(await postInPieces(server.url, long)).toBe(413);
  });

  test('takes a body just under it', async () => {
    const padding = 'x'.repeat(990_000);
    expect((await post(server.url, message('ping', { padding }))).status).toBe(200);
  });

  test('answers an unknown revision of the older kind with 400', async () => {
    const response = await post(server.url, message('ping'), {
      'mcp-protocol-version': '2019-01-01',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('2025-11-25');
  });

  test('answers an unknown revision of the newer kind with 400 and the ones it knows', async () => {
    const body = message('tools/list', {
      _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    });
    const response = await post(server.url, body, modernHeaders('tools/list', '2099-01-01'));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32_022, data: { supported: ['2026-07-28'] } },
    });
  });

  test('answers a header that contradicts the message with 400', async () => {
    const response = await post(server.url, modern('tools/list'), modernHeaders('prompts/list'));
    expect(response.status).toBe(400);
  });

  test('accepts a notification with 202', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await post(server.url, body)).status).toBe(202);
  });

  test('streams progress within the call', async () => {
    const params = {
      name: 'list_orders',
      arguments: { period: 'last_90_days', all: true },
      _meta: { progressToken: 'p' },
    };
    const text = await (await post(server.url, message('tools/call', params))).text();
    expect(text.match(/notifications\/progress/g)?.length).toBeGreaterThan(1);
    expect(text.lastIndexOf('notifications/progress')).toBeLessThan(text.indexOf('"result"'));
  });

  test('promises no news of changed tools, for they never change', async () => {
    const newer = await lastMessage(
      await post(server.url, modern('server/discover'), modernHeaders('server/discover')),
    );
    expect(newer).toMatchObject({ result: { capabilities: { tools: {} } } });
    expect(JSON.stringify(newer)).not.toContain('listChanged');
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

describe('any other path', () => {
  test('is answered with 404', async () => {
    expect((await fetch(`${server.origin}/`)).status).toBe(404);
    expect((await fetch(`${server.origin}/mcp/more`)).status).toBe(404);
  });

  test('that is for GET only is answered with 405 otherwise', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await fetch(server.origin + path, { method: 'POST' })).status).toBe(405);
  });
});

/** Sends a body without saying how long it will be. */
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

/** An object of so many members, as JSON. */
function members(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;
}

/** Lists within lists, so many deep, as JSON. */
function lists(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}
