import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { world } from './fake-world.ts';
import { json, scripted } from './scripted-server.ts';

describe('a client', () => {
  test('asks with the token and hands on the body as given', async () => {
    await using server = await scripted((request, response) =>
      json(response, 200, { asked: request.headers.authorization }, { 'x-request-id': 'trace-1' }),
    );
    const nowMs = Date.UTC(2026, 2, 14, 9);
    const answer = await server.client({}, { now: () => nowMs }).get('/api/me');
    expect(answer).toMatchObject({
      body: { asked: 'Bearer token-1' },
      cached: false,
      traceId: 'trace-1',
      readAtMs: nowMs,
    });
  });

  test('joins a base address with a path of its own, and encodes the query', async () => {
    await using server = await scripted((_, response) => json(response, 200, {}));
    const client = server.client({ baseUrl: `${server.origin}/shop/` });
    await client.get('/api/customer', { query: { q: 'a&b=ü/é', start: 0, segment_id: undefined } });
    expect(server.seen).toEqual(['GET /shop/api/customer?q=a%26b%3D%C3%BC%2F%C3%A9&start=0']);
  });

  test('lets identical questions share one answer', async () => {
    await using server = await scripted((_, response) => json(response, 200, { n: 1 }));
    const client = server.client();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => client.get('/api/shop', { query: { a: 1, b: 2 } })),
    );
    await client.get('/api/shop', { query: { b: 2, a: 1 } });
    expect(answers.map(({ body }) => body)).toEqual(Array(5).fill({ n: 1 }));
    expect(server.seen).toHaveLength(2);
    const endpoint = 'GET /api/shop';
    const coalesced = { event: 'shared', endpoint, from: 'flight' };
    const shared = server.events.filter(({ event }) => event === 'shared');
    expect(shared).toEqual(Array(4).fill(coalesced));
    expect(server.events.filter(({ event }) => event === 'request')).toMatchObject(
      Array(2).fill({ endpoint, status: 200 }),
    );
  });

  test('keeps an answer as long as asked, and says that it is kept', async () => {
    await using server = await scripted((_, response) => json(response, 200, {}));
    let later = 0;
    const client = server.client(
      {},
      { now: () => Date.now() + later, elapsed: () => performance.now() + later },
    );
    const ask = () => client.get('/api/shop', { cacheForMs: 300_000 });
    const first = await ask();
    later = 299_000;
    expect(await ask()).toEqual({ ...first, cached: true });
    expect((await client.get('/api/shop')).cached).toBe(false);
    later = 200_000;
    expect((await client.get('/api/shop', { cacheForMs: 100_000 })).cached).toBe(false);
    later = 501_000;
    expect((await ask()).cached).toBe(false);
    expect(server.seen).toHaveLength(4);
    const hit = { event: 'shared', endpoint: 'GET /api/shop', from: 'cache' };
    expect(server.events.filter(({ event }) => event === 'shared')).toEqual([hit]);
  });

  test.each([{ data: null }, {}, { data: 'none' }])(
    'takes %j for malformed where rows have to be: asks again, and keeps it not',
    async (spoilt) => {
      const answers: unknown[] = [spoilt, { data: [1] }];
      const { clock, client } = world({ answer: () => answers.shift() ?? spoilt });
      const shops = { holdsRows: true, cacheForMs: 60_000 };
      expect((await clock.run(client.get('/api/shop', shops))).body).toEqual({ data: [1] });
      await expect(clock.run(client.get('/api/location', shops))).rejects.toMatchObject({
        code: 'malformed_answer',
        message: 'GET /api/location answered without a list of rows in "data".',
        attempts: 4,
      });
      answers.push([]);
      expect(await clock.run(client.get('/api/location', shops))).toMatchObject({
        body: [],
        cached: false,
      });
    },
  );

  test('ends the upstream request when its only caller cancels', async () => {
    const states: string[] = [];
    await using server = await scripted((_, response) => {
      states.push('arrived');
      response.on('close', () => states.push('closed'));
    });
    const client = server.client();
    const caller = new AbortController();
    const call = client.get('/api/x', { signal: caller.signal });
    await expect.poll(() => states).toEqual(['arrived']);
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => states).toEqual(['arrived', 'closed']);
    expect(client.load()).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('goes on for the others when one of several callers cancels', async () => {
    const arrived: ServerResponse[] = [];
    await using server = await scripted((_, response) => void arrived.push(response));
    const client = server.client();
    const caller = new AbortController();
    const leaving = client.get('/api/x', { signal: caller.signal });
    const staying = client.get('/api/x');
    await expect.poll(() => arrived.length).toBe(1);
    caller.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    for (const response of arrived) json(response, 200, { fine: true });
    expect((await staying).body).toEqual({ fine: true });
  });

  test('frees the place in the queue of a caller who cancels', async () => {
    await using server = await scripted(() => {});
    const client = server.client({ concurrency: 1 });
    const stays = client.get('/api/a').catch((error) => error);
    const caller = new AbortController();
    const leaves = client.get('/api/b', { signal: caller.signal });
    await expect.poll(() => client.load().waiting).toBe(1);
    caller.abort();
    await expect(leaves).rejects.toMatchObject({ code: 'cancelled' });
    expect(client.load().waiting).toBe(0);
    await client.close();
    expect(await stays).toMatchObject({ code: 'cancelled' });
  });

  test('refuses more waiting requests than its bound', async () => {
    await using server = await scripted(() => {});
    const client = server.client({ concurrency: 1, maxQueued: 2 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => client.get(`/api/${name}`));
    const ends = Promise.allSettled(calls);
    await expect(Promise.race([calls[3], calls[4]])).rejects.toMatchObject({ code: 'overloaded' });
    await client.close();
    expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('answers nothing any more once it is closed', async () => {
    await using server = await scripted((_, response) => json(response, 200, {}));
    const client = server.client();
    await client.close();
    await expect(client.get('/api/x')).rejects.toMatchObject({ code: 'cancelled' });
    await client.close();
  });

  test('asks for the description without a token, and with one where that is refused', async () => {
    const asked: (string | undefined)[] = [];
    await using server = await scripted((request, response) => {
      asked.push(request.headers.authorization);
      json(response, request.headers.authorization ? 200 : 401, { openapi: '3.0.0' });
    });
    expect(await server.client().openapi()).toEqual({ openapi: '3.0.0' });
    expect(asked).toEqual([undefined, 'Bearer token-1']);
    expect(server.seen[0]).toBe('GET /openapi.json');
  });

  test('asks for the description once, however it fails', async () => {
    await using server = await scripted((_, response) => json(response, 502, {}));
    await expect(server.client().openapi()).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(server.seen).toHaveLength(1);
  });

  test('tells the doctor about a fresh exchange', async () => {
    await using server = await scripted(() => {});
    const client = server.client({}, { now: () => Date.now() - 3_600_000 });
    const check = await client.checkExchange();
    expect(check).toMatchObject({
      expiresInSeconds: 3600,
    });
    expect(Math.round((check.clockSkewSeconds ?? 0) / 60)).toBe(60);
  });

  test('keeps its connections', async () => {
    const ports = new Set<number | undefined>();
    await using server = await scripted((request, response) => {
      ports.add(request.socket.remotePort);
      json(response, 200, {});
    });
    const client = server.client();
    for (let i = 0; i < 20; i++) await client.get(`/api/order/${i}`);
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});
