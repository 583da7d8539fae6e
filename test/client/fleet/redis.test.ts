import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Fleet, joinFleet, prefixOf } from '../../../src/client/fleet/fleet.ts';
import { openRedis, openSharedValues, type Redis } from '../../../src/client/fleet/redis.ts';
import { isRecord } from '../../../src/core/json.ts';
import { missingRedis, type RedisServer, startRedis } from '../../redis-server.ts';

const baseUrl = 'https://api.example.com';

/** Takes any value for one of ours. */
const asIs = (value: unknown) => value;

/** Sends one request of a replica, whose answer tells of a quota of 30 a minute. */
async function learn({ budget }: Fleet, remaining: number, resetMs = 60_000): Promise<void> {
  const permit = await budget.acquire({ priority: 'interactive' });
  const report = { limit: 30, remaining, resetMs, windowMs: 60_000, ceilings: [] };
  if (permit)
    budget.release(permit, { kind: 'answered', status: 200, report, retryAfterMs: undefined });
}

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

  async function join(clientId: string): Promise<Fleet> {
    const fleet = await joinFleet({ baseUrl, clientId, redisUrl: server.url });
    onTestFinished(fleet.close);
    return fleet;
  }

  const joinBoth = (clientId: string) => Promise.all([join(clientId), join(clientId)]);

  test('holds nothing under a name that gives the key away', async () => {
    const fleet = await join('key_acme.secretive');
    await fleet.budget.acquire({ priority: 'interactive' });
    await fleet.results.put('r_1', {}, 60_000);
    for (const name of ['a', 'b']) await fleet.answers.put(name, {}, 60_000);
    const names = String(await redis.call('KEYS', '*')).split(',');
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) expect(name).toMatch(/^commerce-mcp:4:[0-9a-f]{24}:(?!.*acme)/);
  });

  test('grants five requests to two replicas that know nothing', async () => {
    const both = await joinBoth('key_new.1');
    const asked = [...both, ...both, ...both, ...both];
    const permits = await Promise.all(
      asked.map(({ budget }) => budget.acquire({ priority: 'interactive' })),
    );
    expect(permits.filter((permit) => permit !== undefined)).toHaveLength(5);
  });

  test('tells every replica on a key what one has learnt, with what is under way taken off', async () => {
    const [one, two] = await joinBoth('key_told.1');
    await learn(one, 12, 40_000);
    for (let turn = 0; turn < 12; turn++)
      expect(await two.budget.acquire({ priority: 'interactive' })).toMatchObject({
        isProbe: false,
      });
    expect(await one.budget.acquire({ priority: 'interactive' })).toBeUndefined();
    expect(one.budget.view()).toMatchObject({ limit: 30, remaining: 0, windowSeconds: 60 });
    expect(one.budget.status).toEqual({ state: 'shared', replicas: 2 });
    const other = await join('key_other.1');
    expect(await other.budget.acquire({ priority: 'interactive' })).toMatchObject({
      isProbe: true,
    });
    expect(other.budget.status).toEqual({ state: 'shared', replicas: 1 });
    expect(two.budget.view()?.resetsInSeconds).toBeGreaterThan(35);
  });

  test('takes no state that is longer than any budget has, and tells none of it to a replica', async () => {
    const fleet = await join('key_long.1');
    const key = `${prefixOf({ baseUrl, clientId: 'key_long.1' })}budget`;
    await redis.call('SET', key, `{"callers":{${'"a":{},'.repeat(100_000)}"b":{}}}`);
    const reply = await redis.run('exchange', key, 'another', '{}');
    expect(String(Array.isArray(reply) && reply[2])).toBe('');
    await fleet.budget.beat();
    expect(fleet.budget.status).toEqual({ state: 'shared', replicas: 1 });
  });

  test('gives its scripts anew to a Redis that has lost them', async () => {
    const fleet = await join('key_flushed.1');
    await learn(fleet, 12);
    await redis.call('SCRIPT', 'FLUSH');
    expect(await fleet.budget.acquire({ priority: 'interactive' })).toMatchObject({
      isProbe: false,
    });
    expect(fleet.budget.status).toEqual({ state: 'shared', replicas: 1 });
  });

  test('holds every replica as long as the Retry-After of one says', async () => {
    const [one, two] = await joinBoth('key_held.1');
    await learn(one, 12);
    const permit = await two.budget.acquire({ priority: 'interactive' });
    const refused = {
      kind: 'answered',
      status: 429,
      report: undefined,
      retryAfterMs: 5000,
    } as const;
    if (permit) two.budget.release(permit, refused);
    expect(await one.budget.acquire({ priority: 'interactive' })).toBeUndefined();
    const [nowMs, untilMs] = [performance.now(), one.budget.expectedMs(0)];
    expect(untilMs).toBeGreaterThan(nowMs);
    expect(untilMs).toBeLessThan(nowMs + 5100);
  });

  test('gives values back as JSON would, under their own prefix, until they expire', async () => {
    const values = openSharedValues(redis, 'a:', 1e6);
    const value = { rows: [{ id: 1, name: 'Crème ☕', total_wt: 0.1, gone: null }] };
    await values.put('r_1', value, 60_000);
    expect(await values.get('r_1', asIs)).toEqual(value);
    expect(await values.get('r_3', asIs)).toBeUndefined();
    const elsewhere = openSharedValues(redis, 'b:', 1e6);
    expect(await elsewhere.get('r_1', asIs)).toBeUndefined();
    await elsewhere.put('short', 1, 1);
    await expect.poll(() => elsewhere.get('short', asIs)).toBeUndefined();
  });

  test('writes and reads many rows in parts, between which others are served', async () => {
    const values = openSharedValues(redis, 'd:', 1e7);
    const value = { id: 'r_1', rows: Array.from({ length: 5001 }, (_, id) => ({ id })) };
    await values.put('r_1', value, 60_000);
    const spied = vi.spyOn(JSON, 'parse');
    expect(await values.get('r_1', asIs)).toEqual(value);
    expect(spied.mock.calls.length).toBeGreaterThan(10);
    for (const [text] of spied.mock.calls) expect(text.length).toBeLessThan(10_000);
    spied.mockRestore();
    // A line that is longer than any of ours would hold up all others.
    await redis.call('SET', 'd:x', gzipSync(`{"rows":["${'x'.repeat(17 * 2 ** 20)}"]}`));
    expect(await values.get('x', asIs)).toBeUndefined();
  });

  test('keeps no value beyond the bound, but rows that repeat take a tenth of their size', async () => {
    const values = openSharedValues(redis, 'c:', 40_000);
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, status: 'complete', shop_id: 3 }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(200_000);
    await values.put('rows', rows, 60_000);
    expect(await values.get('rows', asIs)).toEqual(rows);
    const noise = Array.from({ length: 10_000 }, () => Math.random());
    await values.put('noise', noise, 60_000);
    expect(await values.get('noise', asIs)).toBeUndefined();
  });

  const bomb = Buffer.concat(Array(140).fill(gzipSync(Buffer.alloc(2 ** 20))));
  test.each<[string, Buffer]>([
    ['cut-off gzip', gzipSync('{"a":1}').subarray(0, 12)],
    ['what unpacks to more than any entry', bomb],
    ['more than any entry', Buffer.alloc(1_100_000)],
    ['another form', gzipSync('[1]')],
  ])('takes %s for nothing', async (_, bytes) => {
    const values = openSharedValues(redis, 'g:', 1e6);
    await redis.call('SET', 'g:x', bytes);
    const readObject = (value: unknown) => (isRecord(value) ? value : undefined);
    expect(await values.get('x', readObject)).toBeUndefined();
  });
});

