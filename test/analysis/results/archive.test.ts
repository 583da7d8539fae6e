import { describe, expect, test } from 'vitest';
import { openArchive } from '../../../src/analysis/results/archive.ts';
import { createResultStore, type ResultOrigin } from '../../../src/analysis/results/store.ts';
import type { SharedCache } from '../../../src/client/fleet/shared-cache.ts';
import { InputError } from '../../../src/core/errors.ts';

const origin: ResultOrigin = {
  tool: 'list_orders',
  arguments: {},
  context: { endpoint: 'GET /api/order', source: 'sandbox', as_of: '2026-11-20T14:05:00+01:00' },
};

/** A shelf in memory, with the values as JSON gives them back. */
function openMemory() {
  const values = new Map<string, { text: string; label: string }>();
  const cache: SharedCache = {
    async put(name, value, _, label = '') {
      values.set(name, { text: JSON.stringify(value), label });
      return true;
    },
    async get(name) {
      const kept = values.get(name);
      return kept && JSON.parse(kept.text);
    },
    list: async () => new Map([...values].map(([name, { label }]) => [name, label])),
  };
  return { values, shelf: cache };
}

/** Two replicas over one shelf, on one clock. */
function twoStores() {
  const clock = { nowMs: 1_000_000 };
  const memory = openMemory();
  const open = () =>
    createResultStore({
      maxBytes: 1e6,
      maxResults: 10,
      ttlMs: 1_800_000,
      now: () => clock.nowMs,
      archive: openArchive(memory.shelf),
    });
  return { clock, ...memory, one: open(), two: open() };
}

describe('a result that another replica keeps', () => {
  test('is the same here, address, rows, columns and expiry', async () => {
    const { one, two, values } = twoStores();
    const kept = await one.keep([{ id: 1, total_wt: 0.1, name: null }], origin);
    expect(await two.get(kept.uri)).toEqual(kept);
    values.clear();
    expect(await two.get(kept.id)).toEqual(kept);
  });

  test('expires when it would there', async () => {
    const { one, two, clock } = twoStores();
    const { id } = await one.keep([], origin);
    await two.get(id);
    clock.nowMs += 1_800_001;
    await expect(two.get(id)).rejects.toThrow(InputError);
  });

  test('is listed once, and only to whom it belongs', async () => {
    const { one, two } = twoStores();
    const own = await one.keep([], { ...origin, owner: 'ann' });
    const other = await two.keep([], { ...origin, owner: 'bob' });
    const ofAnn = ({ owner }: { owner?: string }) => owner === 'ann';
    expect((await one.ids()).sort()).toEqual([own.id, other.id].sort());
    expect(await two.ids(ofAnn)).toEqual([own.id]);
    await expect(one.get(other.id, ofAnn)).rejects.toThrow(InputError);
  });

  test.each([
    ['no object', '[]'],
    ['something else', '{"rows":1}'],
    ['another result', '{"id":"r_other"}'],
  ])('is not taken from a shelf that holds %s', async (_, text) => {
    const { one, two, values } = twoStores();
    const { id } = await one.keep([], origin);
    values.set(id, { text, label: 'x' });
    await expect(two.get(id)).rejects.toThrow(InputError);
    expect(await two.ids(({ owner }) => owner === undefined)).toEqual([]);
  });
});
