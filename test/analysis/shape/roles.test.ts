import { describe, expect, test } from 'vitest';
import { speakFor } from '../../../src/analysis/shape/roles.ts';
import type { FieldTypes } from '../../../src/core/column-type.ts';

/** A role as an account says it whose tools all have these columns. */
const say = (role: string, columns: FieldTypes) => speakFor(() => columns)(`<${role}|none>`);

const orders = {
  id: 'integer',
  order_number: 'text',
  shop_id: 'integer',
  discount_value_wt: 'decimal',
} as const;
const lines = { id: 'integer', kind: 'text', sku: 'text', product_id: 'integer' } as const;

describe('a role in the names of an account', () => {
  test.each<[role: string, columns: FieldTypes, name: string]>([
    ['order total with VAT', { ...orders, total_wt: 'decimal', total_ex: 'decimal' }, 'total_wt'],
    ['order total with VAT', { ...orders, bedrag_wt: 'decimal', bedrag: 'decimal' }, 'bedrag_wt'],
    ['order total with VAT', { ...orders, total_wt: 'decimal', rest_wt: 'decimal' }, 'total_wt'],
    ['order total with VAT', { a_wt: 'decimal', b_wt: 'decimal' }, 'none'],
    ['order total with VAT', orders, 'none'],
    ['order moment', { date_updated: 'timestamp', placed: 'timestamp' }, 'placed'],
    ['order moment', { date_placed: 'day', delivered: 'timestamp' }, 'date_placed'],
    ['order moment', { one: 'timestamp', other: 'timestamp' }, 'none'],
    ['line title', { ...lines, description: 'text' }, 'description'],
    ['line title', { ...lines, title: 'text', note: 'text' }, 'title'],
    ['line title', { ...lines, note: 'text', remark: 'text' }, 'none'],
    ['line quantity', { ...lines, units: 'decimal', price_wt: 'decimal' }, 'units'],
    [
      'line quantity',
      { ...lines, quantity: 'integer', amount: 'decimal', amount_wt: 'decimal' },
      'quantity',
    ],
    ['line quantity', { quantity: 'text' }, 'none'],
    ['line total with VAT', { unit_price_wt: 'decimal', due_wt: 'decimal' }, 'due_wt'],
    [
      'product turnover with VAT',
      { turnover: 'decimal', turnover_wt: 'decimal', cost: 'decimal' },
      'turnover_wt',
    ],
    // Names that SQL would not take as they are, or that say more than a name does.
    ['line title', { ...lines, desc: 'text' }, 'none'],
    ['order total with VAT', { 'sum, incl. VAT_wt': 'decimal' }, 'none'],
    ['order moment', { [`${'long_'.repeat(20)}`]: 'timestamp' }, 'none'],
  ])('%s of %j is %s', (role, columns, name) => {
    expect(say(role, columns)).toBe(name);
  });

  test('lists at most eight columns of orders, without ids, addresses and the other side of VAT', () => {
    const columns: FieldTypes = {
      ...orders,
      buyer: 'text',
      segment_id: 'integer',
      phase: 'text',
      paid: 'boolean',
      due_wt: 'decimal',
      due: 'decimal',
      placed: 'timestamp',
      page_url: 'text',
      note: 'text',
      other: 'text',
      address: { city: 'text' },
    };
    expect(say('order columns', columns)).toBe(
      'order_number, shop_id, placed, due_wt, buyer, phase, paid, note',
    );
    expect(say('order columns', orders)).toBe('none');
  });
});

test('an account that has shown nothing is spoken to in general words', () => {
  const speak = speakFor(() => ({}));
  expect(speak('sum(<line quantity|1>), sum(i.<line quantity>)')).toBe(
    'sum(1), sum(i.<line quantity>)',
  );
});

test.each(['a < b AND c > d', '<b>', 'stock <= 5 OR a <> b', '<other role|x>'])(
  '%s stays as it is',
  (text) => {
    expect(speakFor(() => orders)(text)).toBe(text);
  },
);
