import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { type Fleet, joinFleet, prefixOf } from '../../../src/client/fleet/fleet.ts';
import { openRedis, type Redis } from '../../../src/client/fleet/redis.ts';
import { openSharedValues } from '../../../src/client/fleet/shared-values.ts';
import { isRecord } from '../../../src/core/json.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';
import { testSettings } from '../scripted-server.ts';

const key = { baseUrl: 'https://api.example.com', clientId: 'key_acme.1' };

describe.skipIf(missingRedis)('a real Redis (needs redis-server)', () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await startRedis();
    redis = openRedis(server.url);
    await redis.settled;
  });

  afterAll(async () => {
    redis.close();
    await server.close();
  });

  async function join(clientId = key.clientId): Promise<Fleet> {
    const fleet = await joinFleet({ ...key, clientId, redisUrl: server.url });
    onTestFinished(fleet.close);
    return fleet;
  }

  async function keys(): Promise<string[]> {
    const found = await redis.run("return redis.call('KEYS', '*')", [], []);
    return found.map(String).sort();
  }

  test('holds nothing under a name or in a value that gives the key away', async () => {
    const fleet = await join('key_acme.secretive');
    await fleet.limiter.acquire('interactive');
    await fleet.answers.put('/api/customer?q=jansen', { body: {}, readAtMs: 1, size: 2 }, 60_000);
    const names = await keys();
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      expect(name).toMatch(/^commerce-mcp:2:\{[0-9a-f]{24}\}:/);
      expect(name).not.toMatch(/acme|jansen/);
    }
  });

  test('lets replicas on one key see each other, and none on another key', async () => {
    const [one, two, other] = [await join(), await join(), await join('key_other.1')];
    await Promise.all([one, two].map(({ limiter }) => limiter.acquire('interactive')));
    expect(two.status()).toEqual({ state: 'shared', replicas: 2 });
    expect(other.status()).toEqual({ state: 'shared', replicas: 1 });
  });

  test('grants one probe to two replicas that know nothing', async () => {
    const [one, two] = [await join('key_new.1'), await join('key_new.1')];
    const permits = await Promise.all([
      one.limiter.acquire('interactive'),
      two.limiter.acquire('interactive'),
    ]);
    expect(permits.filter((permit) => permit !== undefined)).toHaveLength(1);
  });

  test('tells every replica what one of them has learnt, with what is under way taken off', async () => {
    const [one, two] = [await join('key_told.1'), await join('key_told.1')];
    const probe = await one.limiter.acquire('interactive');
    const report = { limit: 30, remaining: 12, resetSeconds: 40, windowSeconds: 60, ceilings: [] };
    if (probe) one.limiter.release(probe, { kind: 'answered', status: 200, report });
    for (let turn = 0; turn < 12; turn++)
      expect(await two.limiter.acquire('interactive')).toMatchObject({ isProbe: false });
    expect(await one.limiter.acquire('interactive')).toBeUndefined();
    expect(one.limiter.view()).toMatchObject({ limit: 30, remaining: 0, windowSeconds: 60 });
    expect(two.limiter.view()?.resetsInSeconds).toBeGreaterThan(35);
  });

  test('keeps a tenth of the window from drains, for interactive calls of any replica', async () => {
    const [one, two] = [await join('key_reserve.1'), await join('key_reserve.1')];
    const probe = await one.limiter.acquire('drain');
    const report = { limit: 30, remaining: 5, resetSeconds: 60, windowSeconds: 60, ceilings: [] };
    if (probe) one.limiter.release(probe, { kind: 'answered', status: 200, report });
    const draining = [await one.limiter.acquire('drain'), await two.limiter.acquire('drain')];
    expect(draining.every((permit) => permit)).toBe(true);
    expect(await two.limiter.acquire('drain')).toBeUndefined();
    expect(await two.limiter.acquire('interactive')).toBeDefined();
  });

  test('keeps half of the window from the background of any replica, more at its beginning', async () => {
    const [one, two] = [await join('key_background.1'), await join('key_background.1')];
    const learn = async (remaining: number, resetSeconds: number) => {
      const probe = await one.limiter.acquire('interactive');
      const report = { limit: 30, remaining, resetSeconds, windowSeconds: 60, ceilings: [] };
      if (probe) one.limiter.release(probe, { kind: 'answered', status: 200, report });
    };
    await learn(29, 60);
    expect(await two.limiter.acquire('background')).toBeUndefined();
    await learn(27, 40);
    expect(await two.limiter.acquire('background')).toBeDefined();
    expect(await one.limiter.acquire('background')).toBeDefined();
    expect(await two.limiter.acquire('background')).toBeUndefined();
    expect(await two.limiter.acquire('drain')).toBeDefined();
  });

  test('is not stopped by a budget of another type', async () => {
    const account = { ...key, clientId: 'key_foreign.1' };
    const script = "redis.call('SET', KEYS[1], 'x') return {}";
    await redis.run(script, [`${prefixOf(account)}budget`], []);
    const fleet = await join(account.clientId);
    await fleet.limiter.acquire('interactive');
    expect(fleet.status()).toEqual({ state: 'shared', replicas: 1 });
  });

  test('gives values back as JSON would, under their own prefix, until they expire', async () => {
    const values = openSharedValues({ redis, prefix: '{a}:', maxBytes: 1e6 });
    const value = { rows: [{ id: 1, name: 'Crème ☕', total_wt: 0.1, gone: null }] };
    await values.put('r_1', value, 60_000);
    expect(await values.get('r_1', asIs)).toEqual(value);
    expect(await values.get('r_3', asIs)).toBeUndefined();
    const elsewhere = openSharedValues({ redis, prefix: '{b}:', maxBytes: 1e6 });
    expect(await elsewhere.get('r_1', asIs)).toBeUndefined();
    await elsewhere.put('short', 1, 1);
    await expect.poll(() => elsewhere.get('short', asIs)).toBeUndefined();
  });

  test('keeps no value beyond the bound, but rows that repeat take a tenth of their size', async () => {
    const values = openSharedValues({ redis, prefix: '{c}:', maxBytes: 40_000 });
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, status: 'complete', shop_id: 3 }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(200_000);
    await values.put('rows', rows, 60_000);
    expect(await values.get('rows', asIs)).toEqual(rows);
    const noise = Array.from({ length: 10_000 }, () => Math.random());
    await values.put('noise', noise, 60_000);
    expect(await values.get('noise', asIs)).toBeUndefined();
  });

  test.each<[string, Buffer]>([
    ['no gzip', Buffer.from('{"a":1}')],
    ['cut-off gzip', gzipSync('{"a":1}').subarray(0, 12)],
    ['no JSON', gzipSync('{"a":')],
    [
      'what unpacks to more than any entry',
      Buffer.concat(Array(140).fill(gzipSync(Buffer.alloc(2 ** 20)))),
    ],
    ['more than any entry', Buffer.alloc(1_100_000)],
    ['another form', gzipSync('[1]')],
  ])('takes %s for nothing', async (_, bytes) => {
    const values = openSharedValues({ redis, prefix: '{g}:', maxBytes: 1e6 });
    await redis.run("redis.call('SET', KEYS[1], ARGV[1]) return {}", ['{g}:value:x'], [bytes]);
    const readObject = (value: unknown) => (isRecord(value) ? value : undefined);
    expect(await values.get('x', readObject)).toBeUndefined();
  });
});

