import { describe, expect, test } from 'vitest';
import type { ClientEvent, Runtime } from '../../../src/client/transport/runtime.ts';
import { PlatformError } from '../../../src/core/errors.ts';
import { json, quickAlarm, type Script, scripted } from '../scripted-server.ts';

const problem: Script = (_, response) =>
  json(
    response,
    400,
    {
      type: 'https://example.com/bad-date',
      title: 'Bad Request',
      status: 400,
      detail: '"from" is no date',
      trace_id: 'trace-7',
    },
    { 'content-type': 'application/problem+json', 'x-request-id': 'trace-7' },
  );

describe('a call', () => {
  test('keeps every member of a problem document, and where it happened', async () => {
    await using server = await scripted(problem);
    const error = await server
      .client()
      .get('/api/order/12')
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({
      code: 'bad_request',
      status: 400,
      endpoint: 'GET /api/order/{id}',
      attempts: 1,
      message: 'GET /api/order/{id} answered 400: "from" is no date (trace_id trace-7)',
      problem: {
        type: 'https://example.com/bad-date',
        title: 'Bad Request',
        detail: '"from" is no date',
        traceId: 'trace-7',
      },
    });
  });

  test.each([
    [400, 'bad_request'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [418, 'upstream_failed'],
  ])('asks once when the answer is %i', async (status, code) => {
    await using server = await scripted((_, response) => json(response, status, {}));
    await expect(server.client().get('/api/x')).rejects.toMatchObject({ code, status });
    expect(server.seen).toHaveLength(1);
  });

  test.each([500, 502, 503, 504])('asks again after a %i', async (status) => {
    await using server = await scripted((_, response) =>
      json(response, server.seen.length < 3 ? status : 200, {}),
    );
    await server.client({}, { alarm: quickAlarm }).get('/api/x');
    expect(server.seen).toHaveLength(3);
  });

  test('gives up after three retries and says how often it asked', async () => {
    await using server = await scripted((_, response) => json(response, 502, { detail: 'down' }));
    const error = await server
      .client({ maxWaitMs: 9000 }, { alarm: quickAlarm })
      .get('/api/x')
      .catch((caught) => caught);
    expect(error).toMatchObject({ code: 'upstream_failed', status: 502, attempts: 4 });
    expect(server.seen).toHaveLength(4);
  });

  test.each<[string, Script, string, RegExp]>([
    ['an empty body', (_, response) => response.end(), 'malformed_answer', /is empty/],
    [
      'HTML from a proxy',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<h1>Welcome\u202e!</h1>'),
      'malformed_answer',
      /is text\/html, not JSON: "<h1>Welcome\\u\{202e\}!<\/h1>"/,
    ],
    [
      'JSON that stops short',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"data":[1,2');
      },
      'malformed_answer',
      /cut off or no JSON/,
    ],
    [
      'a body that ends before its length',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"data":[1,2', () => response.destroy());
      },
      'malformed_answer',
      /cut off after 12 bytes/,
    ],
    [
      'text that is no UTF-8',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(Buffer.from([0x22, 0xff, 0x22]));
      },
      'malformed_answer',
      /not UTF-8/,
    ],
    [
      'a bare number',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('42');
      },
      'malformed_answer',
      /neither an object nor a list/,
    ],
    [
      'lists within lists without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
      },
      'malformed_answer',
      /nested more than 64 levels deep: "\{"data":\[\[/,
    ],
    ['a reset', (request) => void request.socket.resetAndDestroy(), 'unreachable', /reset|closed/],
    [
      'HTML with a 503',
      (_, response) => void response.writeHead(503, { 'content-type': 'text/html' }).end('<b>busy'),
      'upstream_failed',
      /answered 503: <b>busy/,
    ],
  ])('types %s, and the next call works', async (_, script, code, text) => {
    let isNasty = true;
    await using server = await scripted((request, response, url) =>
      isNasty ? script(request, response, url) : json(response, 200, {}),
    );
    const client = server.client({}, { alarm: quickAlarm });
    const error = await client.get('/api/x').catch((caught) => caught);
    expect(error).toMatchObject({ code, endpoint: 'GET /api/x', attempts: 4 });
    expect(error.message).toMatch(text);
    expect(error.cause).toBeUndefined();
    isNasty = false;
    await client.get('/api/x');
  });

  test('says that nothing answers where nothing listens', async () => {
    await using server = await scripted(() => {});
    const client = server.client({ baseUrl: 'http://127.0.0.1:1' }, { alarm: quickAlarm });
    await expect(client.get('/api/x')).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/nothing answers \(ECONNREFUSED\) at http:\/\/127/),
    });
  });

  test('reads no further than the bound', async () => {
    let isClosed = false;
    await using server = await scripted((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
      };
      response.on('drain', more).on('close', () => {
        isClosed = true;
      });
      more();
    });
    await expect(server.client({ maxBodyBytes: 1_000_000 }).get('/api/x')).rejects.toMatchObject({
      code: 'too_large',
    });
    await expect.poll(() => isClosed).toBe(true);
    expect(server.seen).toHaveLength(1);
  });

  test('ends a dripping body at its deadline, and with its caller’s patience', async () => {
    await using server = await scripted((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    const client = server.client({ timeoutMs: 60, maxWaitMs: 10_000 }, { alarm: hurried });
    await expect(client.get('/api/x')).rejects.toMatchObject({ code: 'timeout', attempts: 4 });
    expect(client.load()).toEqual({ inFlight: 0, waiting: 0 });
    expect(server.events.filter(({ event }) => event === 'retry')).toHaveLength(3);
  });

  test('follows no redirect, and takes neither token nor question there', async () => {
    await using elsewhere = await scripted((_, response) => json(response, 200, {}));
    await using server = await scripted((_, response) => {
      response.writeHead(302, { location: `${elsewhere.origin}/api/me?token=x` });
      response.end();
    });
    const error = await server
      .client()
      .get('/api/me')
      .catch((caught) => caught);
    expect(error).toMatchObject({ code: 'redirected', status: 302 });
    expect(error.message).toContain(`a redirect to ${elsewhere.origin}, which is not followed`);
    expect(elsewhere.seen).toEqual([]);
  });

  test('never repeats a token or secret that an answer echoes', async () => {
    await using server = await scripted((request, response) => {
      const { authorization } = request.headers;
      json(response, server.seen.length === 1 ? 400 : 200, { detail: `bad ${authorization}` });
    });
    const events: ClientEvent[] = [];
    const client = server.client({}, { log: (event) => events.push(event) });
    const error = await client.get('/api/x', { query: { q: 'private' } }).catch((caught) => caught);
    expect(error.message).toContain('bad Bearer ***');
    const everything = JSON.stringify([error, error.message, error.problem, events]);
    expect(everything).not.toMatch(/token-1|the-secret-of-acme|private/);
  });
});

/** Deadlines take their time; waits between attempts do not, and the queue's are never over. */
const hurried: Runtime['alarm'] = (ms, ring) => {
  if (ms > 5000) return () => {};
  const timer = setTimeout(ring, ms > 60 ? 0 : ms);
  return () => clearTimeout(timer);
};
