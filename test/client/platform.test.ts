import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type ClientSettings, createClient } from '../../src/client/client.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { testSettings } from './scripted-server.ts';

let sandbox: Sandbox;
const clients: Client[] = [];

function clientOf(platform: Sandbox, settings: Partial<ClientSettings> = {}): Client {
  const { baseUrl, authUrl, clientId, clientSecret } = platform;
  const key = { baseUrl, authUrl, clientId, clientSecret };
  const client = createClient({ ...testSettings, ...key, ...settings }, { random: () => 0 });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  sandbox = await startSandbox({ quota: 100_000, ordersPerDay: 40, now: goingOn });
});

afterEach(async () => {
  sandbox.control.clearFaults();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => sandbox.close());

/** Tuesday 10 February 2026, from noon on. */
const goingOn = () => Date.parse('2026-02-10T12:00:00+01:00') + performance.now();

describe('on a real platform, a client', () => {
  test('brings 60 calls at once through a quota of 30 in a window of 2 s, with no 429', async () => {
    const small = await startSandbox({ quota: 30, windowSeconds: 2 });
    const client = clientOf(small, { maxWaitMs: 60_000, timeoutMs: 30_000 });
    try {
      const calls = Array.from({ length: 60 }, (_, i) =>
        client.get('/api/product', { query: { start: i, limit: 1 } }),
      );
      expect(await Promise.all(calls)).toHaveLength(60);
      expect(small.stats.byStatus).toEqual({ 200: 60 });
      expect(client.budget()).toMatchObject({ limit: 30, windowSeconds: 2, waiting: 0 });
    } finally {
      await small.close();
    }
  });

  test('drains what one page after the other holds', async () => {
    const client = clientOf(sandbox);
    const drained = await client.drain('/api/order', {
      endpoint: 'GET /api/order',
      query: { from: '2025-12-01', to: '2026-01-31' },
      pageSize: 100,
    });
    const ids: unknown[] = [];
    for (let start = 0; start < drained.total; start += 500) {
      const query = { from: '2025-12-01', to: '2026-01-31', start, limit: 500 };
      const { body } = await client.get('/api/order', { query });
      ids.push(...Object(body).data.map((row: { id: number }) => row.id));
    }
    expect(drained).toMatchObject({ complete: true, notes: [], total: ids.length });
    expect(drained.rows.map(({ id }) => id)).toEqual(ids);
    expect(ids.length).toBeGreaterThan(1000);
  });

  test('finds orders that are placed while it drains', async () => {
    const client = clientOf(sandbox);
    const query = { from: '2026-01-01', to: '2026-02-10' };
    let placed = 0;
    const drained = await client.drain('/api/order', {
      endpoint: 'GET /api/order',
      query,
      pageSize: 50,
      onProgress: () => {
        if (placed < 3) placed += Number(Boolean(sandbox.control.addOrder()));
      },
    });
    expect(drained.complete).toBe(true);
    expect(drained.rows).toHaveLength(drained.total);
    expect(new Set(drained.rows.map(({ id }) => id)).size).toBe(drained.total);
  });

  test.each(['order', 'product'])('follows the %s feed to its end', async (name) => {
    const client = clientOf(sandbox);
    const endpoint = `GET /api/${name}/delta`;
    const query = { since: '2026-01-01' };
    const options = { endpoint, query, pageSize: 100 };
    const followed = await client.follow(`/api/${name}/delta`, options);
    expect(followed).toMatchObject({ complete: true, hasMore: false });
    expect(new Set(followed.rows.map(({ id }) => id)).size).toBe(followed.rows.length);
    const cursor = followed.nextCursor;
    const rest = await client.follow(`/api/${name}/delta`, { ...options, query: { cursor } });
    expect(rest.complete).toBe(true);
    expect(rest.rows.length).toBeLessThanOrEqual(1);
  });

  test('takes a 429 without Retry-After for what its headers say: nothing before the reset', async () => {
    const client = clientOf(sandbox, { maxWaitMs: 0 });
    await client.get('/api/me');
    sandbox.control.inject('429=none:times=1');
    const error = await client.get('/api/shop').catch((caught) => caught);
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, attempts: 1 });
    expect(error.message).toMatch(/is used up; ask again in \d+ s\.$/);
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_100);
    expect(client.budget()).toMatchObject({ remaining: 0 });
  });
});
