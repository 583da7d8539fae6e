import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClientSettings, createClient } from '../../src/client/client.ts';
import { FakeClock } from './fake-clock.ts';
import { FakePlatform, type Manners } from './fake-platform.ts';

const settings: ClientSettings = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'acme.1',
  clientSecret: 's3cret',
  concurrency: 8,
  timeoutMs: 30_000,
  maxWaitMs: 3_600_000,
  maxRows: 100_000,
};

function world(manners: Partial<Manners> = {}, more: Partial<ClientSettings> = {}) {
  const clock = new FakeClock();
  const platform = new FakePlatform(clock, manners);
  const client = createClient({ ...settings, ...more }, platform.edges());
  return { clock, platform, client };
}

const ask = (client: ReturnType<typeof world>['client'], count: number) =>
  Promise.all(Array.from({ length: count }, (_, id) => client.get(`/api/order/${id}`)));

describe('pacing', () => {
  test('brings 60 calls at once through a quota of 30 a minute without one 429', async () => {
    const { clock, platform, client } = world({ quota: 30 });
    expect(await clock.run(ask(client, 60))).toHaveLength(60);
    expect(platform.refused).toBe(0);
    expect([...platform.windows.values()].map(({ served }) => served)).toEqual([30, 30]);
  });

  test('never draws a 429 alone on its key, whatever the window, the network and the headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          quota: fc.integer({ min: 1, max: 40 }),
          windowSeconds: fc.integer({ min: 2, max: 60 }),
          phaseMs: fc.integer({ min: 0, max: 60_000 }),
          isLazy: fc.boolean(),
          headers: fc.constantFrom<Manners['headers']>('all', 'trio', 'state'),
          concurrency: fc.integer({ min: 1, max: 12 }),
          calls: fc.integer({ min: 1, max: 90 }),
          latencies: fc.array(fc.tuple(fc.nat(700), fc.nat(700)), { minLength: 1, maxLength: 9 }),
        }),
        async ({ windowSeconds, latencies, concurrency, calls, ...manners }) => {
          let turn = 0;
          // Whole seconds tell little of windows hardly longer than the network's own delays.
          const scale = Math.min(1, (windowSeconds - 1) / 15);
          const { clock, platform, client } = world(
            {
              ...manners,
              windowMs: windowSeconds * 1000,
              latencyMs: () => {
                const [there, back] = latencies[turn++ % latencies.length] ?? [10, 10];
                return [there * scale, back * scale];
              },
            },
            { concurrency, maxWaitMs: 1e9 },
          );
          await clock.run(ask(client, calls));
          expect(platform.refused).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  test.each([
    { quota: 300, windowMs: 60_000, latency: 25, concurrency: 8, calls: 1500 },
    { quota: 30, windowMs: 60_000, latency: 150, concurrency: 8, calls: 150 },
    { quota: 60, windowMs: 10_000, latency: 100, concurrency: 8, calls: 300 },
  ])('uses the whole of each window: $quota in $windowMs ms', async (given) => {
    const { quota, windowMs, latency, concurrency, calls } = given;
    for (const priority of ['interactive', 'drain'] as const) {
      const { clock, platform, client } = world(
        { quota, windowMs, latencyMs: () => [latency, latency], phaseMs: windowMs / 3 },
        { concurrency, maxQueued: 5000 },
      );
      const calling = Array.from({ length: calls }, (_, id) =>
        client.get(`/api/order/${id}`, { priority }),
      );
      await clock.run(Promise.all(calling));
      const full = [...platform.windows.values()].slice(0, -1);
      expect(platform.refused).toBe(0);
      expect(full.length).toBeGreaterThan(3);
      for (const { served } of full) expect(served).toBeGreaterThanOrEqual(quota * 0.98);
    }
  });

  test.each([
    ['up', Math.ceil, 0],
    ['down', Math.floor, 3],
  ])('learns from a platform that rounds its resets %s', async (_, round, most) => {
    const { clock, platform, client } = world({ quota: 30, windowMs: 10_000, round });
    await clock.run(ask(client, 200));
    expect(platform.refused).toBeLessThanOrEqual(most);
    for (const { served } of [...platform.windows.values()].slice(0, -1)) expect(served).toBe(30);
  });

  test('takes no headers for no budget: nothing but the concurrency holds it back', async () => {
    const { clock, platform, client } = world({ headers: 'none', quota: 1e9 });
    await clock.run(ask(client, 80));
    const handshake = 100;
    expect(clock.elapsed()).toBe(handshake + 50 + 50 * Math.ceil(79 / 8));
    expect(client.budget()).toBeUndefined();
    expect(platform.refused).toBe(0);
  });

  test('waits for the window it is in when the quota shrinks, then keeps to the new one', async () => {
    const { clock, platform, client } = world({ quota: 100 });
    const calls = ask(client, 130);
    void clock.sleep(30_000).then(() => {
      platform.manners.quota = 5;
    });
    await clock.run(calls);
    const [first, second, ...later] = [...platform.windows.values()];
    expect(first).toEqual({ served: 100, refused: 0 });
    expect(second?.refused).toBeLessThanOrEqual(5);
    for (const { refused } of later) expect(refused).toBe(0);
  });

  test.each([20, 100, 400])(
    'shares evenly with another greedy client, at %i ms',
    async (latency) => {
      const manners = { quota: 300, latencyMs: (): [number, number] => [latency, latency] };
      const { clock, platform, client } = world(manners);
      const other = createClient(settings, platform.edges());
      const done = [0, 0];
      const pulls = [client, other].map((each, index) =>
        Array.from({ length: 900 }, (_, id) =>
          each.get(`/api/order/${id}`).then(() => {
            done[index] = (done[index] ?? 0) + 1;
          }),
        ),
      );
      await clock.run(Promise.race(pulls.map((pull) => Promise.all(pull))));
      const [mine = 0, theirs = 0] = done;
      expect(Math.min(mine, theirs) / Math.max(mine, theirs)).toBeGreaterThan(0.9);
      expect(platform.refused / (mine + theirs)).toBeLessThan(0.02);
    },
  );

  test('lets an interactive call pass a drain, from the reserve that drains leave', async () => {
    const { clock, client } = world({ quota: 30 });
    const draining = Array.from({ length: 60 }, (_, id) =>
      client.get(`/api/order/${id}`, { priority: 'drain' }),
    );
    await clock.advance(10_000);
    expect(client.budget()?.remaining).toBeGreaterThanOrEqual(2);
    expect(client.stats()).toMatchObject({ inFlight: 0 });
    const askedAt = clock.elapsed();
    await clock.run(client.get('/api/me'));
    expect(clock.elapsed() - askedAt).toBe(50);
    await clock.run(Promise.all(draining));
  });

  test('lets the last of the reserve go to drains before the window ends', async () => {
    const { clock, platform, client } = world({ quota: 30 });
    const draining = Array.from({ length: 90 }, (_, id) =>
      client.get(`/api/order/${id}`, { priority: 'drain' }),
    );
    await clock.run(Promise.all(draining));
    expect([...platform.windows.values()].map(({ served }) => served)).toEqual([30, 30, 30]);
    expect(platform.refused).toBe(0);
  });

  test('promotes the request of a drain that an interactive caller joins', async () => {
    const { clock, client } = world({ quota: 10 });
    const done: string[] = [];
    const drained = Array.from({ length: 20 }, (_, id) =>
      client.get(`/api/order/${id}`, { priority: 'drain' }).then(() => done.push(`drain ${id}`)),
    );
    await clock.advance(1000);
    const joined = client.get('/api/order/19').then(() => done.push('joined'));
    await clock.run(joined);
    expect(done.slice(-2)).toEqual(['drain 19', 'joined']);
    expect(done).toHaveLength(11);
    await clock.run(Promise.all(drained));
  });

  test('answers at once, with the time to come back, what could only wait too long', async () => {
    const { clock, client } = world({ quota: 3 }, { maxWaitMs: 45_000 });
    await clock.run(ask(client, 3));
    const refused = client.get('/api/me').catch((error) => error);
    const askedAt = clock.elapsed();
    const error = await clock.run(refused);
    expect(clock.elapsed()).toBe(askedAt);
    expect(error).toMatchObject({
      code: 'rate_limited',
      endpoint: 'GET /api/me',
      message: 'GET /api/me: the rate budget of this API key is used up; ask again in 60 s.',
    });
    await clock.advance(error.retryAfterMs);
    await clock.run(client.get('/api/me'));
  });

  test('waits where the wait is short enough, in the order of asking', async () => {
    const { clock, platform, client } = world({ quota: 3, phaseMs: 30_000 }, { maxWaitMs: 45_000 });
    const outcomes = Array.from({ length: 9 }, (_, id) =>
      client.get(`/api/order/${id}`).then(
        () => 'answered',
        (error) => error.code,
      ),
    );
    // Three now, three in 30 s; the window after that is too far away.
    expect(await clock.run(Promise.all(outcomes))).toEqual([
      ...Array(6).fill('answered'),
      ...Array(3).fill('rate_limited'),
    ]);
    expect(platform.refused).toBe(0);
  });

  test('lets a drain wait through windows, but not a single call', async () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id }));
    const answer = (url: URL) => {
      const start = Number(url.searchParams.get('start'));
      const data = rows.slice(start, start + 4);
      return { count: data.length, total: rows.length, start, limit: 4, data };
    };
    const { clock, platform, client } = world({ quota: 4, answer }, { maxWaitMs: 1000 });
    const drained = await clock.run(
      client.drain('/api/order', { endpoint: 'GET /api/order', pageSize: 4 }),
    );
    expect(drained).toMatchObject({ rows, complete: true, pages: 10 });
    expect(platform.windows.size).toBe(3);
    expect(platform.refused).toBe(0);
  });

  test.each([
    ['too long to be believed', '7200', 60_000],
    ['an hour at most', '3600', 3_600_000],
  ])('comes back from a 429 whose Retry-After is %s', async (_, value, expected) => {
    const { clock, client, platform } = world({ quota: 3 }, { maxWaitMs: 7_200_000 });
    await clock.run(client.get('/api/me'));
    platform.manners.retryAfter = value;
    while (platform.draw());
    const askedAt = clock.elapsed();
    platform.manners.quota = 0;
    const call = client.get('/api/shop');
    await clock.advance(1000);
    platform.manners.quota = 3;
    await clock.run(call);
    expect(clock.elapsed() - askedAt).toBeGreaterThanOrEqual(expected);
    expect(clock.elapsed() - askedAt).toBeLessThan(expected + 1000);
  });

  test('asks ever less often of a platform that refuses for ever with Retry-After: 0', async () => {
    const { clock, client, platform } = world({ quota: 0 }, { maxWaitMs: 60_000 });
    platform.manners.retryAfter = '0';
    await expect(clock.run(client.get('/api/me'))).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
    });
    expect(platform.refused).toBeLessThan(10);
    expect(clock.elapsed()).toBeLessThan(61_000);
  });

  test('counts what the platform may have counted though it never answered', async () => {
    const { clock, platform, client } = world({ quota: 10 });
    let turn = 0;
    platform.manners.mood = () => (turn++ % 3 === 1 ? 'drop' : 'answer');
    await clock.run(ask(client, 40));
    expect(platform.refused).toBe(0);
  });

  test('lets a repeated attempt go before newer calls', async () => {
    const { clock, platform, client } = world({ quota: 1e6 }, { concurrency: 1 });
    const done: number[] = [];
    let turn = 0;
    platform.manners.mood = () => (turn++ === 1 ? 'fail' : 'answer');
    const calls = Array.from({ length: 12 }, (_, id) =>
      client.get(`/api/order/${id}`).then(() => done.push(id)),
    );
    await clock.run(Promise.all(calls));
    expect(done.indexOf(1)).toBeLessThan(8);
    expect(done.filter((id) => id !== 1)).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('spends no more on the pauses that a platform asks for than a call may wait', async () => {
    const { clock, platform, client } = world({ quota: 1e6 }, { maxWaitMs: 20_000 });
    platform.manners.mood = () => 'fail';
    platform.manners.retryAfter = '15';
    await expect(clock.run(client.get('/api/me'))).rejects.toMatchObject({
      code: 'upstream_failed',
      attempts: 2,
    });
    expect(clock.elapsed()).toBeLessThan(20_000);
  });

  test('ends every single call within maxWait and four timeouts, whatever the platform does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('hang', 'refuse', 'fail', 'expire', 'answer'), { minLength: 1 }),
        fc.integer({ min: 10, max: 1450 }),
        async (moods, latency) => {
          const { clock, platform, client } = world(
            { quota: 1e6, latencyMs: () => [latency, latency] },
            { maxWaitMs: 20_000, timeoutMs: 3000, concurrency: 2 },
          );
          let turn = 0;
          platform.manners.mood = () => moods[turn++ % moods.length] ?? 'answer';
          const endings = Array.from({ length: 6 }, (_, id) =>
            client.get(`/api/order/${id}`).then(
              () => clock.elapsed(),
              () => clock.elapsed(),
            ),
          );
          const ends = await clock.run(Promise.all(endings));
          expect(Math.max(...ends)).toBeLessThanOrEqual(20_000 + 4 * 3000);
          expect(client.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
        },
      ),
      { numRuns: 100 },
    );
  });
});
