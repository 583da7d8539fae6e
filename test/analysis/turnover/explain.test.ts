import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFacts } from '../../../src/analysis/reference/facts.ts';
import { explainParts } from '../../../src/analysis/turnover/explain.ts';
import {
  splitKinds,
  splitTurnover,
  wholeTurnover,
} from '../../../src/analysis/turnover/split-turnover.ts';
import { addDays } from '../../../src/core/calendar.ts';
import { plain, sum, toDecimal } from '../../../src/core/money.ts';
import { periodOf } from '../../../src/core/periods.ts';

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

const names = { shop: new Map([[3, 'Centraal']]), turnover_group: new Map<number, string>() };
const day = '2026-11-14';
const oneDay = { from: day, to: day };

function split(...all: readonly Side[]) {
  const sides = all.map(sideOf);
  const facts = sides.map((side) => side.facts);
  return {
    whole: wholeTurnover(facts) ?? expect.unreachable('there is turnover'),
    orders: sides.map(({ orders }) => orders),
    views: splitKinds.map((view) => ({ view, parts: splitTurnover(facts, view, names[view]) })),
  };
}

function explain(now: Side, then: Side) {
  return explainParts(split(now, then), { others: [periodOf(oneDay)], unusual: [] });
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
      const { rows } = explain(now, then);
      const difference = (total(now) - total(then)) / 100;
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

describe('explainParts against one period', () => {
  test('gives orders at the old value of one, and the rest to the value', () => {
    const { rows } = explain(
      { shops: { 3: 449_818 }, orders: 58 },
      { shops: { 3: 510_240 }, orders: 67 },
    );
    const view = 'orders_and_value';
    const average = { part: 'average_order_value_wt', current: 77.55, reference: 76.16 };
    expect(rows.slice(0, 2)).toEqual([
      { view, part: 'order_count', current: 58, reference: 67, difference: -685.4 },
      { view, ...average, difference: 81.18 },
    ]);
  });

  test.each([
    ['the reference has none', { shops: { 3: 1 }, orders: 0 }],
    ['they are not counted', { shops: { 3: 1 } }],
  ])('has no view of orders where %s, and none of groups without groups', (_, then) => {
    const { rows, summary } = explain({ shops: { 3: 5 }, orders: 2 }, then);
    expect(rows.map(({ view }) => view)).toEqual(['shop']);
    expect(summary).toEqual(['+0.04 against 2026-11-14.']);
  });

  test('has zero for parts of one report, keeps amounts of no shop apart, and adds up the small', () => {
    const shops = Object.fromEntries(Array.from({ length: 12 }, (_, nth) => [nth + 1, 100 * nth]));
    const { rows } = explain(
      { shops: { ...shops, 20: 5000 }, rest: 700 },
      { shops: { ...shops, 1: 90_000, 2: 1, 21: 6000 }, rest: 300 },
    );
    const own = rows.filter(({ view }) => view === 'shop');
    const values = own.slice(0, 3).map((row) => [row.part, row.current, row.reference]);
    expect(values).toEqual([
      ['1', 0, 900],
      ['21', 0, 60],
      ['20', 50, 0],
    ]);
    expect(own.slice(-2).map(({ part, id, difference }) => [part, id, difference])).toEqual([
      ['others', undefined, 0],
      ['no shop', undefined, 4],
    ]);
    expect(own).toHaveLength(10);
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
      '-400.00 against 2026-11-14: fewer orders (10 for 11) -172.73, lower value per order -227.27.',
    ],
    [
      { shops: { 3: 150_000, 4: 2 } },
      { shops: { 3: 140_000, 4: 1 } },
      '+100.01 against 2026-11-14: Centraal alone +100.00.',
    ],
  ])('the sentence of %j against %j says where the difference comes from', (now, then, text) => {
    expect(explain(now, then).summary[0]).toBe(text);
  });
});

