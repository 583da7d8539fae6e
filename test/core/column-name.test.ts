import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fieldOf,
  isAmountName,
  isCodeName,
  isCountName,
  isDayName,
  isDecimalName,
  isIdentifier,
  isIdName,
  isLinkName,
  isMomentName,
  isNameColumn,
  isNoAmount,
  isNoFigure,
  isPercentage,
  isStateName,
  nest,
} from '../../src/core/column-name.ts';

test.each<[claim: (column: string) => boolean, of: string[], notOf: string[]]>([
  [
    isIdentifier,
    ['id', 'shop_id', 'customer.id', 'order_number'],
    ['paid', 'number', 'total_wt', 'ids'],
  ],
  [
    isCodeName,
    ['sku', 'ean_code', 'order_number', 'zip', 'REF', 'customer.phone', 'order.reference'],
    ['total_wt', 'title', 'note', 'number_of_orders', 'reference_date', 'reference'],
  ],
  [isLinkName, ['backoffice_url', 'image.href', 'row_hash'], ['curl', 'url_count', 'title']],
  [isPercentage, ['percent', 'percent.total_wt', 'margin_percentage'], ['per', 'share', 'total']],
  [isCountName, ['order_count', 'items.count', 'quantity'], ['discount', 'account', 'counted']],
  [isAmountName, ['total_wt', 'revenue.total_ex'], ['wt', 'next', 'total']],
  [isDecimalName, ['total_wt', 'line.quantity', 'Weight'], ['wt', 'amounts', 'count']],
  [isIdName, ['id', 'order.shop_id', 'product_ids'], ['order_number', 'paid', 'idle']],
  [isMomentName, ['date_created', 'paid_at'], ['date', 'updated', 'at', 'candidate_x']],
  [isDayName, ['day', 'Datum', 'paid_date'], ['days', 'update', 'date_created']],
  [
    isNoAmount,
    ['shop_id', 'order_count', 'stock', 'worked.hours', 'vat_rate', 'share_of_total', 'percent.x'],
    ['total_wt', 'discount', 'duration', 'shared', 'paid', 'turnover'],
  ],
  [
    isNoFigure,
    ['shop_id', 'period.from', 'date', 'margin.percentage', 'tax_rate'],
    ['order_count', 'quantity', 'total_wt', 'discount'],
  ],
  [isStateName, ['date_updated', 'status', 'is_paid', 'total_wt'], ['date_created', 'id', 'notes']],
  [isNameColumn, ['name', 'shop_name', 'title'], ['names', 'username', 'name_id']],
])('$name knows its columns by their words', (claim, of, notOf) => {
  expect([...of, ...notOf].filter(claim)).toEqual(of);
});

test('fieldOf gives what a dotted name ends in', () => {
  expect(['shop_id', 'order.shop_id', 'a.b.c', ''].map(fieldOf)).toEqual([
    'shop_id',
    'shop_id',
    'c',
    '',
  ]);
});

test('columns with dots become objects, and leave every other object as it was', () => {
  expect(nest({ bucket: 1, 'a.b.c': 2, 'a.d': 3 })).toEqual({
    bucket: 1,
    a: { b: { c: 2 }, d: 3 },
  });
  nest({ '__proto__.a': 'polluted', 'constructor.prototype.a': 'polluted' });
  const fresh: Record<string, unknown> = {};
  expect(fresh.a).toBeUndefined();
  expect([nest({}).constructor, nest({ 'a.b': 1 }).a?.toString]).toEqual([undefined, undefined]);
  const long = Array(50_000).fill('a').join('.');
  expect(Object.keys(nest({ [long]: 1 }))).toEqual([long]);
});

test.each([
  [{ total: 1, 'total.wt': 3 }],
  [{ 'total.wt': 3, Total: 1 }],
  [{ '': 1, '.x': 2, 'a..b': 3, 'a.': 4 }],
])('no column takes the place of another: %j', (columns) => {
  expect(nest<unknown>(columns)).toEqual(columns);
});

test('every column is in its place, whatever the others are called', () => {
  const name = fc.array(fc.constantFrom('a', 'b', 'A', '', '__proto__'), { minLength: 1 });
  const names = fc.uniqueArray(name.map((steps) => steps.join('.')));
  fc.assert(
    fc.property(names, (all) => {
      const columns = Object.fromEntries(all.map((column, at) => [column, at]));
      const count = (value: unknown): number =>
        typeof value === 'object' && value !== null
          ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 0)
          : 1;
      expect(count(nest<unknown>(columns))).toBe(all.length);
    }),
  );
});
