import { describe, expect, test } from 'vitest';
import type { ClientEvent } from '../../../src/client/transport/runtime.ts';
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

  test.each<[string, Script, RegExp]>([
    [
      'HTML from a proxy',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<h1>Welcome\u202e!</h1>'),
      /is text\/html, not JSON: "<h1>Welcome\\u\{202e\}!<\/h1>"/,
    ],
    [
      'a bare number',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('42');
      },
      /neither an object nor a list/,
    ],
    [
      'lists within lists without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
      },
      /nested more than 64 levels deep: "\{"data":\[\[/,
    ],
  ])('types %s, and the next call works', async (_, script, text) => {
    let isNasty = true;
    await using server = await scripted((request, response, url) =>
      isNasty ? script(request, response, url) : json(response, 200, {}),
    );
    const client = server.client({}, { alarm: quickAlarm });
    const error = await client.get('/api/x').catch((caught) => caught);
    expect(error).toMatchObject({
      code: 'malformed_answer',
      endpoint: 'GET /api/x',
      attempts: 4,
    });
    expect(error.message).toMatch(text);
    expect(error.cause).toBeUndefined();
    isNasty = false;
    await client.get('/api/x');
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