describe.skipIf(missingRedis)('clients of one key on a real Redis (needs redis-server)', () => {
  async function openClients(sandbox: Sandbox, redisUrl: string, count: number) {
    const { baseUrl, authUrl, clientId, clientSecret } = sandbox;
    const account = { baseUrl, authUrl, clientId, clientSecret };
    return Promise.all(
      Array.from({ length: count }, async () => {
        const fleet = await joinFleet({ redisUrl, baseUrl, clientId });
        const settings = { ...testSettings, ...account, maxWaitMs: 600_000, timeoutMs: 30_000 };
        const client = createClient(settings, {}, fleet);
        const close = async () => {
          await client.close();
          await fleet.close();
        };
        onTestFinished(close);
        return { client, fleet };
      }),
    );
  }

  test('bring 120 calls through a quota of 40 in 3 seconds without one 429', async () => {
    const server = await startRedis();
    const sandbox = await startSandbox({ quota: 40, windowSeconds: 3, latencyMs: 20 });
    onTestFinished(() => server.close());
    onTestFinished(() => sandbox.close());
    const replicas = await openClients(sandbox, server.url, 4);
    const calls = replicas.flatMap(({ client }, replica) =>
      Array.from({ length: 30 }, (_, start) =>
        client.get('/api/product', { query: { start: start + 30 * replica, limit: 1 } }),
      ),
    );
    expect(await Promise.all(calls)).toHaveLength(120);
    expect(sandbox.stats.refused).toBe(0);
  }, 60_000);

  test('go on while Redis is away, and share again when it is back', async () => {
    const server = await startRedis();
    const sandbox = await startSandbox({ quota: 40, windowSeconds: 3, latencyMs: 20 });
    onTestFinished(() => server.close());
    onTestFinished(() => sandbox.close());
    const replicas = await openClients(sandbox, server.url, 2);
    const ask = (from: number) =>
      replicas.flatMap(({ client }, replica) =>
        Array.from({ length: 50 }, (_, start) =>
          client.get('/api/product', { query: { start: from + start + 50 * replica, limit: 1 } }),
        ),
      );
    const first = Promise.all(ask(0));
    await expect.poll(() => sandbox.stats.requests).toBeGreaterThan(20);
    await server.kill();
    expect(await first).toHaveLength(100);
    expect(replicas.map(({ fleet }) => fleet.status())).toEqual(
      Array(2).fill({ state: 'alone', replicas: 2 }),
    );
    const second = Promise.all(ask(100));
    await server.start();
    expect(await second).toHaveLength(100);
    await expect
      .poll(() => replicas.map(({ fleet }) => fleet.status()), { timeout: 10_000 })
      .toEqual(Array(2).fill({ state: 'shared', replicas: 2 }));
    // What had left elsewhere when Redis went is known to nobody for a moment.
    expect(sandbox.stats.refused).toBeLessThanOrEqual(8);
  }, 60_000);
});

/** Takes any value for one of ours. */
function asIs(value: unknown): unknown {
  return value;
}

describe('without any Redis', () => {
  test('joins alone, in bounded time, with shared values that are empty', async () => {
    const fleet = await joinFleet({ ...key, redisUrl: 'redis://127.0.0.1:1' });
    onTestFinished(fleet.close);
    expect(fleet.status()).toEqual({ state: 'alone', replicas: 4 });
    expect(await fleet.limiter.acquire('interactive')).toMatchObject({ isProbe: true });
    await fleet.results.put('r_1', {}, 1000);
    expect(await fleet.results.get('r_1', asIs)).toBeUndefined();
  });
});

describe('prefixOf', () => {
  test.each([
    [{ ...key, clientId: 'key_acme.2' }],
    [{ ...key, baseUrl: 'https://other.example.com' }],
  ])('tells %j from another key', (other) => {
    expect(prefixOf(other)).not.toBe(prefixOf(key));
    expect(prefixOf(key)).toBe(prefixOf({ ...key }));
  });
});