test('a report without turnover incl. VAT as a whole has none', () => {
  const facts = readFacts({ sales: { amount: 5 } });
  expect(wholeTurnover([facts, facts])).toBeUndefined();
});

describe('explainParts against usual', () => {
  const counted = [1, 2, 3, 4].map((weeks) => addDays(day, -7 * weeks));
  const others = counted.map((from) => periodOf({ from, to: from }));
  const usual = (now: Side, earlier: readonly Side[], shop_id = 9) =>
    explainParts(split(now, ...earlier), {
      others,
      like: 'Saturdays',
      unusual: [{ day: counted[0] ?? '', note: 'roadworks', unusual: true, shop_id }],
    });
  const before = [
    { shops: { 3: 100, 4: 500 }, orders: 5 },
    { shops: { 3: 200, 4: 300 }, orders: 4 },
    { shops: { 3: 300, 4: 100 }, orders: 3 },
    { shops: { 3: 400 }, orders: 2 },
  ];
  const now = { shops: { 3: 450, 4: 150 }, orders: 4 };

  test('has each part beside its own usual, and what medians leave in a row of its own', () => {
    const { rows } = usual(now, before);
    const shops = [
      { part: 'Centraal', id: 3, current: 4.5, reference: 2.5, low: 1, high: 4, rank: 5 },
      { part: '4', id: 4, current: 1.5, reference: 2, low: 0, high: 5, rank: 3 },
    ];
    // The median of the whole is 4.50, as medians of these are together.
    expect(rows.filter(({ view }) => view === 'shop')).toEqual(
      shops.map((row) => ({ view: 'shop', ...row, difference: row.current - row.reference })),
    );
    expect(rows[0]).toMatchObject({ part: 'order_count', current: 4, reference: 3.5, rank: 3 });
    expect(rows[1]).toMatchObject({ current: 1.5, reference: 1.29, low: 1.2, high: 2 });
  });

  test('names only parts outside their own usual, with how many chance gives', () => {
    expect(usual(now, before).summary[0]).toBe(
      '1 of 4 parts outside their own usual (by chance about 2): Centraal 4.50 (highest of 5).',
    );
    const low = { shops: { 3: 250, 4: 150 }, orders: 1 };
    expect(usual(low, before).summary[0]).toBe(
      '2 of 4 parts outside their own usual (by chance about 2): order_count 1 (lowest of 5), average_order_value_wt 4.00 (highest of 5).',
    );
  });

  test('in each view adds up to the difference from the usual whole, whatever the reports', () => {
    const cents = fc.integer({ min: -500_000, max: 5_000_000 });
    const amounts = fc.dictionary(fc.integer({ min: 1, max: 15 }).map(String), cents);
    const side = fc.record({ shops: amounts, groups: amounts, rest: cents, orders: fc.nat(50) });
    const sides = fc.array(side, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(side, sides, (current, earlier) => {
        const { rows } = usual(current, earlier);
        const sorted = earlier.map(total).toSorted((a, b) => a - b);
        const median = Math.round(((sorted[1] ?? 0) + (sorted[2] ?? 0)) / 2);
        for (const view of ['shop', 'turnover_group']) {
          const own = rows.filter((row) => row.view === view);
          if (own.length === 0) continue;
          const difference = sum(own.map((row) => row.difference))
            .times(100)
            .toNumber();
          expect(Math.abs(difference - (total(current) - median))).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('leaves a day out that was unusual for a shop, of that shop alone', () => {
    const { rows } = usual(now, before, 3);
    const shops = rows.filter(({ view }) => view === 'shop');
    expect(shops.map(({ id, reference }) => [id, reference])).toEqual([
      [3, 3],
      [4, 2],
      [undefined, -0.5],
    ]);
  });

  test('names nothing where there are too few earlier periods', () => {
    const few = { others: others.slice(0, 1), like: 'Saturdays', unusual: [] };
    expect(explainParts(split(now, {}), few).summary).toEqual([]);
  });
});
