import { describe, expect, test } from 'vitest';
import type { AnswerContext } from '../../../src/analysis/answer.ts';
import type { ResultOrigin } from '../../../src/analysis/results/kept-rows.ts';
import { AllResults } from '../../../src/analysis/results/store.ts';
import type { SharedValues } from '../../../src/client/fleet/shared-values.ts';
import { InputError } from '../../../src/core/errors.ts';
import { toolsets } from '../../../src/endpoints/define.ts';

const origin: ResultOrigin = {
  tool: 'list_orders',
  arguments: {},
  context: { endpoint: 'GET /api/order', source: 'sandbox', as_of: '2026-11-20T14:05:00+01:00' },
};

const ann = { owner: 'ann', toolsets };
const bob = { owner: 'bob', toolsets };

/** Shared values in memory, as JSON gives them back. */
function openMemory() {
  const values = new Map<string, string>();
  const foreign: string[] = [];
  const shelf: SharedValues = {
    async put(name, value) {
      values.set(name, JSON.stringify(value));
    },
    async get(name, read) {
      const kept = values.get(name);
      const value = kept === undefined ? undefined : read(JSON.parse(kept));
      if (kept !== undefined && value === undefined) foreign.push(name);
      return value;
    },
  };
  return { values, foreign, shelf };
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
      shared: memory.shelf,
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

  test('says there all that its answer said', async () => {
    const { one, two } = twoStores();
    const period = {
      from: '2026-11-01',
      to: '2026-11-20',
      timezone: 'Europe/Amsterdam',
      given: 'this_month',
    } as const;
    const context: AnswerContext = {
      ...origin.context,
      cached: true,
      period,
      reference_period: period,
      resolved: { shop_id: { given: 'Utrecht', id: 3, name: 'Utrecht Centraal', note: 'a shop' } },
      left_open: { status: 'all statuses' },
      since: { given: 'yesterday', instant: '2026-11-19T00:00:00+01:00' },
      definitions: { turnover: 'sales minus returns and differences' },
      more: { payments: ['payments', 'balance_check'] },
      tables: [
        {
          table: 'orders',
          tool: 'list_orders',
          arguments: {},
          period,
          reference_period: period,
          rows: 1,
          calls: 1,
          as_of: origin.context.as_of,
          complete: true,
        },
      ],
      warnings: ['One page was read twice.'],
    };
    const rest = { next: { tool: 'list_orders', arguments: { start: 1 } } };
    const { id } = await one.keep([{ id: 1 }], { ...origin, context, rest });
    expect(await two.get(id)).toMatchObject({ context, rest });
  });

  test('expires when it would there', async () => {
    const { one, two, clock } = twoStores();
    const { id } = await one.keep([], origin);
    await two.get(id);
    clock.nowMs += 1_800_001;
    await expect(two.get(id)).rejects.toThrow(InputError);
  });

  test('is given only to whom it belongs', async () => {
    const { one, two, second } = twoStores();
    const own = await one.keep([], origin);
    const other = await second.of(bob).keep([], origin);
    expect((await two.get(own.id)).id).toBe(own.id);
    await expect(one.get(other.id)).rejects.toThrow(InputError);
    const less = second.of({ ...ann, toolsets: ['orders'] });
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
    values.set(id, text.replace('ID', id));
    await expect(two.get(id)).rejects.toThrow(InputError);
    expect(foreign).toEqual([id]);
  });
});
