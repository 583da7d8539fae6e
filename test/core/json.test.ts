import { describe, expect, test } from 'vitest';
import { parseJson, toNumber } from '../../src/core/json.ts';

describe('toNumber', () => {
  test.each([
    [5, 5],
    ['12.5', 12.5],
    ['five', Number.NaN],
    [null, Number.NaN],
    [true, Number.NaN],
    [[7], Number.NaN],
    [{ toString: 1, valueOf: 1 }, Number.NaN],
    [undefined, Number.NaN],
  ])('takes %j for %d', (value, expected) => {
    expect(toNumber(value)).toBe(expected);
  });
});

describe('parseJson', () => {
  test.each(['', '{', 'yesterday', '[1,', 'undefined', "{'a':1}"])(
    'finds no value in %j',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );
});
