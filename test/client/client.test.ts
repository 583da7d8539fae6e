import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { SharedValues } from '../../src/client/request/get.ts';
import { settings, world } from './fake-world.ts';
import { json, scripted } from './scripted-server.ts';

describe('a client', () => {
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
  });

  test('keeps an answer as long as asked, and says that it is kept', async () => {
    const { clock, client } = world();
    const ask = (cacheForMs: number) => clock.run(client.get('/api/shop', { cacheForMs }));
    const first = await ask(300_000);
    await clock.advance(200_000);
    expect(await ask(300_000)).toEqual({ ...first, cached: true });
    expect(await ask(100_000)).toMatchObject({ cached: false });
  });

  test('asks anew for a list that lacks rows, though its page was cached in this millisecond', async () => {
    let list = [{ id: 1 }];
    const answer = ({ searchParams }: URL) => {
      const page = { total: 2, data: list.slice(Number(searchParams.get('start'))) };
      list = [{ id: 2 }, { id: 1 }];
      return page;
    };
    const { clock, client } = world({ latencyMs: () => [0, 0], answer });
    const options = { endpoint: 'GET /api/order', pageSize: 10, cacheForMs: 60_000 };
    const { rows, complete } = await clock.run(client.readAllPages('/api/order', options));
    expect({ rows, complete }).toEqual({ rows: list, complete: true });
  });

  test('ends the upstream request when its only caller cancels, and frees its place', async () => {
    const states: string[] = [];
    await using server = await scripted((_, response) => {
      states.push('arrived');
      response.on('close', () => states.push('closed'));
    });
    const client = server.client({ concurrency: 1 });
    const caller = new AbortController();
    const ends = Promise.allSettled(
      ['x', 'y'].map((name) => client.get(`/api/${name}`, { signal: caller.signal })),
    );
    await expect.poll(() => states).toEqual(['arrived']);
    expect(client.load()).toEqual({ inFlight: 1, waiting: 1 });
    caller.abort();
    expect(await ends).toMatchObject(Array(2).fill({ reason: { code: 'cancelled' } }));
    await expect.poll(() => states).toEqual(['arrived', 'closed']);
    expect(client.load()).toEqual({ inFlight: 0, waiting: 0 });
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
});

/** Two clients of one platform that share their cached answers, and what they share. */
function replicas() {
  const { clock, platform } = world();
  const held = new Map<string, unknown>();
  const answers: SharedValues = {
    get: async (name, read) => (held.has(name) ? read(held.get(name)) : undefined),
    put: async (name, reading) => void held.set(name, reading),
    remove: async (name) => void held.delete(name),
    trouble: async () => undefined,
  };
  const open = () => createClient(settings, platform.runtime(), undefined, answers);
  return { clock, held, one: open(), two: open() };
}

const cacheForMs = 60_000;

describe('answers that replicas share', () => {
  test('are found by each, under names that hold no question', async () => {
    const { clock, held, one, two } = replicas();
    const question = () => ({ query: { q: 'jansen' }, cacheForMs });
    await clock.run(one.get('/api/customer', question()));
    expect(await clock.run(two.get('/api/customer', question()))).toMatchObject({
      cached: true,
    });
    expect([...held.keys()].join()).not.toContain('jansen');
  });

  test('are kept by the replica that found them, for the rest of their time', async () => {
    const { clock, held, one, two } = replicas();
    const ask = (client: typeof one) => clock.run(client.get('/api/shop', { cacheForMs }));
    await ask(one);
    await clock.advance(cacheForMs / 2);
    await ask(two);
    held.clear();
    expect(await ask(two)).toMatchObject({ cached: true });
    await clock.advance(cacheForMs / 2);
    expect(await ask(one)).toMatchObject({ cached: false });
    expect(await ask(two)).toMatchObject({ cached: true });
  });

  test.each([
    ['what is no answer', () => 'foreign'],
    ['a body that is none', () => ({ body: 5, readAtMs: 1, size: 1 })],
    ['an old one', (now: number) => ({ body: {}, readAtMs: now - cacheForMs, size: 2 })],
    ['one from days ahead', (now: number) => ({ body: {}, readAtMs: now + 1e8, size: 2 })],
  ])('are not believed: %s', async (_, given) => {
    const { clock, held, one, two } = replicas();
    await clock.run(one.get('/api/shop', { cacheForMs }));
    for (const name of held.keys()) held.set(name, given(clock.now()));
    const answered = await clock.run(two.get('/api/shop', { cacheForMs }));
    expect(answered).toMatchObject({ cached: false, body: { data: [] } });
  });
});
