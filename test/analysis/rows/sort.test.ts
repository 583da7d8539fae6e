import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortRows } from '../../../src/analysis/rows/rows.ts';
import { reasonOf } from '../../reasons.ts';

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

  test('leaves equals as they were', () => {
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

  test('keeps every row and puts each pair in order', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: null })), (values) => {
        const numbers = values.filter((v) => v !== null).sort((a, b) => a - b);
        const empty = values.filter((v) => v === null);
        expect(sortValues(values, 'v')).toEqual([...numbers, ...empty]);
      }),
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
