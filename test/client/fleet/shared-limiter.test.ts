import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../property-runs.ts';
import type { Behaviour } from '../fake-platform.ts';
import { askEach, fleetOf, servedInFull } from './fake-fleet.ts';

describe('replicas on one key', () => {
  test('bring 200 calls each through a quota of 240 in 20 s without one 429', async () => {
    const behaviour = { quota: 240, windowMs: 20_000, phaseMs: 7000 };
    const { clock, platform, replicas } = await fleetOf(4, behaviour);
    await clock.run(Promise.all(askEach(replicas, 200)));
    expect(platform.refused).toBe(0);
    expect(servedInFull(platform)).toEqual([240, 240, 240]);
  });

  test('never draw a 429, whatever the window, the network and the cell', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          quota: fc.integer({ min: 1, max: 60 }),
          windowSeconds: fc.integer({ min: 4, max: 30 }),
          phaseMs: fc.integer({ min: 0, max: 30_000 }),
          headers: fc.constantFrom<Behaviour['headers']>('all', 'trio', 'state'),
          concurrency: fc.integer({ min: 1, max: 8 }),
          replicas: fc.integer({ min: 1, max: 5 }),
          calls: fc.integer({ min: 1, max: 40 }),
          latencies: fc.array(fc.tuple(fc.nat(300), fc.nat(300)), { minLength: 1, maxLength: 9 }),
          cellLatencies: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), {
            minLength: 1,
            maxLength: 5,
          }),
        }),
        async (given) => {
          const { windowSeconds, latencies, cellLatencies, concurrency, ...behaviour } = given;
          // A quota of one would be simulated for hours: a few windows show how they roll.
          const calls = Math.min(given.calls, Math.ceil((6 * given.quota) / given.replicas));
          let turn = 0;
          const scale = Math.min(1, (windowSeconds - 1) / 15);
          const { clock, platform, memory, replicas } = await fleetOf(
            given.replicas,
            {
              ...behaviour,
              windowMs: windowSeconds * 1000,
              latencyMs: () => {
                const [there, back] = latencies[turn++ % latencies.length] ?? [10, 10];
                return [there * scale, back * scale];
              },
            },
            { concurrency, maxWaitMs: 1e9 },
          );
          memory.latencyMs = () => cellLatencies[turn++ % cellLatencies.length] ?? [0, 0];
          await clock.run(Promise.all(askEach(replicas, calls)));
          expect(platform.refused).toBe(0);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  test('leave a reserve to interactive calls of any replica', async () => {
    const { clock, replicas } = await fleetOf(2, { quota: 30 });
    const [drainer, asker] = replicas;
    const draining = Array.from({ length: 60 }, (_, id) =>
      drainer?.client.get(`/api/order/${id}`, { priority: 'drain' }),
    );
    await clock.advance(10_000);
    const askedAt = clock.elapsed();
    await clock.run(Promise.resolve(asker?.client.get('/api/me')));
    expect(clock.elapsed() - askedAt).toBeLessThan(200);
    await clock.run(Promise.all(draining));
  });

  test('all keep to a smaller quota that one of them has learnt', async () => {
    const { clock, platform, replicas } = await fleetOf(4, { quota: 100 });
    const calls = askEach(replicas, 60);
    void clock.sleep(30_000).then(() => {
      platform.behaviour.quota = 20;
    });
    await clock.run(Promise.all(calls));
    const [first, second, ...later] = [...platform.windows.values()];
    expect(first).toEqual({ served: 100, refused: 0 });
    // The first probes of the next window were sent for the old quota: 10 of them.
    expect(second).toEqual({ served: 20, refused: 0 });
    for (const { refused } of later) expect(refused).toBe(0);
    expect(replicas[3]?.client.budget()?.limit).toBe(20);
  });

  test('give the share of a dead one back', async () => {
    const { clock, platform, replicas } = await fleetOf(4, {
      quota: 120,
      windowMs: 20_000,
      phaseMs: 10_000,
      latencyMs: () => [300, 300],
    });
    const calls = askEach(replicas, 120).slice(120);
    await clock.advance(2000);
    replicas[0]?.kill();
    await clock.run(Promise.all(calls));
    expect(platform.refused).toBe(0);
    const [, ...later] = servedInFull(platform);
    for (const served of later) expect(served).toBeGreaterThanOrEqual(120 * 0.95);
    expect(replicas[1]?.ledger.status()).toEqual({ state: 'shared', replicas: 3 });
  });

  test('know each other, and go without a trace', async () => {
    const { clock, memory, replicas } = await fleetOf(3);
    await clock.advance(3000);
    for (const { ledger: limiter } of replicas)
      expect(limiter.status()).toEqual({ state: 'shared', replicas: 3 });
    await clock.run(Promise.all(replicas.map(({ ledger: limiter }) => limiter.leave())));
    expect(JSON.parse(memory.text)).toMatchObject({ members: {}, pace: { inFlight: 0 } });
  });

  test('go by a clock that is set back', async () => {
    const { clock, platform, memory, replicas } = await fleetOf(2, { quota: 30 });
    const calls = askEach(replicas, 60);
    void clock.sleep(10_000).then(() => {
      memory.clockAheadMs -= 3_600_000;
    });
    await clock.run(Promise.all(calls));
    expect(platform.refused).toBe(0);
    expect(servedInFull(platform)).toEqual([30, 30, 30]);
  });

  test('go by a clock that is set forward', async () => {
    const { clock, platform, memory, replicas } = await fleetOf(2, { quota: 30 });
    const calls = askEach(replicas, 60);
    void clock.sleep(10_000).then(() => {
      memory.clockAheadMs += 3_600_000;
    });
    await clock.run(Promise.all(calls));
    // One burst of probes finds out that the window has not rolled.
    expect(platform.refused).toBeLessThanOrEqual(3);
    expect(servedInFull(platform)).toEqual([30, 30, 30]);
  });
});

