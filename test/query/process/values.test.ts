import { describe, expect, test } from 'vitest';
import type { ValueType } from '../../../src/query/process/value-type.ts';
import { readableValue } from '../../../src/query/process/values.ts';

const named = (name: string): ValueType => ({ name, text: name });

describe('a value', () => {
  test.each<[string, unknown, ValueType, unknown]>([
    ['nothing', null, named('BIGINT'), null],
    ['a whole number', '42', named('BIGINT'), 42],
    ['the largest safe one', '9007199254740991', named('BIGINT'), 9_007_199_254_740_991],
    ['one beyond', '9007199254740993', named('HUGEINT'), '9007199254740993'],
    ['an amount', '12.50', named('DECIMAL'), 12.5],
    ['a whole amount', '100.00', named('DECIMAL'), 100],
    ['zero', '-0.00', named('DECIMAL'), 0],
    ['a small amount', '0.000001', named('DECIMAL'), 0.000001],
    ['an amount of fifteen digits', '9999999999999.99', named('DECIMAL'), 9_999_999_999_999.99],
    ['an amount beyond', '12345678901234567.89', named('DECIMAL'), '12345678901234567.89'],
    ['dust', 0.1 + 0.2, named('DOUBLE'), 0.3],
    ['not a number', 'NaN', named('DOUBLE'), 'NaN'],
    ['the largest number', Number.MAX_VALUE, named('DOUBLE'), Number.MAX_VALUE],
    ['infinity', '-Infinity', named('DOUBLE'), '-Infinity'],
    ['a truth', true, named('BOOLEAN'), true],
    ['a day', '2026-11-02', named('DATE'), '2026-11-02'],
    [
      'an instant in winter',
      '2026-11-02 09:15:00+00',
      named('TIMESTAMP_TZ'),
      '2026-11-02T10:15:00+01:00',
    ],
    [
      'an instant in summer',
      '2026-07-02 09:15:00.5+00',
      named('TIMESTAMP_TZ'),
      '2026-07-02T11:15:00.5+02:00',
    ],
    ['the end of time', 'infinity', named('TIMESTAMP_TZ'), 'infinity'],
    ['a timestamp', '2026-11-02 09:15:00', named('TIMESTAMP'), '2026-11-02T09:15:00'],
    ['a time', '10:11:12.5', named('TIME'), '10:11:12.5'],
    [
      'an interval',
      { months: 14, days: -2, micros: '3500000' },
      named('INTERVAL'),
      '1 year 2 months -2 days 00:00:03.5',
    ],
    ['no interval', { months: 0, days: 0, micros: '0' }, named('INTERVAL'), '00:00:00'],
    ['a day as interval', { months: 0, days: 1, micros: '0' }, named('INTERVAL'), '1 day'],
    ['JSON', '{"a":[1]}', named('JSON'), { a: [1] }],
    [
      'a uuid',
      '9bbf00d0-b780-45ff-952d-2aa5666166b0',
      named('UUID'),
      '9bbf00d0-b780-45ff-952d-2aa5666166b0',
    ],
    ['a list', ['1.50', null], { ...named('LIST'), of: named('DECIMAL') }, [1.5, null]],
    [
      'an object',
      { a: '1', b: '2026-01-01' },
      {
        ...named('STRUCT'),
        fields: [
          ['a', named('BIGINT')],
          ['b', named('DATE')],
        ],
      },
      { a: 1, b: '2026-01-01' },
    ],
    [
      'a map',
      [{ key: '7', value: '1.5' }],
      { ...named('MAP'), key: named('BIGINT'), of: named('DECIMAL') },
      { 7: 1.5 },
    ],
    [
      'a union',
      { tag: 'num', value: '2' },
      { ...named('UNION'), fields: [['num', named('BIGINT')]] },
      2,
    ],
    ['what is not known', { a: 1 }, named('GEOMETRY'), '{"a":1}'],
  ])('that is %s', (_, value, type, expected) => {
    expect(readableValue(value, type)).toEqual(expected);
  });
});
