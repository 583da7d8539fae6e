import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFacts } from '../../../src/analysis/reference/facts.ts';
import { explainDifference, sayExplained } from '../../../src/analysis/turnover/explain.ts';
import { type Decimal, plain, sum, toDecimal } from '../../../src/core/money.ts';

/** Turnover in cents by id. */
type Amounts = Record<number, number>;

interface Side {
  shops?: Amounts;
  groups?: Amounts;
  /** What belongs to no shop or group, in cents. */
  rest?: number;
  orders?: number;
}

const total = ({ shops = {}, rest = 0 }: Side) =>
  Object.values(shops).reduce((all, it) => all + it, rest);

/** A side as the platform reports it. */
function sideOf(side: Side) {
  const rows = (field: string, amounts: Amounts = {}) =>
    Object.entries(amounts).map(([id, cents]) => ({
      [field]: Number(id),
      turnover: 0,
      turnover_wt: cents / 100,
    }));
  const report = {
    revenue: { total_turnover: 0, total_turnover_wt: total(side) / 100 },
    turnover_by_group: {
      groups: rows('product_group_id', side.groups),
      shop_totals: rows('shop_id', side.shops),
    },
  };
  return { facts: readFacts(report), orders: toDecimal(side.orders) };
}

/** Counts as JSON has them. */
function plainCounts(counts: Readonly<Record<string, Decimal>>) {
  return Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, plain(value)]));
}

function explain(now: Side, then: Side) {
  const names = { shop: new Map([[3, 'Centraal']]), turnover_group: new Map<number, string>() };
  const found = explainDifference(sideOf(now), sideOf(then), names);
  return found ?? expect.unreachable('there is turnover');
}

test('the parts of each view add up to the difference to the cent, whatever the reports', () => {
  const cents = fc.integer({ min: -500_000, max: 5_000_000 });
  const ids = fc.integer({ min: 1, max: 30 }).map(String);
  const amounts = fc.dictionary(ids, cents, { maxKeys: 20 });
  const side = fc.record({
    shops: amounts,
    groups: amounts,
    rest: cents,
    orders: fc.integer({ min: 0, max: 5000 }),
  });
  fc.assert(
    fc.property(side, side, (now, then) => {
      const { rows, ...whole } = explain(now, then);
      const difference = plain(whole.difference);
      expect(difference).toBe((total(now) - total(then)) / 100);
      const seen = new Set(rows.map(({ view }) => view));
      expect(seen.has('orders_and_value')).toBe(then.orders > 0);
      for (const view of seen) {
        const own = rows.filter((row) => row.view === view);
        expect(plain(sum(own.map((row) => row.difference)))).toBe(difference);
        if (view === 'orders_and_value') continue;
        expect(own.filter(({ id }) => id !== undefined).length).toBeLessThanOrEqual(8);
        const sides = own.map(({ current, reference }) => [current, reference]);
        expect(plain(sum(sides.map(([current]) => current)))).toBe(total(now) / 100);
        expect(plain(sum(sides.map(([, reference]) => reference)))).toBe(total(then) / 100);
      }
    }),
  );
});

describe('explainDifference', () => {
  test('gives orders at the old value of one, and the rest to the value', () => {
    const { rows, orders = expect.unreachable() } = explain(
      { shops: { 3: 449_818 }, orders: 58 },
      { shops: { 3: 510_240 }, orders: 67 },
    );
    expect(rows.slice(0, 2)).toEqual([
      {
        view: 'orders_and_value',
        part: 'order_count',
        current: 58,
        reference: 67,
        difference: -685.4,
      },
      {
        view: 'orders_and_value',
        part: 'average_order_value_wt',
        current: 77.55,
        reference: 76.16,
        difference: 81.18,
      },
    ]);
    expect(plainCounts(orders)).toEqual({
      count: 58,
      before: 67,
      byNumber: -685.4,
      byValue: 81.18,
    });
  });

  test('names the part that holds most of it, and the view that is missing', () => {
    const {
      orders = expect.unreachable(),
      largest,
      missing,
    } = explain(
      { shops: { 3: 100_000, 4: 50_000 }, orders: 10 },
      { shops: { 3: 150_000, 4: 40_000 }, orders: 11 },
    );
    expect(plainCounts(orders)).toEqual({
      count: 10,
      before: 11,
      byNumber: -172.73,
      byValue: -227.27,
    });
    expect(largest && [largest.part, plain(largest.difference)]).toEqual(['Centraal', -500]);
    expect(missing).toEqual([
      'No view by turnover group: the report has no turnover of a turnover group.',
    ]);
  });

  test.each([
    ['the reference has none', { shops: { 3: 1 }, orders: 0 }],
    ['counting orders needs the toolset orders', { shops: { 3: 1 } }],
  ])('has no view of orders: %s', (why, then) => {
    const { rows, missing } = explain({ shops: { 3: 5 }, orders: 2 }, then);
    expect(rows.map(({ view }) => view)).toEqual(['shop']);
    expect(missing[0]).toBe(`No view of orders and value per order: ${why}.`);
  });

  test('marks what is new or gone, keeps what is of no shop apart, and adds up the small', () => {
    const shops = Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [nth + 1, 100 * nth]));
    const { rows } = explain(
      { shops: { ...shops, 20: 5000 }, rest: 700 },
      { shops: { ...shops, 1: 90_000, 2: 1, 21: 6000 }, rest: 300 },
    );
    const own = rows.filter(({ view }) => view === 'shop');
    expect(own.slice(0, 3).map(({ part, difference, mark }) => [part, difference, mark])).toEqual([
      ['1', -900, undefined],
      ['21', -60, 'gone'],
      ['20', 50, 'new'],
    ]);
    expect(own.slice(-2).map(({ part, id, difference }) => [part, id, difference])).toEqual([
      ['others', undefined, 0],
      ['no shop', undefined, 4],
    ]);
    expect(own).toHaveLength(10);
  });

  test('is none where the report has no turnover incl. VAT as a whole', () => {
    const side = { facts: readFacts({ sales: { amount: 5 } }) };
    const names = { shop: new Map(), turnover_group: new Map() };
    expect(explainDifference(side, side, names)).toBeUndefined();
  });
});

test.each([
  [
    { shops: { 3: 449_818 }, orders: 58 },
    { shops: { 3: 510_240 }, orders: 67 },
    '-604.22 against 2026-11-14: fewer orders (58 for 67) -685.40, higher value per order +81.18.',
  ],
  [
    { shops: { 3: 150_000 }, orders: 10 },
    { shops: { 3: 190_000 }, orders: 11 },
    '-400.00 against 2026-11-14: 172.73 of it fewer orders (10 for 11), 227.27 lower value per order.',
  ],
  [
    { shops: { 3: 150_000, 4: 2 } },
    { shops: { 3: 140_000, 4: 1 } },
    '+100.01 against 2026-11-14: Centraal alone +100.00.',
  ],
])('the sentence of %j against %j says where the difference comes from', (now, then, text) => {
  const against = { from: '2026-11-14', to: '2026-11-14' };
  expect(sayExplained(against, undefined, explain(now, then))).toBe(text);
});
