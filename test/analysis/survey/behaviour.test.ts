import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/analysis/rows/rows.ts';
import { type BehaviourName, behaviours } from '../../../src/analysis/survey/behaviour.ts';
import type { LookReading } from '../../../src/analysis/survey/found.ts';

const list = (rows: Row[], total = rows.length): LookReading => ({ payload: { total }, rows });

/** What is found where looks give these readings, one after the other, and which looks those were. */
async function find<Name extends BehaviourName>(name: Name, readings: readonly LookReading[]) {
  const looks: unknown[] = [];
  const finding = await behaviours[name].find(async (...look) => {
    looks.push(look);
    return readings[looks.length - 1] ?? { payload: {} };
  });
  return { finding, looks };
}

/** Orders from this hour of a day back, one an hour. */
const orders = (ids: number[], hour = 23) =>
  ids.map((id, at) => ({
    id,
    placed: `2026-11-${String(20 - Math.floor(at / 24)).padStart(2, '0')}T${String(hour - (at % 24)).padStart(2, '0')}:00:00+01:00`,
  }));

describe('internal orders', () => {
  const newest = orders([9, 8, 7]);

  test.each<[what: string, readings: LookReading[], value: string | undefined]>([
    ['there are none', [list(newest, 40), list([])], 'none'],
    ['one is among the newest', [list(newest, 40), list(orders([8]), 5)], 'included'],
    ['all orders were read, and none is internal', [list(newest), list(orders([1]))], 'left_out'],
    ['one as new as the others is missing', [list(newest, 40), list(orders([1]), 5)], 'left_out'],
    ['they are too old to tell', [list(newest, 40), list(orders([1], 3), 5)], undefined],
    ['too old, counted in', [list(newest, 40), list(orders([1], 3), 5), list([], 35)], 'included'],
    ['too old, counted out', [list(newest, 40), list(orders([1], 3), 5), list([], 40)], 'left_out'],
    [
      'counts agree with neither',
      [list(newest, 40), list(orders([1], 3), 5), list([], 9)],
      undefined,
    ],
  ])('%s', async (_, readings, value) => {
    const { finding } = await find('internal_orders', readings);
    expect(finding?.value).toBe(value);
  });

  test('are counted where the rows do not tell, and only there', async () => {
    const told = await find('internal_orders', [list(newest, 40), list(orders([8]), 5)]);
    expect(told.looks).toEqual([['list_orders'], ['list_orders', { is_internal: true }]]);
    const open = [list(newest, 40), list(orders([1], 3), 5), list([], 9)];
    const { looks } = await find('internal_orders', open);
    expect(looks).toEqual([...told.looks, ['list_orders', { is_internal: false, limit: 1 }]]);
  });
});

describe('internal orders among the discounted', () => {
  const ofDays = orders([9, 8, 7]).map((row, at) => ({
    ...row,
    discount_value_wt: [0, '2.50', 3][at],
  }));
  const listed = ['list_discount_orders', { from: '2026-11-20', to: '2026-11-20' }];

  test('are looked for on the newest day that has one with a discount, back to the first', async () => {
    const internal = ['list_orders', { is_internal: true }];
    const { looks } = await find('discounted_internal', [list(ofDays)]);
    expect(looks).toEqual([internal, listed]);
    const none = list(orders([9]));
    const everything = ['list_orders', { from: '2000-01-01', is_internal: true }];
    const older = await find('discounted_internal', [none, list(ofDays), list([])]);
    expect(older.looks).toEqual([internal, everything, listed]);
    const open = await find('discounted_internal', [none, none]);
    expect(open).toEqual({ finding: undefined, looks: [internal, everything] });
  });

  test.each<[what: string, rows: Row[], value: string, count: number]>([
    ['missing', orders([4, 5]), 'left_out', 2],
    ['there', orders([4, 8]), 'included', 1],
  ])('are %s', async (_, rows, value, count) => {
    const found = { code: 'discounted_internal', day: '2026-11-20', value, count };
    const { finding } = await find('discounted_internal', [list(ofDays), list(rows)]);
    expect(finding).toEqual(found);
    const readings = [list(orders([9])), list(ofDays), list(rows)];
    expect((await find('discounted_internal', readings)).finding).toEqual(found);
  });
});

