import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createResultStore,
  estimateBytes,
  type ResultOrigin,
} from '../../../src/analysis/results/store.ts';
import { CommerceError, InputError } from '../../../src/core/errors.ts';

const origin: ResultOrigin = {
  tool: 'list_orders',
  arguments: { period: 'last_week' },
  context: { endpoint: 'GET /api/order', source: 'sandbox', as_of: '2026-11-20T14:05:00+01:00' },
};

/** A store with a clock of its own, which starts at a million milliseconds. */
function storeOf(settings: { maxBytes?: number; maxResults?: number; ttlMs?: number } = {}) {
  const clock = { nowMs: 1_000_000 };
  const store = createResultStore({
    maxBytes: 1_000_000,
    maxResults: 10,
    ttlMs: 1_800_000,
    now: () => clock.nowMs,
    ...settings,
  });
  return { store, clock };
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id, total_wt: 0.1 }));

describe('keep', () => {
  test('gives back the rows with their origin, address, expiry and profile', async () => {
    const { store } = storeOf();
    const kept = await store.keep(rowsOf(3), origin);
    expect(kept).toEqual({
      ...origin,
      id: kept.id,
      uri: `commerce://results/${kept.id}`,
      rows: rowsOf(3),
      columns: [
        { name: 'id', type: 'integer', distinct: 3 },
        { name: 'total_wt', type: 'decimal', sum: 0.3, min: 0.1, max: 0.1 },
      ],
      columnsLeftOut: 0,
      expiresAtMs: 2_800_000,
    });
    expect(await store.get(kept.id)).toBe(kept);
    expect(await store.get(kept.uri)).toBe(kept);
  });

  test('gives every result an id that cannot be guessed', async () => {
    const { store } = storeOf({ maxResults: 200 });
    const kept = await Promise.all(Array.from({ length: 200 }, () => store.keep([], origin)));
    expect(new Set(kept.map(({ id }) => id)).size).toBe(200);
    for (const { id } of kept) expect(id).toMatch(/^r_[0-9a-hjkmnp-tv-z]{10}$/);
  });

  test('refuses rows that are more than all it holds, and keeps what it had', async () => {
    const { store } = storeOf({ maxBytes: 10_000 });
    const { id } = await store.keep(rowsOf(10), origin);
    const tooMany = store.keep(rowsOf(1000), origin);
    await expect(tooMany).rejects.toThrow(CommerceError);
    await expect(tooMany).rejects.toThrow(
      '1000 rows take about 1 MB, and at most 1 MB can be kept.',
    );
    expect(await store.ids()).toEqual([id]);
  });

  test('stays within its bounds whatever is kept and read', async () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.boolean()), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (asked) => {
        const { store } = storeOf({ maxBytes: 8_000, maxResults: 4 });
        for (const [count, isRead] of asked) {
          const { id } = await store.keep(rowsOf(count), origin);
          const ids = await store.ids();
          expect(ids[0]).toBe(id);
          expect(ids.length).toBeLessThanOrEqual(4);
          if (isRead) await store.get(ids.at(-1) ?? id);
          const kept = await Promise.all(ids.map((each) => store.get(each)));
          const bytes = kept.reduce((total, { rows }) => total + estimateBytes(rows), 0);
          expect(bytes).toBeLessThanOrEqual(8_000);
        }
      }),
    );
  });
});

describe('get', () => {
  test('says what to do about an id that is not kept', async () => {
    const { store } = storeOf();
    const unknown = store.get('r_0000000000');
    await expect(unknown).rejects.toThrow(InputError);
    await expect(unknown).rejects.toThrow(
      'result_id: nothing is kept under "r_0000000000". Rows are kept for 30 minutes and make room for newer ones. Call the tool that gave them again and use the result id of its answer.',
    );
  });

  test('lets go of rows when their time is over, read or not', async () => {
    const { store, clock } = storeOf();
    const { id, expiresAtMs } = await store.keep(rowsOf(1), origin);
    clock.nowMs = expiresAtMs - 1;
    await store.get(id);
    clock.nowMs = expiresAtMs + 1;
    await expect(store.get(id)).rejects.toThrow(InputError);
    expect(await store.ids()).toEqual([]);
  });

  test('saves what was read lately from making room', async () => {
    const { store } = storeOf({ maxResults: 2 });
    const first = await store.keep(rowsOf(1), origin);
    const second = await store.keep(rowsOf(1), origin);
    await store.get(first.id);
    const third = await store.keep(rowsOf(1), origin);
    expect(await store.ids()).toEqual([third.id, first.id]);
    await expect(store.get(second.id)).rejects.toThrow(InputError);
  });
});

describe('estimateBytes', () => {
  test.each([
    [null, 8],
    [12.5, 8],
    ['abc', 19],
    [[], 32],
    [{ a: 1 }, 56],
    [[{ a: 'x' }], 32 + 16 + 32 + 16 + 17],
  ])('takes %j for %d', (value, bytes) => {
    expect(estimateBytes(value)).toBe(bytes);
  });
});
