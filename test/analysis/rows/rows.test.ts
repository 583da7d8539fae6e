import { describe, expect, test } from 'vitest';
import {
  type Row,
  readCell,
  readColumns,
  requireColumn,
  selectFields,
} from '../../../src/analysis/rows/rows.ts';
import { reasonOf } from '../../reasons.ts';

describe('readColumns', () => {
  test('reads a thousand columns of rows that are keyed by something else', () => {
    const columns = readColumns(Array.from({ length: 1500 }, (_, of) => ({ [`k${of}`]: of })));
    expect(columns.size).toBe(1000);
    expect(columns.get('k0')).toHaveLength(1500);
  });

  test.each([
    ['no rows', [], []],
    [
      'fields in the order first seen',
      [
        { id: 1, b: 2 },
        { a: 3, b: 4 },
      ],
      ['id', 'b', 'a'],
    ],
    ['nested fields', [{ a: { b: 'x', c: { d: 52 } } }], ['a.b', 'a.c.d']],
    ['a list as one cell', [{ tags: ['a'], lines: [{ n: 1 }] }], ['tags', 'lines']],
    ['an object that is missing at times', [{ a: null }, { a: { b: 1 } }, { a: {} }], ['a.b']],
    ['a value that is an object at times', [{ a: 'x' }, { a: { b: 'y' } }], ['a', 'a.b']],
    ['a field that is never filled', [{ a: null }, { a: {} }], ['a']],
    ['names with dots of their own', [{ 'a.b': 1, a: { c: 2 } }], ['a.b', 'a.c']],
    ['five levels at most', [{ a: { b: { c: { d: { e: { f: 1 } } } } } }], ['a.b.c.d.e']],
  ])('finds %s', (_what, rows, columns) => {
    expect([...readColumns(rows).keys()]).toEqual(columns);
  });

  test('gives every value of each column, and undefined where a row lacks it', () => {
    const columns = readColumns([
      { id: 1, a: { b: 'x' } },
      { id: 2, a: null, c: [1] },
    ]);
    expect([...columns.values()]).toEqual([
      [1, 2],
      ['x', undefined],
      [undefined, [1]],
    ]);
  });
});

describe('readCell', () => {
  const address = { city: 'Ede', 'geo.lat': 52 };
  const row = { id: 7, address, 'address.zip': '6711', nothing: null };

  test.each([
    ['id', 7],
    ['address.city', 'Ede'],
    ['address.geo.lat', 52],
    ['address.zip', '6711'],
    ['address', address],
    ['nothing', null],
    ['nothing.more', undefined],
    ['id.more', undefined],
    ['absent', undefined],
    ['constructor', undefined],
    ['__proto__.toString', undefined],
    ['address.constructor.name', undefined],
  ])('reads %s', (column, value) => {
    expect(readCell(row, column)).toEqual(value);
  });
});

describe('requireColumn', () => {
  const rows = [{ id: 1 }, { id: 2, total_wt: 5, address: { city: 'Ede' } }];

  test.each(['id', 'total_wt', 'address.city', 'address'])(
    'accepts %s, which a row has',
    (column) => {
      expect(() => requireColumn(rows, column, 'fields')).not.toThrow();
    },
  );

  test('refuses what none has, with all that there are; anything where there are no rows', () => {
    const columns = ['id', 'total_wt', 'address.city'];
    expect(() => requireColumn(rows, 'total_tw', 'fields')).toThrow(
      reasonOf({ code: 'no_such_column', argument: 'fields', column: 'total_tw', columns }),
    );
    expect(() => requireColumn([], 'anything', 'fields')).not.toThrow();
  });
});

describe('selectFields', () => {
  const address = { city: 'Ede', street: 'Dorpsstraat' };
  const rows: Row[] = [
    { id: 1, total: 5, address, 'a.b': 1, tags: ['x'] },
    { id: 2, total: null, address: null },
  ];

  test.each<[fields: string[], first: Row, second: Row]>([
    [['total', 'id'], { total: 5, id: 1 }, { total: null, id: 2 }],
    [['address.city'], { address: { city: 'Ede' } }, {}],
    [['address.city', 'address.street'], { address }, {}],
    [['address'], { address }, { address: null }],
    [['address', 'address.city'], { address }, { address: null }],
    [['a.b', 'tags'], { 'a.b': 1, tags: ['x'] }, {}],
  ])('keeps %j as it came', (fields, ...selected) => {
    const before = structuredClone(rows);
    expect(rows.map((row) => selectFields(row, fields))).toEqual(selected);
    expect(rows).toEqual(before);
  });
});
