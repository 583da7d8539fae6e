import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FactSplit,
  factSplits,
  readFacts,
  someFigure,
  unreadFigures,
} from '../../../src/analysis/reference/facts.ts';

const perShop = (shop_id: number, turnover_wt: number) => ({ shop_id, turnover_wt });

/** A financial report, as far as the documentation of its sections goes. */
const report = {
  from: '2026-11-19',
  to: '2026-11-19',
  location_id: 1,
  revenue: { total_turnover: 100.5, total_turnover_wt: '121.60', margin: { value: 40 } },
  direct_paid: {
    rates: [
      { tax_rate_id: 12, percentage: 21, turnover: 80, turnover_wt: 96.8 },
      { tax_rate_id: 11, percentage: 9, turnover: 20.5, turnover_wt: 22.35 },
    ],
    payments: [
      { provider_method_type_id: 5, type_alias: 'Cash', name: 'Contant', amount_wt: 20 },
      { provider_method_type_id: 6, type_alias: 'Terminal', name: 'PIN', amount_wt: 99.15 },
    ],
    balance_check: { difference_wt: 0, is_balanced: true },
  },
  turnover_by_group: {
    groups: [
      { product_group_id: 1, shops: [perShop(3, 70), perShop(7, 10)], turnover_wt: 80 },
      { product_group_id: 2, shops: [perShop(7, 41.6)], turnover_wt: 41.6 },
    ],
    shop_totals: [perShop(3, 70), perShop(7, 51.6)].map((row) => ({ ...row, location_id: 1 })),
    turnover_wt: 121.6,
  },
};

function factsBy(of: unknown, by: FactSplit) {
  return readFacts(of).filter(({ split }) => split === by);
}

/** The facts of a view as `measure id value`. */
function view(of: unknown, by: FactSplit): string[] {
  return factsBy(of, by).map(({ measure, ids, value }) =>
    [measure, ...Object.values(ids), value.toString()].join(' '),
  );
}

describe('a financial report', () => {
  const revenue = 'revenue.total_turnover 100.5; revenue.total_turnover_wt 121.6';
  const margin = 'revenue.margin.value 40';
  const shops = 'turnover_by_group.shop_totals.turnover_wt';
  const groups = 'turnover_by_group.groups.turnover_wt';
  const payments = 'direct_paid.payments.amount_wt';
  const rates = [
    'percentage 12 21; direct_paid.rates.turnover 12 80; direct_paid.rates.turnover_wt 12 96.8',
    'percentage 11 9; direct_paid.rates.turnover 11 20.5; direct_paid.rates.turnover_wt 11 22.35',
  ];
  const others = 'direct_paid.balance_check.difference_wt 0; turnover_by_group.turnover_wt 121.6';

  test.each<[FactSplit, string]>([
    ['total', `${revenue}; ${margin}; ${others}`],
    ['shop', `${shops} 3 70; ${shops} 7 51.6`],
    ['turnover_group', `${groups} 1 80; ${groups} 2 41.6`],
    ['payment_method', `${payments} 5 20; ${payments} 6 99.15`],
    ['tax_rate', rates.map((rate) => `direct_paid.rates.${rate}`).join('; ')],
    ['location', ''],
  ])('has by %s these facts and no others', (by, facts) => {
    expect(view(report, by).join('; ')).toBe(facts);
  });

  test('keeps what is broken down twice for itself, and names what it names', () => {
    const twice = readFacts(report).filter(({ ids }) => Object.keys(ids).length === 2);
    expect(twice.map(({ ids, value }) => [Object.values(ids), value.toNumber()])).toEqual([
      [[1, 3], 70],
      [[1, 7], 10],
      [[2, 7], 41.6],
    ]);
    const payments = factsBy(report, 'payment_method');
    expect(payments.map(({ name }) => name)).toEqual(['Contant', 'PIN']);
  });
});

