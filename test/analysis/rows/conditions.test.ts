import { describe, expect, test } from 'vitest';
import { type Condition, filterRows } from '../../../src/analysis/rows/conditions.ts';
import { InputError } from '../../../src/core/errors.ts';

const now = Date.parse('2026-11-20T14:05:00+01:00');

const rows = [
  {
    id: 1,
    total: 12.5,
    at: '2026-11-18T23:30:00Z',
    city: 'Zürich',
    paid: true,
    ref: 'A12',
    flag: 1,
    code: '0031',
    price: '5.00',
    mixed: 7,
    tags: ['rood'],
  },
  {
    id: 2,
    total: 3,
    at: '2026-11-19T23:30:00+01:00',
    city: 'Den Haag',
    paid: false,
    ref: '12',
    flag: 0,
    code: '31',
    price: '12.50',
    mixed: 'seven',
    tags: [],
  },
  {
    id: 3,
    total: null,
    at: '',
    city: 'utrecht',
    paid: null,
    ref: '',
    flag: 1,
    code: '',
    price: '9007199254740993',
    mixed: true,
  },
  {
    id: 4,
    total: -1,
    at: '2026-11-20T08:00:00+01:00',
    city: 'Jansen, Piet',
    paid: true,
    ref: '7',
    flag: 0,
    code: '0031',
    price: '9007199254740992',
    mixed: '2026-11-20',
  },
];

function passing(...where: Condition[]): number[] {
  return filterRows(rows, where, now).map(({ id }) => Number(id));
}

describe('filterRows', () => {
  test.each<[string, string, Condition['op'], string | undefined, number[]]>([
    ['numbers by value', 'total', 'eq', '12.50', [1]],
    ['numbers below', 'total', 'lt', '3', [4]],
    ['numbers up to', 'total', 'lte', '3', [2, 4]],
    ['numbers above', 'total', 'gt', '3', [1]],
    ['numbers from', 'total', 'gte', '3', [1, 2]],
    ['other numbers, and rows without', 'total', 'ne', '3', [1, 3, 4]],
    ['any number of a list', 'total', 'in', '3, -1.00', [2, 4]],
    ['numbers that came as texts', 'price', 'eq', '5', [1]],
    ['numbers that no double tells apart', 'price', 'eq', '9007199254740993', [3]],
    ['true as 1', 'flag', 'eq', 'true', [1, 3]],
    ['a day as a whole', 'at', 'eq', '2026-11-19', [1, 2]],
    ['days up to and with', 'at', 'lte', 'yesterday', [1, 2]],
    ['days after', 'at', 'gt', 'yesterday', [4]],
    ['today', 'at', 'eq', 'Today', [4]],
    ['instants in any offset', 'at', 'eq', '2026-11-19T22:30:00Z', [2]],
    ['instants from, in Amsterdam time', 'at', 'gte', '2026-11-19T23:30', [2, 4]],
    ['text whatever its case and accents', 'city', 'eq', 'ZURICH', [1]],
    ['text that is part of one', 'city', 'contains', 'ha', [2]],
    ['other texts', 'city', 'ne', 'Utrecht', [1, 2, 4]],
    ['text in order', 'city', 'lt', 'jan', [2]],
    ['no empty text below another', 'ref', 'lt', 'A2', [2, 4]],
    ['any text of a list', 'city', 'in', 'utrecht, den haag', [2, 3]],
    ['a quoted text with a comma', 'city', 'in', '"Jansen, Piet",Zurich', [1, 4]],
    ['a code that looks like another number', 'code', 'eq', '31', [2]],
    ['a number among texts', 'ref', 'eq', '12.0', [2]],
    ['a number in a column of several kinds', 'mixed', 'eq', '7', [1]],
    ['what is true', 'paid', 'eq', 'true', [1, 4]],
    ['what is not, not what is unknown', 'paid', 'eq', '0', [2]],
    ['what is unknown too, with ne', 'paid', 'ne', 'yes', [2, 3]],
    ['what holds nothing', 'tags', 'empty', undefined, [2, 3, 4]],
    ['what holds something', 'at', 'not_empty', undefined, [1, 2, 4]],
    ['text within a list', 'tags', 'contains', 'Rood', [1]],
  ])('finds %s', (_what, column, op, value, ids) => {
    expect(passing({ column, op, value })).toEqual(ids);
  });

  test('asks for all conditions at once, and for none where there is none', () => {
    const paid: Condition = { column: 'paid', op: 'eq', value: 'true' };
    expect(passing(paid, { column: 'total', op: 'gt', value: '0' })).toEqual([1]);
    expect(passing()).toEqual([1, 2, 3, 4]);
  });

  test('finds nothing in no rows', () => {
    expect(filterRows([], [{ column: 'total', op: 'gt', value: '0' }], now)).toEqual([]);
  });

  test.each<[string, Condition, string]>([
    [
      'an unknown column',
      { column: 'totl', op: 'eq', value: '1' },
      'where: there is no column "totl"; did you mean total?',
    ],
    [
      'a missing value',
      { column: 'total', op: 'eq' },
      'where: eq on total needs a value. Rows without one are found by op "empty".',
    ],
    ['a blank value', { column: 'total', op: 'in', value: ' ' }, 'needs a value'],
    [
      'text for a number',
      { column: 'total', op: 'gt', value: '12,50' },
      'where: total holds numbers, and "12,50" cannot be compared with them. Give a number with a point, such as 12.50.',
    ],
    [
      'text for a time',
      { column: 'at', op: 'eq', value: 'last_week' },
      'where: at holds times, and "last_week" cannot be compared with them. Give YYYY-MM-DD, today, yesterday or an ISO 8601 time.',
    ],
    ['text for true or false', { column: 'paid', op: 'eq', value: 'maybe' }, 'Give true or false.'],
  ])('refuses %s', (_what, condition, message) => {
    expect(() => passing(condition)).toThrow(InputError);
    expect(() => passing(condition)).toThrow(message);
  });
});
