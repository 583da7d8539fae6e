import { describe, expect, test } from 'vitest';
import {
  AllResults,
  estimateBytes,
  type ResultStoreSettings,
  resultUri,
} from '../../../src/analysis/results/store.ts';
import { clientMessages } from '../../../src/client/messages.ts';
import type { SharedValues } from '../../../src/client/request/get.ts';
import { InputError } from '../../../src/core/errors.ts';
import { MemoryPool } from '../../../src/core/process/memory-pool.ts';
import { toolsets } from '../../../src/endpoints/define.ts';
import { reasonOf } from '../../reasons.ts';

const timezone = 'Europe/Amsterdam';
const period = { from: '2026-11-01', to: '2026-11-20', given: 'this_month', timezone } as const;

const origin: Parameters<ReturnType<AllResults['forCaller']>['keep']>[1] = {
  tool: 'list_orders',
  arguments: { period: 'this_month' },
  context: {
    endpoint: 'GET /api/order',
    source: 'sandbox',
    as_of: '2026-11-20T14:05:00+01:00',
    cached: true,
    period,
    reference_period: period,
    warnings: [clientMessages.repeated_rows({ repeated: 2, rows: 9 })],
  },
  rest: { next: { tool: 'list_orders', arguments: { start: 1 } } },
};

const ann = { owner: 'ann', toolsets };
const bob = { owner: 'bob', toolsets };

/** A store with a clock of its own, which starts at a million milliseconds. */
function storeOf(settings: Partial<ResultStoreSettings> = {}) {
  const clock = { nowMs: 1_000_000 };
  const all = new AllResults({
    pool: new MemoryPool(1_000_000),
    callerBytes: 1_000_000,
    callerResults: 500,
    ttlMs: 1_800_000,
    now: () => clock.nowMs,
    ...settings,
  });
  return { store: all.forCaller(ann), all, clock };
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id, total_wt: 0.1 }));

describe('keep', () => {
  test('gives back the rows with their origin and expiry, under their id and their address', async () => {
    const { store } = storeOf();
    const kept = await store.keep(rowsOf(3), origin);
    const id = expect.stringMatching(/^r_[0-9a-f]{10}$/);
    expect(kept).toEqual({ ...origin, ...ann, id, rows: rowsOf(3), expiresAtMs: 2_800_000 });
    expect(await store.get(kept.id)).toBe(kept);
    expect(await store.get(resultUri(kept))).toBe(kept);
  });

  test('refuses rows that are more than all it holds, and keeps what it had', async () => {
    const { store } = storeOf({ callerBytes: 10_000 });
    const { id } = await store.keep(rowsOf(10), origin);
    const tooMany = store.keep(rowsOf(1000), origin);
    const reason = { code: 'too_many_to_keep', rows: 1000, megabytes: 1, max: 1 };
    await expect(tooMany).rejects.toMatchObject({ code: 'too_large', reason });
    expect(store.ids()).toEqual([id]);
  });
});

describe('get', () => {
  test('says what to do about an id that is not kept', async () => {
    const { store } = storeOf();
    await expect(store.get('r_0000000000')).rejects.toThrow(
      reasonOf({
        code: 'result_gone',
        address: 'r_0000000000',
        minutes: 30,
        results: 500,
        megabytes: 1,
        trouble: undefined,
      }),
    );
  });

  test('lets go of rows when their time is over, read or not', async () => {
    const { store, clock } = storeOf();
    const { id, expiresAtMs } = await store.keep(rowsOf(1), origin);
    clock.nowMs = expiresAtMs - 1;
    await store.get(id);
    clock.nowMs = expiresAtMs + 1;
    await expect(store.get(id)).rejects.toThrow(InputError);
    expect(store.ids()).toEqual([]);
  });
});