describe('without its cell, a replica', () => {
  test.each(['refuse', 'hang'] as const)(
    'goes on with a share, and shares again with the next window: it may %s',
    async (mood) => {
      const { clock, platform, memory, replicas } = await fleetOf(4, {
        quota: 200,
        windowMs: 20_000,
        latencyMs: () => [50, 50],
      });
      const calls = askEach(replicas, 300);
      await clock.advance(500);
      memory.mood = mood;
      await clock.advance(1500);
      for (const { ledger: limiter } of replicas)
        expect(limiter.status()).toEqual({ state: 'alone', replicas: 4 });
      await clock.advance(43_000);
      memory.mood = 'serve';
      memory.forget();
      await clock.advance(3000);
      expect(replicas[0]?.ledger.status().state).toBe('alone');
      await clock.advance(20_000);
      for (const { ledger: limiter } of replicas)
        expect(limiter.status()).toEqual({ state: 'shared', replicas: 4 });
      await clock.run(Promise.all(calls));
      expect(platform.refused).toBe(0);
      for (const served of servedInFull(platform)) expect(served).toBeGreaterThanOrEqual(180);
    },
  );

  test.each([
    [0, 300, 600, 900],
    [-800, -200, 400, 1000],
    [900, 900, 900, -100],
  ])(
    'leaves those their share who come back around the roll, at %i, %i, %i and %i ms',
    async (...comeBackMs) => {
      const { clock, platform, replicas } = await fleetOf(4, { quota: 100, windowMs: 20_000 });
      const calls = askEach(replicas, 150);
      await clock.advance(300);
      for (const replica of replicas) replica.cut(true);
      await clock.advance(19_700 + 20_000 - 1000);
      const coming = replicas.map((replica, at) =>
        clock.sleep(1000 + (comeBackMs[at] ?? 0)).then(() => replica.cut(false)),
      );
      await clock.run(Promise.all([...coming, ...calls]));
      expect(platform.refused).toBe(0);
      const [, , around, ...later] = servedInFull(platform);
      expect(around).toBeGreaterThanOrEqual(90);
      for (const served of later) expect(served).toBeGreaterThanOrEqual(95);
    },
  );

  test('takes a fourth where it never saw the others', async () => {
    const { clock, memory, platform, replicas } = await fleetOf(1, { quota: 100 }, {}, 'refuse');
    const calls = askEach(replicas, 100);
    await clock.advance(30_000);
    expect(memory.calls).toBeGreaterThan(20);
    expect(platform.windows.get(0)?.served).toBeLessThanOrEqual(25);
    expect(platform.windows.get(0)?.served).toBeGreaterThanOrEqual(20);
    expect(replicas[0]?.ledger.status()).toEqual({ state: 'alone', replicas: 4 });
    memory.mood = 'serve';
    await clock.run(Promise.all(calls));
    expect(platform.windows.get(1)?.served).toBe(100 - (platform.windows.get(0)?.served ?? 0));
  });

  test('shares again at once where the others never stopped', async () => {
    const { clock, platform, replicas } = await fleetOf(2, { quota: 300 });
    const [cutOff] = replicas;
    const calls = askEach(replicas, 200);
    await clock.advance(300);
    cutOff?.cut(true);
    await clock.advance(300);
    expect(cutOff?.ledger.status().state).toBe('alone');
    cutOff?.cut(false);
    await clock.advance(1100);
    expect(cutOff?.ledger.status().state).toBe('shared');
    await clock.run(Promise.all(calls));
    expect(platform.refused).toBeLessThanOrEqual(16);
  });

  test('answers every call within its time while the cell hangs', async () => {
    const { clock, memory, replicas } = await fleetOf(1, { quota: 100 });
    memory.mood = 'hang';
    const askedAt = clock.elapsed();
    await clock.run(Promise.all(askEach(replicas, 3)));
    expect(clock.elapsed() - askedAt).toBeLessThan(2500);
  });
});