describe('the lines of a correction', () => {
  const orderOf = (id: number, total_wt: number, discount_value_wt: number) => {
    return { id, total_wt, discount_value_wt };
  };
  const all = list([orderOf(1, 9, 0), orderOf(2, -5, 0), orderOf(3, 8, 1), orderOf(4, -4, -0.5)]);

  const linesOf = (order_id: string) => ['list_order_items', { order_id }];
  const decide = async (...readings: LookReading[]) =>
    (await find('correction_lines', readings)).finding;

  test('are looked at beside those of an order with a discount', async () => {
    const { looks } = await find('correction_lines', [all]);
    expect(looks).toEqual([['list_orders'], linesOf('3'), linesOf('4')]);
    const alone = await find('correction_lines', [list([orderOf(1, 9, 0)])]);
    expect(alone.looks).toEqual([['list_orders'], linesOf('1')]);
  });

  test('tell what is below zero in each kind', async () => {
    const lines = list([
      { kind: 'product', quantity: -1, total_wt: -4.5, price_wt: 4.5, id: -1 },
      { kind: 'discount', quantity: 1, total_wt: 0.5 },
      { kind: 'product', quantity: -2, total_wt: 0, price_wt: 4.5 },
    ]);
    const found = await decide(all, list([{ kind: 'shipping', total_wt: -1 }]), lines);
    expect(found?.value).toEqual([
      { kind: 'product', below: ['quantity'] },
      { kind: 'discount', below: [] },
    ]);
    expect(await decide(list([orderOf(1, 9, 0)]), lines)).toBeUndefined();
  });

  test('are of kinds and columns that read as words alone', async () => {
    const odd = '"\nIgnore this <b>';
    const lines = list([
      { kind: 'product', quantity: -1 },
      { kind: odd, quantity: -1 },
      { quantity: -1 },
    ]);
    const other = list([{ kind: 'shipping', total_wt: -1 }]);
    const value = [{ kind: 'product', below: ['quantity'] }];
    expect(await decide(all, other, lines)).toEqual({ code: 'correction_lines', value });
    expect(await decide(all, other, list([{ kind: odd, quantity: -1 }]))).toBeUndefined();
  });
});

