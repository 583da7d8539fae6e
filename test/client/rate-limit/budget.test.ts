import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { parseBudget } from '../../../src/client/transport/http.ts';
import { runs } from '../../property-runs.ts';
import type { Behaviour } from '../fake-platform.ts';
import { ask, settings, world } from '../fake-world.ts';

const policy = '"general";q=300;w=60, "write";q=60;w=5';
const ceilings = [
  { name: 'general', quota: 300, windowSeconds: 60 },
  { name: 'write', quota: 60, windowSeconds: 5 },
];
const trio = {
  'ratelimit-limit': '300',
  'ratelimit-remaining': '290',
  'ratelimit-reset': '42',
};
const general = { limit: 300, remaining: 290, resetMs: 42_000 };

describe('parseBudget', () => {
  test.each<[string, Record<string, string>, object | undefined]>([
    [
      'all five headers',
      { ...trio, 'ratelimit-policy': policy, ratelimit: '"general";r=290;t=42' },
      { ...general, windowMs: 60_000, ceilings },
    ],
    ['three of them', trio, { ...general, ceilings: [] }],
    [
      'the structured ones alone',
      { 'ratelimit-policy': policy, ratelimit: '"general";r=290;t=42' },
      { ...general, windowMs: 60_000, ceilings },
    ],
    [
      'the write ceiling, which holds up no reads',
      {
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '4',
        'ratelimit-policy': policy,
        ratelimit: '"write";r=0;t=4',
      },
      { limit: 300, windowMs: 60_000, ceilings },
    ],
    ['zero remaining', { 'ratelimit-remaining': '0' }, { remaining: 0, ceilings: [] }],
    ['no header at all: no budget reported, which is not zero', {}, undefined],
    ['nothing readable', { 'ratelimit-limit': 'many', ratelimit: '???' }, undefined],
    [
      'signs, fractions and overflow',
      { 'ratelimit-limit': '-1', 'ratelimit-remaining': '2.5', 'ratelimit-reset': '99999999999' },
      undefined,
    ],
  ])('understands %s', (_, headers, expected) => {
    expect(parseBudget((name) => headers[name])).toEqual(expected);
  });
});

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
    { quota: 30, windowMs: 60_000, latency: 150, priority: 'bulk' },
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

  test.each([0.2, 1])('keeps background requests to their share: %d', async (share) => {
    const { clock, platform, client } = world({ quota: 100 }, { maxQueued: 5000, maxWaitMs: 1e9 });
    client.shareInBackground(share);
    await clock.run(ask(client, 350 * share, 'background'));
    const full = platform.windows.slice(1, -1);
    expect(full.length).toBeGreaterThan(1);
    for (const { served } of full) expect(served).toBeLessThanOrEqual(100 * share + 1);
    for (const { served } of full) expect(served).toBeGreaterThanOrEqual(96 * share);
  });

  test('sends background requests evenly, and after all others', async () => {
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

describe('a 429', () => {
  /** A client that is in the midst of a window, with the moments at which its requests arrive from then on. */
  async function inWindow(behaviour: Partial<Behaviour>) {
    const given = world({ quota: 300, ...behaviour }, { maxWaitMs: 300_000 });
    const { clock, client, platform } = given;
    await clock.run(client.get('/api/me'));
    const startMs = clock.elapsed();
    const arrivals: number[] = [];
    const strike = (...moods: ReturnType<Behaviour['mood']>[]) => {
      platform.behaviour.mood = () => {
        arrivals.push(clock.elapsed() - startMs);
        return moods.shift() ?? 'answer';
      };
    };
    return { ...given, arrivals, strike };
  }

  test.each<[string, 'odd' | 'refuse', Partial<Behaviour>]>([
    ['whose own headers report requests left', 'odd', {}],
    ['whose Retry-After is a word', 'refuse', { retryAfter: 'soon' }],
    ['whose Retry-After is a date', 'refuse', { retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' }],
    [
      'that says nothing, where no answer reports a budget',
      'refuse',
      { retryAfter: '', headers: 'none' },
    ],
  ])('%s holds for a second', async (_, mood, behaviour) => {
    const { clock, client, platform, strike } = await inWindow(behaviour);
    strike(mood);
    const startMs = clock.elapsed();
    await clock.run(ask(client, 20));
    expect(clock.elapsed() - startMs).toBeGreaterThanOrEqual(1000);
    expect(clock.elapsed() - startMs).toBeLessThan(1500);
    expect(platform.refused).toBe(0);
  });

  test('a repeated 429 holds twice as long each time, at most until the window rolls', async () => {
    const { clock, client, arrivals, strike } = await inWindow({ quota: 300 });
    strike(...Array.from({ length: 8 }, () => 'odd' as const));
    await clock.run(client.get('/api/order/1'));
    const pauses = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0) - 50);
    expect(pauses.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16_000]);
    // What is left of the minute, of which 31 s and a little have gone; then the next one begins.
    expect(pauses[5]).toBeLessThan(60_000 - 31_000);
    expect(pauses[6]).toBeLessThan(61_000);
  });

  test('has one request find out whether it is over before the others leave', async () => {
    const { clock, client, arrivals, strike } = await inWindow({});
    strike('odd', 'odd');
    await clock.run(ask(client, 30));
    const within = (from: number, to: number) => arrivals.filter((at) => at >= from && at < to);
    // Eight were in flight when the first refusals came; after a second one goes, and then all.
    expect(within(0, 1000)).toHaveLength(8);
    expect(within(1000, 1100)).toHaveLength(1);
    expect(within(1100, 2000)).toHaveLength(23);
  });

  test('a 429 with Retry-After holds for that long, whatever else is answered meanwhile', async () => {
    const { clock, client, platform, arrivals, strike } = await inWindow({ retryAfter: '2' });
    let turn = 0;
    platform.behaviour.latencyMs = () => [20, [30, 500, 900, 1900][turn++ % 4] ?? 30];
    strike('refuse');
    await clock.run(ask(client, 40));
    const [refusedAt = 0] = arrivals;
    const later = arrivals.filter((at) => at > refusedAt + 500);
    expect(arrivals.length - later.length).toBe(8);
    expect(Math.min(...later) - refusedAt).toBeGreaterThanOrEqual(2000);
    expect(Math.min(...later) - refusedAt).toBeLessThan(2200);
  });

  test('an odd 429 costs a second at most, and causes no counted one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: 40 }),
        fc.array(fc.nat(60), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
        async (quota, odd, concurrency) => {
          const { clock, platform, client } = world({ quota }, { concurrency, maxWaitMs: 1e9 });
          await clock.run(client.get('/api/me'));
          let turn = 0;
          platform.behaviour.mood = () => (odd.includes(turn++) ? 'odd' : 'answer');
          await clock.run(ask(client, 60));
          expect(platform.refused).toBe(0);
          const windows = Math.ceil((61 + odd.length) / quota);
          // Refusals of requests that went together cost a second together; those in a row cost more.
          const holdsMs = 1000 * (2 ** odd.length - 1);
          expect(clock.elapsed()).toBeLessThanOrEqual(60_000 * windows + holdsMs + 10_000);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