describe('readFacts', () => {
  test('marks rows that no reference id tells apart, and leaves them out of every view', () => {
    const rates = [5, 1].map((vat) => ({ vat, shops: [{ shop_id: 3, vat }] }));
    const unnamed = { rates, vat: 6 };
    const rows = readFacts(unnamed).map(({ measure, line = 'whole' }) => `${measure} ${line}`);
    const first = ['rates.vat 0', 'rates.shops.vat 0.0'];
    expect(rows).toEqual([...first, 'rates.vat 1', 'rates.shops.vat 1.0', 'vat whole']);
    expect(factSplits.flatMap((by) => view(unnamed, by))).toEqual(['vat 6']);
  });

  test('marks a row without an id that is alone today: tomorrow there may be two', () => {
    const single = { rates: [{ percentage: 21, vat: 5 }] };
    expect(readFacts(single).map(({ line }) => line)).toEqual(['0', '0']);
    expect(view(single, 'total')).toEqual([]);
  });

  test('marks all rows of a list that has an id twice: it is finer than its ids say', () => {
    const lines = [1, 1, 2].map((product_group_id) => ({ product_group_id, vat: 5 }));
    expect(readFacts({ lines }).map(({ line }) => line)).toEqual(['0', '1', '2']);
    expect(view({ lines }, 'turnover_group')).toEqual([]);
  });

  test('keeps a row for what belongs to nothing', () => {
    const groups = [1, null].map((product_group_id) => ({ product_group_id, sold: 2 }));
    const facts = factsBy({ groups }, 'turnover_group');
    const ids = [{ product_group_id: 1 }, { product_group_id: null }];
    expect(facts.map((fact) => fact.ids)).toEqual(ids);
  });

  test('knows a shop by its own id, within its group and without its location', () => {
    const shop = { location_id: 1, shop_id: 3, net: 4 };
    const rows = [
      { product_group_id: '1', name: 'Wine', shops: [shop] },
      { shop_id: 'x', net: 5 },
    ];
    expect(readFacts({ rows }).map(({ ids, line, name }) => [ids, line, name])).toEqual([
      [{ product_group_id: 1, shop_id: 3 }, undefined, undefined],
      [{}, '1', undefined],
    ]);
    const sites = [{ location_id: 1, net: 9, shops: [{ shop_id: 3, net: 9 }] }];
    expect(view({ sites }, 'location')).toEqual(['sites.net 1 9']);
    expect(view({ sites }, 'shop')).toEqual(['sites.shops.net 3 9']);
  });

  test.each([
    ['ids and order numbers', { id: 1, shop: { user_id: 2, order_number: '33' } }],
    ['days, texts, truth and nothing', { a: '2026-11-19', b: 'x', c: true, d: null, e: '' }],
    ['no report', null],
    ['a text', 'five'],
  ])('finds no fact in %s', (_what, value) => {
    expect(readFacts(value)).toEqual([]);
  });

  test('has one fact at most for a measure and id in any view of any report', () => {
    const leaf = fc.oneof(fc.integer(), fc.constant(null), fc.boolean());
    const key = fc.constantFrom('shop_id', 'location_id', 'tax_rate_id', 'shops', 'rows', 'n', '3');
    const { tree } = fc.letrec((tie) => {
      const objects = fc.dictionary(key, tie('tree'), { maxKeys: 5 });
      const lists = fc.array(tie('tree'), { maxLength: 4 });
      return { tree: fc.oneof({ maxDepth: 6 }, leaf, objects, lists) };
    });
    fc.assert(
      fc.property(tree, (any) => {
        for (const by of factSplits) {
          const keys = factsBy(any, by).map(({ measure, ids }) => JSON.stringify([measure, ids]));
          expect(new Set(keys).size).toBe(keys.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['3,516.00', ['revenue.total']],
  ['€ 12,50', ['revenue.total']],
  ['n/a', ['revenue.total']],
  [null, ['revenue.total']],
  ['12.50', []],
  [12.5, []],
])('a figure that is %j beside one that is a number is unread: %j', (total, unread) => {
  const report = {
    from: '2026-11-02',
    revenue: { total, name: 'x', code: '00,31', percent: null },
  };
  const found = unreadFigures(report, new Set(['revenue.total', 'revenue.percent']));
  expect(found.map(({ measure }) => measure)).toEqual(unread);
});

test('a search of figures ends at the first that passes, and sees what the facts are', () => {
  const report = { turnover: 1, groups: [{ product_group_id: 5, total: '2' }], tips: 3 };
  const seen: string[] = [];
  const passes = (measure: string) => seen.push(measure) === 2;
  expect(someFigure(report, passes)).toBe(true);
  expect(seen).toEqual(['turnover', 'groups.total']);
  expect(someFigure(report, (measure) => seen.push(measure) < 0)).toBe(false);
  expect(seen.slice(2)).toEqual(readFacts(report).map(({ measure }) => measure));
});
