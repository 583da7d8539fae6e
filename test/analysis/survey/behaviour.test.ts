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