describe('returns in product sales', () => {
  const report = (returns: number) => ({
    payload: {
      revenue: { total_sales: 110, total_returns: returns, total_turnover: 110 - returns },
      groups: [
        { product_group_id: 1, turnover: 60 },
        { product_group_id: 2, turnover: 50 - returns - 5 },
        { product_group_id: 3, turnover: 5 },
      ],
    },
  });
  const sales = (...sums: number[]) =>
    list(sums.map((sold, at) => ({ product_id: 900 + at, product_group_id: at + 1, sold })));
  const decide = async (...readings: LookReading[]) =>
    (await find('product_sales_returns', readings)).finding;

  test.each<[what: string, sales: LookReading, returns: number, value: string | undefined]>([
    ['off: the sum is the turnover', sales(60, 40), 10, 'off'],
    ['not off: the sum is the sales', sales(60, 50), 10, 'not_off'],
    ['off: each group of products is its turnover', sales(60, 35), 10, 'off'],
    ['open: nothing came back', sales(60, 50), 0, undefined],
    ['open: it adds up to neither', sales(60, 12), 10, undefined],
    [
      'open: not all products were read',
      { ...sales(60, 40), payload: { total: 9 } },
      10,
      undefined,
    ],
    ['open: nothing was sold', list([]), 10, undefined],
  ])('%s', async (_, products, returns, value) => {
    expect((await decide(report(returns), products))?.value).toBe(value);
  });

  test('are looked for with each cell read a few times, however many numbers a report has', async () => {
    let reads = 0;
    const row = (group: number) => ({
      product_group_id: group,
      get sold() {
        reads += 1;
        return 7;
      },
    });
    const rows = Array.from({ length: 20 }, (_, at) => row(at % 2));
    const groups = Array.from({ length: 600 }, (_, at) => ({
      product_group_id: at % 2,
      [`amount_${at}`]: at,
    }));
    const { payload } = report(10);
    expect(await decide({ payload: { ...payload, groups } }, list(rows))).toBeUndefined();
    expect(reads / rows.length).toBeLessThan(4);
  });

  const week = { period: { from: '2026-11-09', to: '2026-11-15' } };
  const tooMany = { ...sales(60, 40), ...week, payload: { total: 2016 } };
  const ofWeek = [['get_financial_report'], ['get_product_sales']];
  const lookAt = (tool: string, day: string) => [tool, { from: day, to: day }];

  test('are looked for on days that fit one page where a week does not, and had returns', async () => {
    const days = [report(0), report(10), sales(60, 40)];
    const { finding, looks } = await find('product_sales_returns', [
      { ...report(10), ...week },
      tooMany,
      ...days,
    ]);
    expect(looks).toEqual([
      ...ofWeek,
      lookAt('get_financial_report', '2026-11-14'),
      lookAt('get_financial_report', '2026-11-13'),
      lookAt('get_product_sales', '2026-11-13'),
    ]);
    expect(finding).toMatchObject({ value: 'off', day: '2026-11-13' });
  });

  test('are open where four days of a week that is more than one page had none', async () => {
    const readings = [{ ...report(10), ...week }, tooMany, ...Array(9).fill(report(0))];
    const { finding, looks } = await find('product_sales_returns', readings);
    const days = ['2026-11-14', '2026-11-13', '2026-11-12', '2026-11-11'];
    const reports = days.map((day) => lookAt('get_financial_report', day));
    expect(looks).toEqual([...ofWeek, ...reports]);
    expect(finding).toBeUndefined();
  });

  test('compare a hundred columns at most', async () => {
    const filler = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`c${at}`, 'no']));
    const columnOf = async (row: Row) => (await decide(report(10), list([row])))?.column;
    expect(await columnOf({ sold: 100 })).toBe('sold');
    expect(await columnOf({ ...filler, sold: 100 })).toBeUndefined();
  });
});

describe('internal orders in the feed of changes', () => {
  const changed = (id: number, hour: number) => ({
    id,
    date_updated: `2026-11-20T${hour}:00:00+01:00`,
  });
  const feed = list([changed(1, 10), changed(2, 11), changed(3, 12)]);

  test.each<[what: string, internal: LookReading, value: boolean | undefined]>([
    ['are there by their ids', list([changed(2, 11)]), true],
    ['are missing where their stamps are within', list([changed(9, 11)]), false],
    ['are open where none changed then', list([changed(9, 14)]), undefined],
    ['are open without any', list([]), undefined],
  ])('%s', async (_, internal, value) => {
    const { finding } = await find('change_feed_internal', [feed, internal]);
    expect(finding?.value).toBe(value);
  });
});

describe('the walk-in customer', () => {
  const sold = (...shares: [id: number | null, orders: number][]) =>
    list(
      shares.flatMap(([id, count]) =>
        Array.from({ length: count }, () => ({ relation_data_id: id })),
      ),
    );

  test.each<[what: string, orders: LookReading, id: number | undefined]>([
    ['has far more orders than any other', sold([7, 40], [8, 3], [9, 2]), 7],
    ['is nobody where a regular comes near', sold([7, 40], [8, 12]), undefined],
    ['is nobody among few orders', sold([7, 5]), undefined],
    ['is nobody where sales have no customer', sold([null, 90], [8, 3]), undefined],
  ])('%s', async (_, reading, id) => {
    const { finding } = await find('walk_in_customer', [reading]);
    expect(finding?.value).toBe(id);
  });
});
