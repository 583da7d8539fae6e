import { expect, test } from 'vitest';
import { columnType, valueType } from '../../src/core/column-type.ts';

test.each([
  ['whole numbers', [1, null, 7], 'integer'],
  ['decimals among whole numbers', [1, 2.5], 'decimal'],
  ['amounts as text', ['1.50', '2', ''], 'decimal'],
  ['digits as text: a code', ['12', '7'], 'text'],
  ['digits as text among true numbers', ['12', 7], 'integer'],
  ['days', ['2026-11-02', null, ' '], 'day'],
  ['moments and days', ['2026-11-02T10:15:00Z', '2026-11-02'], 'timestamp'],
  ['truths', [true, false], 'boolean'],
  ['truths and numbers', [true, 1], 'mixed'],
  ['texts and numbers', ['x', 1], 'mixed'],
  ['lists and objects', [[1], { a: 1 }], 'nested'],
  ['objects and texts', [{ a: 1 }, 'x'], 'mixed'],
  ['nothing', [null, '', [], {}], 'empty'],
])('a column of %s', (_, cells, type) => {
  expect(columnType(cells)).toBe(type);
});

test.each([
  ['order_number', [1, 2], 'text'],
  ['sku', ['12.50'], 'text'],
  ['sku', [12.5], 'decimal'],
  ['total_wt', [1, 2], 'integer'],
])('of codes values are text, be they written as numbers: %s %j', (name, values, type) => {
  expect(valueType(values, name)).toBe(type);
});
