import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { runs } from '../../property-runs.ts';
import type { Behaviour } from '../fake-platform.ts';
import { ask, settings, world } from '../fake-world.ts';

describe('pacing', () => {
  test('never draws a 429 alone on its key, whatever the window, the network and the headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          quota: fc.integer({ min: 1, max: 40 }),
          windowSeconds: fc.integer({ min: 2, max: 60 }),
          phaseMs: fc.integer({ min: 0, max: 60_000 }),
          isLazy: fc.boolean(),
          headers: fc.constantFrom<Behaviour['headers']>('all', 'trio', 'state'),
          concurrency: fc.integer({ min: 1, max: 12 }),
          calls: fc.integer({ min: 1, max: 90 }),
          // What names a report leaves with it.
          beside: fc.integer({ min: 0, max: 4 }),
          latencies: fc.array(fc.tuple(fc.nat(700), fc.nat(700)), { minLength: 1, maxLength: 9 }),
        }),
        async ({ windowSeconds, latencies, concurrency, calls, beside, ...behaviour }) => {
          // Before anything is known, five requests leave at once.
          fc.pre(behaviour.quota >= Math.min(5, beside + Math.min(calls, concurrency)));
          let turn = 0;
          // Whole seconds tell little of windows hardly longer than the network's own delays.
          const scale = Math.min(1, (windowSeconds - 1) / 15);
          const { clock, platform, client } = world(
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
          const lists = Array.from({ length: beside }, (_, id) =>
            client.get(`/api/list/${id}`, { priority: 'prefetch' }),
          );
          await clock.run(Promise.all([ask(client, calls), ...lists]));
          expect(platform.refused).toBe(0);
        },
      ),
      { numRuns: runs(25) },
    );
  });

  test.each([
    { quota: 120, windowMs: 60_000, latency: 25, priority: 'interactive' },
    { quota: 30, windowMs: 60_000, latency: 150, priority: 'drain' },
    { quota: 60, windowMs: 10_000, latency: 100, priority: 'interactive' },
  ] as const)('uses the whole of each window: $quota in $windowMs ms', async (given) => {
    const { quota, windowMs, latency, priority } = given;
    const { clock, platform, client } = world(
      { quota, windowMs, latencyMs: () => [latency, latency], phaseMs: windowMs / 3 },
      { maxQueued: 5000 },
    );
    await clock.run(ask(client, 4.5 * quota, priority));
    const full = platform.windows.slice(0, -1);
    expect(platform.refused).toBe(0);
    expect(full.length).toBeGreaterThan(3);
    for (const { served } of full) expect(served).toBeGreaterThanOrEqual(quota * 0.98);
  });

  test.each([0.2, 1])('keeps what is in the background to its share: %d', async (share) => {
    const { clock, platform, client } = world({ quota: 100 }, { maxQueued: 5000, maxWaitMs: 1e9 });
    client.shareInBackground(share);
    await clock.run(ask(client, 350 * share, 'background'));
    const full = platform.windows.slice(1, -1);
    expect(full.length).toBeGreaterThan(1);
    for (const { served } of full) expect(served).toBeLessThanOrEqual(100 * share + 1);
    for (const { served } of full) expect(served).toBeGreaterThanOrEqual(96 * share);
  });

  test('sends what is in the background evenly, and behind all that is asked', async () => {
    const { clock, platform, client } = world({ quota: 100 }, { maxQueued: 5000, maxWaitMs: 1e9 });
    const waits: number[] = [];
    const asking = async () => {
      for (let question = 0; question < 40; question++) {
        await clock.sleep(1000);
        const askedMs = clock.elapsed();
        await client.get(`/api/order/${1000 + question}`);
        waits.push(clock.elapsed() - askedMs);
      }
    };
    await clock.run(Promise.all([asking(), ask(client, 120, 'background')]));
    // Alone, a question takes the way there and back.
    expect(waits.sort((a, b) => a - b).at(-2)).toBe(50);
    expect(platform.refused).toBe(0);
  });

  test.each([
    ['up', Math.ceil, 0],
    ['down', Math.floor, 3],
  ])('learns from a platform that rounds its resets %s', async (_, round, most) => {
    const { clock, platform, client } = world({ quota: 30, windowMs: 10_000, round });
    await clock.run(ask(client, 200));
    expect(platform.refused).toBeLessThanOrEqual(most);
    for (const { served } of platform.windows.slice(0, -1)) expect(served).toBe(30);
  });

  test('takes no headers for no budget: nothing but the concurrency holds it back', async () => {
    const { clock, platform, client } = world({ headers: 'none', quota: 1e9 });
    await clock.run(ask(client, 80));
    const handshake = 100;
    expect(clock.elapsed()).toBe(handshake + 50 + 50 * Math.ceil(79 / 8));
    expect(client.budget()).toBeUndefined();
    expect(platform.refused).toBe(0);
  });

  test('shares evenly with another greedy client', async () => {
    const { clock, platform, client } = world({ quota: 300, latencyMs: () => [100, 100] });
    const other = createClient(settings, platform.runtime());
    const pulls = [ask(client, 450), ask(other, 450)];
    await clock.run(Promise.race(pulls));
    const left = [client, other].flatMap((each) => Object.values(each.load()));
    expect(left.reduce((sum, count) => sum + count, 0)).toBeLessThan(45);
    expect(platform.refused).toBeLessThan(18);
  });

  test('counts what the platform may have counted though it never answered', async () => {
    const { clock, platform, client } = world({ quota: 10 });
    let turn = 0;
    platform.behaviour.mood = () => (turn++ % 3 === 1 ? 'drop' : 'answer');
    await clock.run(ask(client, 40));
    expect(platform.refused).toBe(0);
  });
});