describe.skipIf(missingRedis)('a Redis without room (needs redis-server)', () => {
  test('keeps no values and still shares the budget, until it has room again', async () => {
    const server = await startRedis();
    onTestFinished(server.close);
    const admin = openRedis(server.url);
    onTestFinished(admin.close);
    let refused = 0;
    const key = { baseUrl, clientId: 'key_full.1', redisUrl: server.url };
    const [one, two] = [await joinFleet({ ...key, onFull: () => refused++ }), await joinFleet(key)];
    onTestFinished(one.close);
    onTestFinished(two.close);
    expect(await two.results.trouble()).toBeUndefined();
    await admin.call('CONFIG', 'SET', 'maxmemory', '1');
    await one.results.put('r_1', {}, 60_000);
    expect([refused, one.redis.isFull(), two.redis.isFull()]).toEqual([1, true, false]);
    // The other learns it where it has to know.
    expect(await two.results.trouble()).toBe('full');
    await learn(one, 12);
    expect(await two.budget.acquire({ priority: 'interactive' })).toMatchObject({ isProbe: false });
    expect(two.budget.status).toEqual({ state: 'shared', replicas: 2 });
    await admin.call('CONFIG', 'SET', 'maxmemory', '0');
    await one.results.put('r_1', {}, 60_000);
    expect([refused, one.redis.isFull()]).toEqual([1, false]);
    expect(await two.results.trouble()).toBeUndefined();
  });
});

describe('without any Redis', () => {
  test('joins alone, in bounded time, with shared values that are empty', async () => {
    const fleet = await joinFleet({ baseUrl, clientId: 'a', redisUrl: 'redis://127.0.0.1:1' });
    onTestFinished(fleet.close);
    expect(fleet.budget.status).toEqual({ state: 'alone', replicas: 4 });
    expect(await fleet.budget.acquire({ priority: 'interactive' })).toMatchObject({
      isProbe: true,
    });
    await fleet.results.put('r_1', {}, 1000);
    expect(await fleet.results.get('r_1', asIs)).toBeUndefined();
    expect(await fleet.results.trouble()).toBe('away');
  });
});
