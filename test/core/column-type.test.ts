import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ColumnTree,
  columnType,
  type FieldTypes,
  fillTree,
  kindsOf,
  mergeColumns,
  removeFields,
  typeOfKinds,
} from '../../src/core/column-type.ts';

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
  expect(columnType(values, name)).toBe(type);
});

test('the kinds of values are those of their parts together, in any order', () => {
  const value = fc.oneof(
    fc.constantFrom(null, '', ' ', 1, 2.5, '12', '1.50', 'x', true, [1], {}, '2026-11-02'),
    fc.jsonValue({ maxDepth: 1 }),
  );
  fc.assert(
    fc.property(fc.array(value), fc.array(value), fc.constantFrom('v', 'sku'), (a, b, name) => {
      const joined = typeOfKinds(kindsOf(a) | kindsOf(b), name);
      expect(joined).toBe(columnType([...a, ...b], name));
      expect(joined).toBe(columnType([...b, ...a], name));
    }),
  );
});

test('fillTree adds what values do not tell, and no second name that differs in case', () => {
  const type: ColumnTree<string> = { a: 'NULL', b: ['NULL'], c: { d: 'x' } };
  const known: ColumnTree<string> = { a: 'n', b: ['n'], c: { D: 'n', e: 'n' }, f: 'n' };
  const filled = { a: 'n', b: ['n'], c: { d: 'x', e: 'n' }, f: 'n' };
  expect(fillTree<string>(type, known, 'NULL')).toEqual(filled);
});

describe('mergeColumns', () => {
  test('takes the type of the first source that knows it, and the order of the last', () => {
    const documented = { order_number: 'text', tags: 'open' } as const;
    const looked = { id: 'integer', order_number: 'integer', tags: ['text'] } as const;
    const merged = mergeColumns(documented, looked);
    expect(merged).toEqual({ id: 'integer', order_number: 'text', tags: ['text'] });
    expect(Object.keys(merged)).toEqual(['id', 'order_number', 'tags']);
  });

  test('puts objects together field by field', () => {
    const address = mergeColumns(
      { address: { city: 'text', no: 'open' } },
      { address: { no: 'text' } },
    );
    expect(address).toEqual({ address: { city: 'text', no: 'text' } });
  });

  test('knows no column by a name of JavaScript itself', () => {
    const own: FieldTypes = JSON.parse('{"constructor": "text"}');
    expect(mergeColumns({}, own)).toEqual(own);
  });
});

test('removeFields leaves out by dotted names, within objects and lists', () => {
  const columns: FieldTypes = {
    name: 'text',
    address: { city: 'text', country: 'text' },
    lines: [{ name: 'text', price: 'decimal' }],
  };
  const isOut = (path: string) => ['name', 'address.city', 'lines.name'].includes(path);
  expect(removeFields(columns, isOut)).toEqual({
    address: { country: 'text' },
    lines: [{ price: 'decimal' }],
  });
});
