import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { audience, startIssuer } from './auth/issuer-server.ts';
import { bearer, callTool, message, post } from './messages.ts';

const alice = 'alice-has-a-long-token';
const ping = message('ping');
/** `arrivalMs` leaves a busy machine time to take fifty connections. */
const bounds = { maxActive: 1, maxWaiting: 1, graceMs: 1000, arrivalMs: 1500 };

let server: HttpServer;

/** Logged facts of refusals. */
function refused({ log }: HttpServer) {
  return log.filter(({ message: text }) => text === 'refused').map(({ facts }) => facts);
}

function counted(reason: string): Promise<number> {
  return server.metric(`commerce_mcp_refusals_total{reason="${reason}"}`, bearer(alice));
}

/** Sends bytes as they are, and waits for the end of the connection. */
function sendRaw({ origin }: HttpServer, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', () => {});
  });
}

const dribble = `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${alice}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{`;

describe('a refusal', () => {
  let wide = '';
  let none = '';

  beforeAll(async () => {
    const issuer = await startIssuer();
    server = await serverOver('http', {
      settings: {
        COMMERCE_HTTP_TOKENS: `alice:${alice}`,
        COMMERCE_OAUTH_ISSUER: issuer.issuer,
        COMMERCE_OAUTH_AUDIENCE: audience,
      },
      bounds,
    });
    wide = await issuer.mint({ scope: 'orders' });
    none = await issuer.mint({ scope: 'profile' });
    return issuer.close;
  });
  const own = bearer(alice);

  const byAlice = { caller: 'alice' };

  test.each<[string, number, () => Promise<unknown>, Record<string, unknown>?]>([
    [
      'host',
      403,
      () => sendRaw(server, 'GET /mcp HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n'),
      { detail: 'evil.example' },
    ],
    ['origin', 403, () => post(server.url, ping, { origin: 'https://evil.example' })],
    ['no_token', 401, () => post(server.url, ping)],
    ['wrong_token', 401, () => post(server.url, ping, bearer(`${alice}-mistyped`))],
    ['scope', 403, () => post(server.url, ping, bearer(none))],
    [
      'scope',
      403,
      () => callTool(server.url, 'search_customers', {}, bearer(wide)),
      { caller: 'agent-7', tool: 'search_customers', detail: 'customers' },
    ],
    ['too_large', 413, () => post(server.url, 'x'.repeat(1_000_001), own), byAlice],
    ['too_large', 431, () => sendRaw(server, `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ['too_slow', 408, () => sendRaw(server, dribble)],
    ['malformed', 400, () => post(server.url, '{', own), byAlice],
    ['malformed', 400, () => sendRaw(server, 'no request at all\r\n\r\n')],
    [
      'protocol',
      406,
      () => post(server.url, ping, { ...own, accept: 'text/html' }),
      { ...byAlice, method: 'POST', path: '/mcp' },
    ],
    [
      'not_found',
      404,
      () => fetch(`${server.origin}/elsewhere`, { headers: own }),
      { ...byAlice, method: 'GET', path: '/elsewhere' },
    ],
    [
      'method',
      405,
      () => fetch(`${server.origin}/metrics?q=1`, { method: 'POST', headers: own }),
      { method: 'POST', path: '/metrics' },
    ],
  ])(
    'a refusal for %s (%i) leaves a line and is counted',
    async (reason, status, ask, facts = {}) => {
      server.log.length = 0;
      const before = await counted(reason);
      await ask().catch(() => {});
      await expect.poll(() => counted(reason)).toBe(before + 1);
      expect(refused(server)).toMatchObject([
        {
          reason,
          status,
          remote: '127.0.0.1',
          request_id: expect.stringMatching(/^[\w-]{36}$/),
          ...facts,
        },
      ]);
      expect(JSON.stringify(server.log)).not.toContain(alice);
    },
  );

  test('a refusal and a call have in the log the request id that a proxy gave', async () => {
    server.log.length = 0;
    const headers = { 'x-request-id': 'proxy-4711-a', 'x-forwarded-for': '6.6.6.6, 203.0.113.9' };
    const response = await post(server.url, ping, { ...own, accept: 'text/html', ...headers });
    expect(response.headers.get('x-request-id')).toBe('proxy-4711-a');
    expect(refused(server)).toMatchObject([
      { request_id: 'proxy-4711-a', forwarded_for: '203.0.113.9' },
    ]);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const names = { 'x-request-id': 'proxy-4712', traceparent };
    await callTool(server.url, 'get_me', {}, { ...own, ...names });
    const line = server.log.findLast(({ message: text }) => text === 'call');
    expect(line?.facts).toMatchObject({ request_id: 'proxy-4712', traceparent });
  });

  test('a client that asks with GET for a stream is answered with 405 and counts as no refusal', async () => {
    server.log.length = 0;
    const before = await counted('protocol');
    const response = await fetch(server.url, { headers: { ...own, accept: 'text/event-stream' } });
    expect(response.status).toBe(405);
    expect(refused(server)).toEqual([]);
    expect(await counted('protocol')).toBe(before);
  });
});
