import { describe, expect, test } from 'vitest';
import {
  type Row,
  readCell,
  readColumns,
  requireColumn,
  selectFields,
  sortRows,
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

function sortValues(values: unknown[], sort: string): unknown[] {
  const rows = values.map((v) => ({ v }));
  const before = [...rows];
  const sorted = sortRows(rows, sort).rows.map(({ v }) => v);
  expect(rows).toEqual(before);
  return sorted;
}

describe('sortRows', () => {
  test.each<[string, string, unknown[], unknown[]]>([
    ['numbers by value', 'v', [10, 9, -1, 100], [-1, 9, 10, 100]],
    ['numbers in texts by value', 'v', ['10.5', 9, '-1'], ['-1', 9, '10.5']],
    [
      'numbers that no double tells apart',
      'v',
      ['9007199254740993', '9007199254740992'],
      ['9007199254740992', '9007199254740993'],
    ],
    ['downwards', '-v', [1, 3, 2], [3, 2, 1]],
    [
      'timestamps by instant',
      'v',
      ['2026-11-19T10:00:00+01:00', '2026-11-19T09:30:00Z', '2026-11-19'],
      ['2026-11-19', '2026-11-19T10:00:00+01:00', '2026-11-19T09:30:00Z'],
    ],
    ['false before true', 'v', [true, false], [false, true]],
    ['texts without regard to case', 'v', ['b', 'C', 'a', 'É'], ['a', 'b', 'C', 'É']],
    ['numbers within texts by value', 'v', ['T10', 'T9'], ['T9', 'T10']],
    ['nothing last', 'v', [null, 2, '', 1], [1, 2, null, '']],
    ['nothing last downwards too', '-v', [null, 1, undefined, 2], [2, 1, null, undefined]],
  ])('puts %s', (_what, sort, values, sorted) => {
    expect(sortValues(values, sort)).toEqual(sorted);
  });

  test('keeps the order of equal rows', () => {
    const rows = [
      { id: 1, total: 5 },
      { id: 2, total: 5 },
      { id: 3, total: 9 },
      { id: 4, total: 5 },
    ];
    expect(sortRows(rows, '-total').rows.map(({ id }) => id)).toEqual([3, 1, 2, 4]);
  });

  test('refuses a column that no row has', () => {
    expect(() => sortRows([{ total: 1 }], '-totl')).toThrow(
      reasonOf({ code: 'no_such_column', argument: 'sort', column: 'totl', columns: ['total'] }),
    );
  });
});

test.each([
  ['v', true, [9, 30, 5], [30, 9, 5], 'largest'],
  ['+v', true, [9, 30, 5], [5, 9, 30], 'smallest'],
  ['v', false, [9, 30, 5], [5, 9, 30], 'smallest'],
  ['v', true, ['2026-11-01', '2026-11-03'], ['2026-11-03', '2026-11-01'], 'newest'],
  ['v', true, ['b', 'a'], ['a', 'b'], 'a'],
  ['-v', false, ['a', 'b'], ['b', 'a'], 'z'],
])(
  'by %s (the first wanted: %s) %j are %j, the %s first',
  (sort, isTop, given, expected, first) => {
    const { rows, sorted } = sortRows(
      given.map((v) => ({ v })),
      sort,
      isTop,
    );
    expect(rows.map(({ v }) => v)).toEqual(expected);
    expect(sorted).toEqual({ by: 'v', first });
  },
);
