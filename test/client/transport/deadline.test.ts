import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.ts';
import { world } from '../fake-world.ts';

describe('a call that has to wait', () => {
  test.each([
    ['too long to be believed', '7200', 60_000],
    ['an hour at most', '3600', 3_600_000],
  ])('comes back from a 429 whose Retry-After is %s', async (_, value, expected) => {
    const { clock, client, platform } = world({ quota: 3 }, { maxWaitMs: 7_200_000 });
    await clock.run(client.get('/api/me'));
    platform.behaviour.retryAfter = value;
    while (platform.draw());
    const askedAt = clock.elapsed();
    platform.behaviour.quota = 0;
    const call = client.get('/api/shop');
    await clock.advance(1000);
    platform.behaviour.quota = 3;
    await clock.run(call);
    expect(clock.elapsed() - askedAt).toBeGreaterThanOrEqual(expected);
    expect(clock.elapsed() - askedAt).toBeLessThan(expected + 1000);
  });

  test.each([
    ['1', 900],
    ['0', 900],
    ['0.5', 0],
    ['-1', 0],
    ['soon', 0],
    ['1e99', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 900],
  ])('waits out one 429 whose Retry-After is %s, and is answered', async (value, atLeastMs) => {
    const { clock, client, platform } = world({ quota: 600, windowMs: 1000 }, { maxWaitMs: 2000 });
    await clock.run(client.get('/api/me'));
    platform.behaviour.retryAfter = value;
    const moods = ['refuse' as const];
    platform.behaviour.mood = () => moods.pop() ?? 'answer';
    const askedAt = clock.elapsed();
    await clock.run(client.get('/api/me'));
    expect(clock.elapsed() - askedAt).toBeGreaterThanOrEqual(atLeastMs);
    expect(clock.elapsed() - askedAt).toBeLessThan(3000);
  });

  test('asks ever less often of a platform that refuses for ever with Retry-After: 0', async () => {
    const { clock, client, platform } = world({ quota: 0 }, { maxWaitMs: 60_000 });
    platform.behaviour.retryAfter = '0';
    await expect(clock.run(client.get('/api/me'))).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
    });
    expect(platform.refused).toBeLessThan(10);
    expect(clock.elapsed()).toBeLessThan(61_000);
  });

  test('spends no more on the pauses that a platform asks for than a call may wait', async () => {
    const { clock, platform, client } = world({ quota: 1e6 }, { maxWaitMs: 20_000 });
    platform.behaviour.mood = () => 'fail';
    platform.behaviour.retryAfter = '15';
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
          platform.behaviour.mood = () => moods[turn++ % moods.length] ?? 'answer';
          const endings = Array.from({ length: 6 }, (_, id) =>
            client.get(`/api/order/${id}`).then(
              () => clock.elapsed(),
              () => clock.elapsed(),
            ),
          );
          const ends = await clock.run(Promise.all(endings));
          expect(Math.max(...ends)).toBeLessThanOrEqual(20_000 + 4 * 3000);
          expect(client.load()).toMatchObject({ inFlight: 0, waiting: 0 });
        },
      ),
      { numRuns: runs(35) },
    );
  });
});
