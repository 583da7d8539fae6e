import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { follow } from '../../src/client/paging/follow.ts';
import { fuzz, fuzzTimeoutMs } from '../fuzz.ts';

/** Changes in the order in which they happened, each the newest version of its order by then. */
const anyChanges = fc
  .array(fc.nat(15), { maxLength: 60 })
  .map((ids) => ids.map((id, version) => ({ id, version })));

describe('a change feed that delivers at least once (docs/platform.md#change-feeds)', () => {
  test(
    'gives each order once, in its last version, whatever recurs and wherever pages end',
    async () => {
      await fuzz(
        'change feeds',
        300,
        fc.asyncProperty(
          anyChanges,
          fc.infiniteStream(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(4))),
          async (changes, pages) => {
            const read = async ({ cursor = '0' }: Record<string, unknown>) => {
              const [size, again] = pages.next().value ?? [1, 0];
              const from = Number(cursor);
              const to = Math.min(changes.length, from + size);
              const body = {
                data: changes.slice(Math.max(0, from - again), to),
                next_cursor: String(to),
                has_more: to < changes.length,
              };
              return { body, readAtMs: 0, size: 1 };
            };
            const endpoint = 'GET /api/order/delta';
            const asked = { endpoint, query: { since: '2026-01-01' }, pageSize: 250 };
            const { rows, complete } = await follow(asked, { read, maxRows: 1000 });
            const last = new Map(changes.map((change) => [change.id, change]));
            expect(complete).toBe(true);
            expect(rows).toHaveLength(last.size);
            expect(new Map(rows.map((row) => [row.id, row]))).toEqual(last);
          },
        ),
      );
    },
    fuzzTimeoutMs,
  );
});
