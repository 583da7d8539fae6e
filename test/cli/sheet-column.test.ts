import { describe, expect, test } from 'vitest';
import { isCut, sheetColumn } from '../../src/cli/sheet-column.ts';

/** The first cell of a column as a sheet has it, and how it is shown. */
function cellOf(header: string, cells: readonly unknown[]) {
  const { format, valueAt } = sheetColumn(header, cells);
  return [valueAt(0), format];
}

/** 45000 is 15 March 2023 in a sheet. */
const march = 45_000;
const moment = 'yyyy-mm-dd hh:mm:ss';

describe('a column of a sheet', () => {
  test.each<[what: string, header: string, cells: unknown[], value: unknown, format: string]>([
    ['days as dates', 'day', ['2023-03-15'], march, 'yyyy-mm-dd'],
    ["moments by Amsterdam's clock in winter", 'at', ['2023-03-15T11:00:00Z'], march + 0.5, moment],
    ['and in summer', 'at', ['2023-07-15T10:00:00Z'], march + 122.5, moment],
    ['days before spreadsheets as text', 'day', ['1899-12-31'], '1899-12-31', 'yyyy-mm-dd'],
    ['amounts with two decimals', 'total_wt', [12.5, 3], 12.5, '#,##0.00'],
    ['amounts that came as text too', 'total_wt', ['1234.50'], 1234.5, '#,##0.00'],
    ['amounts of whole euros', 'total_wt', [12, 3], 12, '#,##0.00'],
    ['more decimals all shown', 'price', [1.2345, 2], 1.2345, '0.0000'],
    ['a number too small for decimals', 'price', [1e-7], 1e-7, 'General'],
    ['ids as whole numbers', 'shop_id', [42], 42, '0'],
    ['ids beyond 15 digits as text', 'id', ['1234567890123456', 1], '1234567890123456', '0'],
    ['amounts beyond 15 digits as text', 'sum', ['12345678901234.56'], '12345678901234.56', '0.00'],
    ['codes as text', 'sku', ['0031', '12'], '0031', '@'],
    ['digits among texts as text', 'order_number', ['31', 'W-31'], '31', '@'],
    ['order numbers as text, though they came as numbers', 'order_number', [31, 32], '31', '@'],
    ['codes that look like days as text', 'order_number', ['2026-11-02'], '2026-11-02', '@'],
    ['formulas of third parties as text', 'title', ['=HYPERLINK("x")'], '=HYPERLINK("x")', '@'],
    [
      'what a sheet would decode so that it stays',
      'title',
      ['a_x000D_b'],
      { richText: [{ text: 'a_x005F_x000D_b' }] },
      '@',
    ],
    [
      'what XML has no place for as no character',
      'title',
      ['a\uFFFEb\uFFFFc\uD800d'],
      'a\uFFFDb\uFFFDc\uFFFDd',
      '@',
    ],
    ['lists as JSON', 'tags', [['a', 1]], '["a",1]', '@'],
    ['flags', 'is_paid', [true, false], true, 'General'],
    ['nothing as an empty cell', 'title', [null, 'x'], null, '@'],
    ['an empty text as an empty cell', 'title', ['', 'x'], null, '@'],
  ])('holds %s', (_, header, cells, value, format) => {
    expect(cellOf(header, cells)).toEqual([value, format]);
  });

  test('cuts a text at the most that a cell holds, and never within a character', () => {
    const long = `${'x'.repeat(32_766)}😀 and more`;
    expect(cellOf('remark', [long])[0]).toBe('x'.repeat(32_766));
    expect([isCut(long), isCut('x'.repeat(32_767))]).toEqual([true, false]);
  });

  test('shows each figure of a report by what it measures', () => {
    const { format, formatAt } = sheetColumn('value', [12.5, 58], ['turnover', 'order_count']);
    expect([format, formatAt?.(0), formatAt?.(1)]).toEqual(['#,##0.00', undefined, '0']);
  });

  test.each([
    ['the widest of its cells', 'title', ['a', 'a title of 21 letters'], 23],
    ['its header, with room for the arrow of the filter', 'relation_data_id', [1], 19],
    ['what is shown of a moment', 'at', ['2023-03-15T11:00:00+01:00'], 21],
    ['60 at most', 'title', ['x'.repeat(200)], 60],
    ['8 at least', 'id', [1], 8],
  ])('is as wide as %s', (_, header, cells, width) => {
    expect(sheetColumn(header, cells).width).toBe(width);
  });
});
