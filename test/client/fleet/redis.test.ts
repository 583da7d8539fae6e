import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Fleet, joinFleet, prefixOf } from '../../../src/client/fleet/fleet.ts';
import { openRedis, type Redis } from '../../../src/client/fleet/redis.ts';
import { openSharedCache } from '../../../src/client/fleet/shared-cache.ts';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';

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
      expect(name).toMatch(/^commerce-mcp:1:\{[0-9a-f]{24}\}:/);
      expect(name).not.toMatch(/acme|jansen/);
    }
  });

  test('lets ledgers of one key see each other, and none of another key', async () => {
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

  test('tells once of a ledger that is none of ours, and writes it anew', async () => {
    const account = { ...key, clientId: 'key_foreign.1' };
    const script = "redis.call('HSET', KEYS[1], 'stamp', 'x', 'text', ARGV[1]) return {}";
    await redis.run(script, [`${prefixOf(account)}ledger`], ['{"pace":{"inFlight":4000000000}}']);
    const told: string[] = [];
    const fleet = await join(account.clientId);
    fleet.onForeign((entry, reason) => void told.push(`${entry}: ${reason}`));
    expect(await fleet.limiter.acquire('interactive')).toMatchObject({ probe: true });
    expect(fleet.status()).toEqual({ state: 'shared', replicas: 1 });
    expect(told).toEqual(['ledger: not of the expected form']);
  });

  test('gives values back as JSON would, under their own prefix', async () => {
    const cache = openSharedCache({ redis, prefix: '{a}:', maxBytes: 1e6, maxValues: 10 });
    const value = { rows: [{ id: 1, name: 'Crème ☕', total_wt: 0.1, gone: null }] };
    expect(await cache.put('r_1', value, 60_000, { label: 'label' })).toBe(true);
    expect(await cache.get('r_1', asIs)).toEqual(value);
    expect(await cache.get('r_2', asIs)).toBeUndefined();
    expect(await cache.list()).toEqual(new Map([['r_1', 'label']]));
    const elsewhere = openSharedCache({ redis, prefix: '{b}:', maxBytes: 1e6, maxValues: 10 });
    expect(await elsewhere.get('r_1', asIs)).toBeUndefined();
  });

  test('lets the oldest values make room, by number and by size', async () => {
    const cache = openSharedCache({ redis, prefix: '{c}:', maxBytes: 300, maxValues: 3 });
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) await cache.put(name, at, 60_000 + at);
    expect([...(await cache.list()).keys()]).toEqual(['d', 'c', 'b']);
    const noise = (length: number) => Array.from({ length }, () => Math.random());
    expect(await cache.put('e', noise(20), 70_000)).toBe(true);
    expect((await cache.list()).size).toBeLessThan(4);
    expect(await cache.put('f', noise(200), 60_000)).toBe(false);
    expect(await cache.get('e', asIs)).toBeDefined();
  });

  test('lets those who keep the most make room, and nobody else', async () => {
    const cache = openSharedCache({ redis, prefix: '{f}:', maxBytes: 1e6, maxValues: 6 });
    await cache.put('ann', 1, 60_000, { owner: 'ann' });
    for (let at = 0; at < 20; at += 1) await cache.put(`b${at}`, at, 60_000 + at, { owner: 'bob' });
    for (let at = 0; at < 20; at += 1) await cache.put(`c${at}`, at, 61_000 + at, { owner: 'cas' });
    const names = [...(await cache.list()).keys()];
    expect(names).toContain('ann');
    expect(names.filter((name) => name.startsWith('b')).length).toBeGreaterThanOrEqual(2);
    expect(names.length).toBe(6);
  });

  test.each<[string, Buffer, string]>([
    ['no gzip', Buffer.from('{"a":1}'), 'cannot be unpacked'],
    ['cut-off gzip', gzipSync('{"a":1}').subarray(0, 12), 'cannot be unpacked'],
    ['no JSON', gzipSync('{"a":'), 'cannot be unpacked'],
    [
      'what unpacks to more than any entry',
      Buffer.concat(Array(140).fill(gzipSync(Buffer.alloc(2 ** 20)))),
      'cannot be unpacked',
    ],
    ['more than all entries together', Buffer.alloc(1_100_000), 'too large'],
    ['another form', gzipSync('[1]'), 'not of the expected form'],
  ])('takes %s for nothing, and says so once', async (_, bytes, reason) => {
    const told: string[] = [];
    const onForeign = (name: string, why: string) => void told.push(`${name}: ${why}`);
    const settings = { redis, prefix: '{g}:', maxBytes: 1e6, maxValues: 10, onForeign };
    const cache = openSharedCache(settings);
    await redis.run("redis.call('SET', KEYS[1], ARGV[1]) return {}", ['{g}:value:x'], [bytes]);
    const readObject = (value: unknown) => (isRecord(value) ? value : undefined);
    expect(await cache.get('x', readObject)).toBeUndefined();
    expect(await cache.get('x', readObject)).toBeUndefined();
    expect(told).toEqual([`x: ${reason}`]);
  });

  test('lets values expire, and forgets their names', async () => {
    const cache = openSharedCache({ redis, prefix: '{d}:', maxBytes: 1e6, maxValues: 10 });
    await cache.put('short', 1, 1);
    await expect.poll(() => cache.get('short', asIs)).toBeUndefined();
    expect((await cache.list()).size).toBe(0);
  });

  test('stores repeated rows in a tenth of their size', async () => {
    const cache = openSharedCache({ redis, prefix: '{e}:', maxBytes: 40_000, maxValues: 10 });
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, status: 'complete', shop_id: 3 }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(200_000);
    expect(await cache.put('rows', rows, 60_000)).toBe(true);
    expect(await cache.get('rows', asIs)).toEqual(rows);
  });
});

/** Takes any value for one of ours. */
function asIs(value: unknown): unknown {
  return value;
}

describe('without any Redis', () => {
  test('joins alone, in bounded time, with shelves that are empty', async () => {
    const fleet = await joinFleet({ ...key, redisUrl: 'redis://127.0.0.1:1' });
    onTestFinished(fleet.close);
    expect(fleet.status()).toEqual({ state: 'alone', replicas: 4 });
    expect(await fleet.limiter.acquire('interactive')).toMatchObject({ probe: true });
    expect(await fleet.results.put('r_1', {}, 1000)).toBe(false);
    expect(await fleet.results.get('r_1', asIs)).toBeUndefined();
    expect(await fleet.results.list()).toEqual(new Map());
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
