import { describe, expect, test } from 'vitest';
import { numbersIn } from '../../../eval/judge/numbers.ts';

describe('the numbers in a text', () => {
  test.each([
    ['1046.78', [1046.78]],
    ['€ 1,046.78 incl. VAT', [1046.78]],
    ['€ 1.046,78 incl. btw', [1046.78]],
    ["1'046.78", [1046.78]],
    ['1 046,78', [1046.78, 1, 46.78]],
    ['1.234.567,8', [1234567.8]],
    ['1,234,567', [1234567]],
    ['12,50', [12.5]],
    ['1.234', [1234, 1.234]],
    ['1,234', [1234, 1.234]],
    ['1.2345', [1.2345]],
    ['| Webshop | -63.9% | 65 |', [63.9, 65]],
    ['65 200', [65200, 65, 200]],
    ['on 2026-11-03: 0.00', [0]],
    ['12.', [12]],
    ['no figure', []],
  ])('of "%s" are %j', (text, values) => {
    expect(numbersIn(text).map(({ value }) => value)).toEqual(values);
  });

  test('keep the decimals that they were written with', () => {
    expect(numbersIn('63.90 and 64')).toEqual([
      { value: 63.9, decimals: 2 },
      { value: 64, decimals: 0 },
    ]);
  });
});
