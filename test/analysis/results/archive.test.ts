import { describe, expect, test } from 'vitest';
import { openArchive } from '../../../src/analysis/results/archive.ts';
import { AllResults, type ResultOrigin } from '../../../src/analysis/results/store.ts';
import type { SharedCache } from '../../../src/client/fleet/shared-cache.ts';
import { InputError } from '../../../src/core/errors.ts';
import { toolsets } from '../../../src/endpoints/define.ts';

const origin: ResultOrigin = {
  tool: 'list_orders',
  arguments: {},
  context: { endpoint: 'GET /api/order', source: 'sandbox', as_of: '2026-11-20T14:05:00+01:00' },
};

const ann = { owner: 'ann', toolsets };
const bob = { owner: 'bob', toolsets };

/** A shelf in memory, with the values as JSON gives them back. */
function openMemory() {
  const values = new Map<string, { text: string; label: string }>();
  const foreign: string[] = [];
  const cache: SharedCache = {
    async put(name, value, _, { label = '' } = {}) {
      values.set(name, { text: JSON.stringify(value), label });
      return true;
    },
    async get(name, read) {
      const kept = values.get(name);
      const value = kept && read(JSON.parse(kept.text));
      if (kept && value === undefined) foreign.push(name);
      return value;
    },
    list: async () => new Map([...values].map(([name, { label }]) => [name, label])),
  };
  return { values, foreign, shelf: cache };
}

/** Two replicas over one shelf, on one clock. */
function twoStores() {
  const clock = { nowMs: 1_000_000 };
  const memory = openMemory();
  const open = () =>
    new AllResults({
      maxBytes: 1e6,
      maxResults: 10,
      ttlMs: 1_800_000,
      now: () => clock.nowMs,
      archive: openArchive(memory.shelf),
    });
  const [first, second] = [open(), open()];
  return { clock, ...memory, first, second, one: first.of(ann), two: second.of(ann) };
}

/** An entry as we write it, but for what is changed. */
function entry(changed: Record<string, unknown>): string {
  const whole = { ...origin, ...ann, id: 'ID', rows: [], expiresAtMs: 9e12 };
  return JSON.stringify({ ...whole, ...changed });
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
    const { one, two, second } = twoStores();
    const own = await one.keep([], origin);
    const other = await second.of(bob).keep([], origin);
    expect(await one.ids()).toEqual([own.id]);
    expect(await two.ids()).toEqual([own.id]);
    await expect(one.get(other.id)).rejects.toThrow(InputError);
    const less = second.of({ ...ann, toolsets: ['orders'] });
    expect(await less.ids()).toEqual([]);
    await expect(less.get(own.id)).rejects.toThrow(InputError);
  });

  test.each([
    ['no object', '[]'],
    ['something else', '{"rows":1}'],
    ['another result', '{"id":"r_other"}'],
    ['a result of nobody', entry({ owner: '' })],
    ['a result of no toolsets', entry({ toolsets: undefined })],
    ['a result of a toolset that there is none of', entry({ toolsets: ['all'] })],
    ['rows that are no objects', entry({ rows: [1] })],
    ['a context that speaks at length', entry({ context: { endpoint: 'x'.repeat(9999) } })],
    ['a result that never expires', entry({ expiresAtMs: 'never' })],
  ])('is not taken from a shelf that holds %s', async (_, text) => {
    const { one, two, values, foreign } = twoStores();
    const { id } = await one.keep([], origin);
    values.set(id, { text: text.replace('ID', id), label: 'x' });
    await expect(two.get(id)).rejects.toThrow(InputError);
    expect(await two.ids()).toEqual([]);
    expect(foreign).toEqual([id]);
  });
});
