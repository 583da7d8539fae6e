import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factColumns, factRows } from '../../../src/analysis/tables/fact-rows.ts';

const none = Object.fromEntries(
  Object.keys(factColumns)
    .filter((column) => column.endsWith('_id'))
    .map((column) => [column, null]),
);

describe('a report as rows', () => {
  const report = {
    from: '2026-11-01',
    location_id: null,
    turnover: 12.5,
    revenue: { total: 3, margin: { value: '1.25' } },
    groups: [
      { product_group_id: 5, turnover: 7, shops: [{ shop_id: 3, turnover: 4 }] },
      { product_group_id: 6, turnover: 5.5, shops: [] },
    ],
    is_balanced: true,
  };
  const rows = factRows(report);

  test.each([
    ['a total at the top', { path: '', measure: 'turnover', value: 12.5, split: 'total' }],
    ['a nested total', { path: 'revenue.margin', measure: 'value', value: 1.25, split: 'total' }],
    [
      'a part by one id',
      {
        path: 'groups',
        measure: 'turnover',
        value: 7,
        split: 'turnover_group',
        product_group_id: 5,
      },
    ],
    [
      'a part by two ids',
      {
        path: 'groups.shops',
        measure: 'turnover',
        value: 4,
        split: 'shop, turnover_group',
        product_group_id: 5,
        shop_id: 3,
      },
    ],
  ])('holds %s', (_, fact) => {
    expect(rows).toContainEqual({ ...none, name: null, line: null, ...fact });
  });

  test('has no ids, days or flags among its measures', () => {
    expect(new Set(rows.map(({ measure }) => measure))).toEqual(
      new Set(['turnover', 'total', 'value']),
    );
  });

  test('tells lines apart that no id does, and says so in the split', () => {
    const lines = factRows({ days: [{ amount: 1 }, { amount: 2 }] });
    expect(lines).toHaveLength(2);
    expect(new Set(lines.map(({ line }) => line)).size).toBe(2);
    for (const { split } of lines) expect(split).toContain('line');
  });

  test('is nothing for what is no report', () => {
    for (const odd of [null, undefined, 'text', [], {}]) expect(factRows(odd)).toEqual([]);
  });

  test('has the same columns in every row, whatever came', () => {
    const columns = Object.keys(factColumns).sort();
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (anything) => {
        for (const row of factRows(anything)) expect(Object.keys(row).sort()).toEqual(columns);
      }),
    );
  });
});