describe('callers', () => {
  test('see their own results alone, in lists and by id', async () => {
    const { all } = storeOf();
    const { id } = await all.forCaller(ann).keep(rowsOf(1), origin);
    expect(all.forCaller(ann).ids()).toEqual([id]);
    // Neither do they themselves where a toolset was closed to them since.
    for (const other of [bob, { ...ann, toolsets: ['orders', 'analysis'] } as const]) {
      await expect(all.forCaller(other).get(id)).rejects.toThrow(InputError);
      expect(all.forCaller(other).ids()).toEqual([]);
    }
  });

  test('keep rows under one key once, each for themselves', async () => {
    const { all } = storeOf();
    const keep = async (claim: Parameters<typeof all.forCaller>[0], key: string) =>
      (await all.forCaller(claim).keep(rowsOf(1), origin, key)).id;
    const id = await keep(ann, 'shops');
    expect(await keep(ann, 'shops')).toBe(id);
    expect(all.forCaller(ann).ids()).toEqual([id]);
    const fenced = { ...ann, toolsets: ['orders'] } as const;
    const others = [
      await keep(ann, 'orders'),
      await keep(bob, 'shops'),
      await keep(fenced, 'shops'),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
  });

  test('see nothing that belongs to nobody', async () => {
    const nobody = storeOf().all.forCaller({ owner: '', toolsets });
    const { id } = await nobody.keep(rowsOf(1), origin);
    await expect(nobody.get(id)).rejects.toThrow(InputError);
  });

  test('cannot push out what others keep', async () => {
    const { all } = storeOf({ pool: new MemoryPool(50_000), callerBytes: 40_000 });
    const { id } = await all.forCaller(ann).keep(rowsOf(20), origin);
    for (let index = 0; index < 100; index += 1)
      await all.forCaller(bob).keep(rowsOf((index % 10) * 20), origin);
    expect((await all.forCaller(ann).get(id)).rows).toHaveLength(20);
    expect(all.forCaller(bob).ids().length).toBeLessThan(40);
    expect(all.count()).toBe(all.forCaller(bob).ids().length + 1);
  });
});

describe('a result that another replica keeps', () => {
  /** Two replicas over one shelf, on one clock, and what the shelf holds as JSON. */
  function twoStores() {
    const clock = { nowMs: 1_000_000 };
    const values = new Map<string, string>();
    const shared: SharedValues = {
      trouble: async () => (values.size === 0 ? 'full' : undefined),
      async put(name, value) {
        values.set(name, JSON.stringify(value));
      },
      async get(name, read) {
        const kept = values.get(name);
        return kept === undefined ? undefined : read(JSON.parse(kept));
      },
      remove: async (name) => void values.delete(name),
    };
    const now = () => clock.nowMs;
    const [first, second] = [storeOf({ shared, now }).all, storeOf({ shared, now }).all];
    return { clock, values, second, one: first.forCaller(ann), two: second.forCaller(ann) };
  }

  test('is the same here, and says all that it says there', async () => {
    const { one, two, values } = twoStores();
    const context = {
      ...origin.context,
      left_open: { location_id: 'left out: stock is the sum over all locations' },
      resolved: { shop_id: { given: 'Webshop', id: 1, name: 'Webshop' } },
    };
    const kept = await one.keep([{ id: 1, total_wt: 0.1, name: null }], { ...origin, context });
    expect(await two.get(resultUri(kept))).toEqual(kept);
    values.clear();
    expect(await two.get(kept.id)).toEqual(kept);
  });

  test('makes room on the shelf as it does in the memory of who keeps it', async () => {
    const { one, two, values } = twoStores();
    const ids: string[] = [];
    for (let at = 0; at < 600; at += 1) ids.push((await one.keep([{ at }], origin)).id);
    expect(values.size).toBe(one.ids().length);
    expect(values.size).toBeLessThan(600);
    await expect(two.get(ids[0] ?? '')).rejects.toThrow(InputError);
    expect((await two.get(ids[599] ?? '')).rows).toEqual([{ at: 599 }]);
  });

  test('is missing for the reason that there is', async () => {
    const { two } = twoStores();
    await expect(two.get('r_0000000000')).rejects.toThrow(
      reasonOf({ code: 'result_gone', address: 'r_0000000000', trouble: 'full' }),
    );
  });

  test('is given only to whom it belongs', async () => {
    const { one, two, second } = twoStores();
    const own = await one.keep([], origin);
    const other = await second.forCaller(bob).keep([], origin);
    expect((await two.get(own.id)).id).toBe(own.id);
    await expect(one.get(other.id)).rejects.toThrow(InputError);
    const less = second.forCaller({ ...ann, toolsets: ['orders'] });
    await expect(less.get(own.id)).rejects.toThrow(InputError);
  });

  test.each([
    ['no object', []],
    ['something else', { rows: 1 }],
    ['another result', { id: 'r_0123456789' }],
    ['a result of nobody', { owner: '' }],
    ['a result of no toolsets', { toolsets: undefined }],
    ['a result of a toolset that there is none of', { toolsets: ['all'] }],
    ['rows that are no objects', { rows: [1] }],
    ['a context that speaks at length', { context: { endpoint: 'x'.repeat(9999) } }],
    ['no context', { context: undefined }],
    ['a result that never expires', { expiresAtMs: 'never' }],
  ])('is not taken from a shelf that holds %s', async (_, changed) => {
    const { one, two, values } = twoStores();
    const kept = await one.keep([], origin);
    const held = Array.isArray(changed) ? changed : { ...kept, ...changed };
    values.set(kept.id, JSON.stringify(held));
    await expect(two.get(kept.id)).rejects.toThrow(InputError);
  });
});

test('rows of very many columns are estimated at what the engine of JavaScript takes for them', () => {
  const rowOf = (columns: number) =>
    Object.fromEntries(Array.from({ length: columns }, (_, at) => [`c${at}`, at]));
  const perCell = (columns: number) => estimateBytes(rowOf(columns)) / columns;
  expect(perCell(100)).toBeGreaterThanOrEqual(10);
  // Parsed from JSON: 48 bytes at 130 columns, 52 at 960, by the growth of the heap.
  expect(perCell(130)).toBeGreaterThanOrEqual(52);
  expect(perCell(960)).toBeGreaterThanOrEqual(52);
});
