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
});
