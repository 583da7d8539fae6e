import { expect, test } from 'vitest';
import {
  fieldOf,
  isAmountName,
  isCodeName,
  isCountName,
  isIdentifier,
  isLinkName,
  isNameColumn,
  isNoAmount,
  isNoFigure,
  isOfState,
  isPercentage,
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
  [isOfState, ['date_updated', 'status', 'is_paid', 'total_wt'], ['date_created', 'id', 'notes']],
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
