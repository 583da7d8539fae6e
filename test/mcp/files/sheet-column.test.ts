import { describe, expect, test } from 'vitest';
import { sheetColumn } from '../../../src/mcp/files/sheet-column.ts';

/** The first cell of a column as a sheet has it, and how it is shown. */
function cellOf(name: string, cells: readonly unknown[]) {
  const { format, valueAt } = sheetColumn(name, cells, undefined);
  return [valueAt(0), format];
}

/** 45000 is 15 March 2023 in a sheet. */
const march = 45_000;
const moment = 'yyyy-mm-dd hh:mm:ss';

describe('a column of a sheet', () => {
  test.each<[what: string, name: string, cells: unknown[], value: unknown, format: string]>([
    ['days as dates', 'day', ['2023-03-15'], march, 'yyyy-mm-dd'],
    ["moments by Amsterdam's clock in winter", 'at', ['2023-03-15T11:00:00Z'], march + 0.5, moment],
    ['and in summer', 'at', ['2023-07-15T10:00:00Z'], march + 122.5, moment],
    ['days before spreadsheets as text', 'day', ['1899-12-31'], '1899-12-31', 'yyyy-mm-dd'],
    ['amounts with two decimals', 'total_wt', [12.5, 3], 12.5, '#,##0.00'],
    ['amounts that came as text too', 'total_wt', ['1234.50'], 1234.5, '#,##0.00'],
    ['amounts of whole euros', 'total_wt', [12, 3], 12, '#,##0.00'],
    ['more decimals as they are', 'price', [1.2345, 2], 1.2345, 'General'],
    ['counts', 'order_count', [58], 58, 'General'],
    ['ids as text', 'shop_id', [42], '42', '@'],
    [
      'amounts beyond 15 digits as text',
      'sum',
      ['12345678901234.56'],
      '12345678901234.56',
      'General',
    ],
    ['codes as text', 'sku', ['0031', '12'], '0031', '@'],
    ['digits among texts as text', 'note', ['31', 'W-31'], '31', '@'],
    ['order numbers as text, though they came as numbers', 'order_number', [31, 32], '31', '@'],
    ['codes that look like days as text', 'order_number', ['2026-11-02'], '2026-11-02', '@'],
    ['formulas of third parties as text', 'title', ['=HYPERLINK("x")'], '=HYPERLINK("x")', '@'],
    [
      'what XML has no place for as no character',
      'title',
      ['a\uFFFEb\u0007c\uD800d'],
      'a\uFFFDb\uFFFDc\uFFFDd',
      '@',
    ],
    ['lists as JSON', 'tags', [['a', 1]], '["a",1]', '@'],
    ['flags', 'is_paid', [true, false], true, 'General'],
    ['nothing as an empty cell', 'title', [null, 'x'], null, '@'],
    ['an empty text as an empty cell', 'title', ['', 'x'], null, '@'],
  ])('holds %s', (_, name, cells, value, format) => {
    expect(cellOf(name, cells)).toEqual([value, format]);
  });

  test('shortens a text that a cell cannot hold, visibly and never within a character', () => {
    const [cut] = cellOf('remark', [`${'x'.repeat(32_765)}😀 and more`]);
    expect(cut).toBe(`${'x'.repeat(32_765)}…`);
    expect(cellOf('remark', ['x'.repeat(32_767)])[0]).toBe('x'.repeat(32_767));
  });

  test('shows each figure of a report by what it measures', () => {
    const { format, formatAt } = sheetColumn('value', [12.5, 58], ['turnover', 'order_count']);
    expect([format, formatAt(0), formatAt(1)]).toEqual(['#,##0.00', undefined, 'General']);
  });
});
