import { describe, expect, test } from 'vitest';
import {
  type LaidTable,
  layOut,
  meaningOf,
  shortName,
  withInnerLists,
} from '../../src/cli/layout.ts';
import type { JsonObject } from '../../src/core/json.ts';

/** The rows of a table. */
function rowsOf({ columns }: LaidTable): JsonObject[] {
  const count = columns[0]?.values.length ?? 0;
  const cells = (row: number) =>
    columns.flatMap(({ name, values }) => (values[row] === undefined ? [] : [[name, values[row]]]));
  return Array.from({ length: count }, (_, row) => Object.fromEntries(cells(row)));
}

/** The tables of a comparison that is split; undefined for one that is not. */
function comparisonTables(rows: readonly JsonObject[]) {
  const parts = layOut('compare_turnover', { data: rows }, true, true);
  const isSplit = parts.some(({ columns }) => columns.some((it) => it.measure !== undefined));
  return isSplit ? parts.map(rowsOf) : undefined;
}

/** A row of compare_turnover: what a shop had, and had before. */
function row(measure: string, id: number, current: number, reference: number): JsonObject {
  const difference = current - reference;
  const percent = reference === 0 ? null : (100 * difference) / reference;
  return { measure, id, name: `Shop ${id}`, current, reference, difference, percent };
}

describe('a comparison by shop', () => {
  test('is one row a shop with their total, amounts without VAT beside those with it', () => {
    const rows = [
      ...[row('shop_totals.turnover', 1, 100, 80), row('shop_totals.turnover_wt', 1, 121, 96)],
      ...[row('shop_totals.turnover', 2, 50, 20), row('shop_totals.turnover_wt', 2, 60.5, 24)],
    ];
    const [table, ...others] = comparisonTables(rows) ?? [];
    expect(others).toEqual([]);
    expect(table).toMatchObject([
      {
        id: 1,
        name: 'Shop 1',
        turnover: 100,
        turnover_wt: 121,
        reference_wt: 96,
        difference_wt: 25,
      },
      {
        id: 2,
        name: 'Shop 2',
        turnover: 50,
        turnover_wt: 60.5,
        reference_wt: 24,
        difference_wt: 36.5,
      },
      {
        id: null,
        name: 'Total',
        turnover: 150,
        turnover_wt: 181.5,
        reference_wt: 120,
        difference_wt: 61.5,
        percent: 51.25,
      },
    ]);
  });

  test('has a table for each other measure, and no total of what does not add up', () => {
    const rows = ['order_count', 'average_order_value', 'margin.percentage'].flatMap((measure) => [
      row(measure, 1, 10, 8),
      row(measure, 2, 20, 0),
    ]);
    const [counts, averages, margins] = comparisonTables(rows) ?? [];
    expect(counts?.at(-1)).toMatchObject({ name: 'Total', order_count: 30, percent: 275 });
    expect([averages, margins].map((it) => it?.length)).toEqual([2, 2]);
  });

  test('says of which part of a report a table is where several have the figure', () => {
    const rows = ['direct_paid.rates.turnover_wt', 'not_paid_now.rates.turnover_wt', 'rates.vat'];
    const tables = comparisonTables(rows.flatMap((measure) => [row(measure, 1, 10, 8)]));
    expect(tables?.map(([first]) => Object.keys(first ?? {})[1])).toEqual([
      ...['direct_paid.rates', 'not_paid_now.rates', 'name'],
    ]);
  });

  test('adds up the figures that are there where a row lacks one', () => {
    const unknown = { ...row('turnover_wt', 2, 20, 0), reference: null, difference: null };
    const [table] = comparisonTables([row('turnover_wt', 1, 10, 8), unknown]) ?? [];
    expect(table?.at(-1)).toEqual({
      id: null,
      name: 'Total',
      turnover_wt: 30,
      reference_wt: 8,
      difference_wt: 22,
      percent: 275,
    });
    const { current: _, ...closed } = row('turnover_wt', 2, 20, 8);
    const [first] = comparisonTables([closed, row('turnover_wt', 1, 10, 8)]) ?? [];
    expect(first?.at(-1)).toMatchObject({ turnover_wt: 10, reference_wt: 16 });
  });

  test('without a comparison holds figures alone', () => {
    const rows = [1, 2].map((id) => ({ measure: 'turnover_wt', id, name: `${id}`, current: id }));
    expect(comparisonTables(rows)).toEqual([
      [
        { id: 1, name: '1', turnover_wt: 1 },
        { id: 2, name: '2', turnover_wt: 2 },
        { id: null, name: 'Total', turnover_wt: 3 },
      ],
    ]);
  });

  test.each<[string, JsonObject[]]>([
    ['a total', [{ measure: 'turnover_wt', current: 1 }]],
    ['rows that hold more', [{ ...row('turnover_wt', 1, 2, 3), lowest: 1 }]],
    ['no rows', []],
  ])('stays as it is: %s', (_, rows) => {
    expect(comparisonTables(rows)).toBeUndefined();
  });
});

describe('a comparison with what is usual', () => {
  test('is a row a shop without a total: medians of parts do not add up', () => {
    const rows = [1, 2].map((id) => ({
      ...row('turnover_wt', id, 10, 8),
      low: 7,
      high: 9,
      rank: 3,
    }));
    const [table] = comparisonTables(rows) ?? [];
    expect(table?.map(({ name, low_wt, rank }) => [name, low_wt, rank])).toEqual([
      ['Shop 1', 7, 3],
      ['Shop 2', 7, 3],
    ]);
  });
});

describe('a column', () => {
  const trend = [1, 2].map((day) => ({
    bucket: `2026-11-0${day}`,
    'revenue.turnover_wt': day,
    'revenue.margin.value': day,
    reference: { 'revenue.turnover_wt': 2 },
  }));
  const [part] = layOut('turnover_trend', { data: trend }, true);

  test('of a course has its reference beside it, and a name that tells enough', () => {
    const names = part?.columns.map((column) => shortName(column, part));
    expect(names).toEqual(['bucket', 'turnover_wt', 'reference.turnover_wt', 'margin.value']);
    expect(part?.columns.map(({ isMain }) => isMain)).toEqual([false, true, true, false]);
  });

  test('called reference is a figure as its measure is, and no code', () => {
    const [whole] = layOut(
      'compare_turnover',
      { data: [{ measure: 'order_count', reference: 3 }] },
      true,
    );
    expect(whole?.columns.map(meaningOf)).toEqual(['figure', 'figure']);
    expect(part?.columns.map(meaningOf)[2]).toBe('revenue.turnover_wt');
  });
});

test('lists in rows are tables that say of which row each of theirs is', () => {
  const groups = [
    {
      id: 11,
      name: 'Boeken',
      shops: [
        { id: 1, n: 2 },
        { id: 3, n: 4 },
      ],
    },
  ];
  const [record, list] = layOut('get_report', { total: 1, groups }, true);
  expect(record?.columns.map(({ name }) => name)).toEqual(['total']);
  const tables = list ? withInnerLists(list) : [];
  expect(tables.map(({ name }) => name)).toEqual(['groups', 'groups.shops']);
  expect(tables.map(rowsOf)).toEqual([
    [{ id: 11, name: 'Boeken' }],
    [
      { 'row.id': 11, name: 'Boeken', id: 1, n: 2 },
      { 'row.id': 11, name: 'Boeken', id: 3, n: 4 },
    ],
  ]);
});
