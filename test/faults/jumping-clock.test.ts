import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { world } from '../client/fake-world.ts';
import { runs } from '../property-runs.ts';

const hour = 3_600_000;

/** Milliseconds that a wall clock is set forward or back: by seconds, a day, ten years. */
const jump = fc.oneof(
  fc.integer({ min: -60_000, max: 60_000 }),
  fc.constantFrom(-24 * hour, 24 * hour, -87_600 * hour, 87_600 * hour),
);

describe('a wall clock that jumps', () => {
  test('holds no call up, draws no 429 and costs at most one exchange a jump', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jump, { minLength: 1, maxLength: 12 }), async (jumps) => {
        const { clock, platform, client } = world({ quota: 10, windowMs: 10_000 });
        let id = 0;
        for (const ms of jumps) {
          clock.wallOffsetMs += ms;
          const before = clock.elapsed();
          const calls = Array.from({ length: 3 }, () => client.get(`/api/order/${id++}`));
          expect(await clock.run(Promise.all(calls))).toHaveLength(3);
          // Three calls of a budget of ten: at most one window and its slack to wait for.
          expect(clock.elapsed() - before).toBeLessThan(15_000);
        }
        expect(platform.exchanges).toBeLessThanOrEqual(jumps.length + 1);
        expect(platform.windows.every(({ refused }) => refused === 0)).toBe(true);
      }),
      { numRuns: runs(35) },
    );
  });

  test.each([-24 * hour, -1000, 1000, 24 * hour])(
    'by %i ms never makes a kept answer outlive its time',
    async (ms) => {
      const { clock, client } = world({ answer: () => ({ data: [] }) });
      const ask = () => clock.run(client.get('/api/shop', { cacheForMs: 300_000 }));
      await ask();
      clock.wallOffsetMs += ms;
      await clock.advance(301_000);
      expect(await ask()).toMatchObject({ cached: false });
    },
  );
});
