import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { anyText, fuzz, fuzzTimeoutMs } from '../../fuzz.ts';
import { type HttpServer, serverOver } from '../../server-over.ts';
import { bearer, message, post } from './messages.ts';

const token = 'a-token-nobody-guesses';

let server: HttpServer;

beforeAll(async () => {
  server = await serverOver('http', { settings: { COMMERCE_HTTP_TOKENS: `alice:${token}` } });
});

const open = new Set(['/healthz', '/readyz']);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];
const paths = [
  ...['/mcp', '/', '/healthz', '/readyz', '/metrics'],
  ...['/mcp/', '//mcp', '/%6dcp', '/..%2f'],
];

/** Texts for a header, a tenth of them with characters that it may not hold. */
const hard = fc.string({ unit: 'binary-ascii', maxLength: 60 });
const headerText = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: hard.map((text) => text.replace(/[\r\n]/g, '')) },
);

const anyRequest = fc.record({
  method: fc.constantFrom(...methods),
  path: fc.oneof(
    fc.constantFrom(...paths),
    fc.array(anyText(9)).map((parts) => `/${parts.map(encodeURIComponent).join('/')}`),
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      ...['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
      ...['mcp-session-id', 'last-event-id', 'origin', 'x-forwarded-proto', 'cookie'],
    ),
    fc.oneof(
      headerText,
      fc.constantFrom('application/json', 'application/json, text/event-stream', '2026-07-28'),
    ),
  ),
  body: fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.json(),
    fc
      .record({
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
        method: fc.oneof(
          fc.string(),
          fc.constantFrom('initialize', 'tools/list', 'ping', 'resources/read', 'prompts/get'),
          fc.constantFrom('completion/complete', 'server/discover', 'notifications/cancelled'),
        ),
        params: fc.anything(),
      })
      .map((value) => JSON.stringify(value)),
  ),
});

type AnyRequest = typeof anyRequest extends fc.Arbitrary<infer Value> ? Value : never;

/** The status of an answer to a request as it goes over a socket; 0 when the line was cut. */
function send(given: AnyRequest, authorization: string | undefined): Promise<number> {
  const { host, hostname, port } = new URL(server.origin);
  const { method, path, headers, body } = given;
  const length = Buffer.byteLength(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    `content-length: ${length}`,
    'connection: close',
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
      // A stream that waits for changes would never end by itself.
      socket.destroySoon();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)));
  });
}

test('every method at every path is answered, and without a token with nothing to work with', async () => {
  for (const method of methods)
    for (const path of paths) {
      const bare = { method, path, headers: {}, body: '' };
      const statuses = [await send(bare, undefined), await send(bare, `Bearer ${token}`)];
      for (const status of statuses) expect([200, 400, 401, 404, 405, 415]).toContain(status);
      if (!open.has(path)) expect([400, 401], `${method} ${path}`).toContain(statuses[0]);
    }
});

/** The status of a request with some token or none; an answer that is open to all counts as refused. */
async function refusal(request: AnyRequest, authorization?: string): Promise<number> {
  const status = await send(request, authorization);
  const path = request.path.split('?')[0] ?? '';
  return open.has(path) && status < 500 ? 401 : status;
}

describe('whatever is sent', () => {
  const refused = [0, 400, 401, 403];

  test(
    'with a token is answered, and never with a failure of the server',
    () =>
      fuzz(
        'HTTP requests with a token',
        60,
        fc.asyncProperty(anyRequest, async (request) => {
          expect(await send(request, `Bearer ${token}`)).toBeLessThan(500);
        }),
      ),
    fuzzTimeoutMs,
  );

  test(
    'without a token, or with another text for one, is refused',
    () =>
      fuzz(
        'HTTP requests without a token',
        90,
        fc.asyncProperty(
          anyRequest,
          fc.option(headerText, { nil: undefined }),
          async (request, text) => {
            fc.pre(!text?.includes(token));
            expect(refused).toContain(await refusal(request, text));
          },
        ),
      ),
    fuzzTimeoutMs,
  );

  test('leaves the server as it was', async () => {
    expect((await post(server.url, message('ping'), bearer(token))).status).toBe(200);
    expect(await server.metric('commerce_mcp_queue_active', bearer(token))).toBe(0);
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
