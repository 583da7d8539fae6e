import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseLossless,
  stringifyLossless,
} from '../../../../src/query/statement/tree/lossless-json.ts';

describe('JSON whose numbers are kept', () => {
  test.each([
    '{"query_location":18446744073709551615,"x":1}',
    '[10.0,-0.0,1e+300,-9223372036854775808,9007199254740993,1.5,1e-7,12345678901234567890]',
    '{"text":"18446744073709551615 \\" 9223372036854775807","n":9223372036854775807}',
    '{"text":"{\\"$number\\":\\"1\\"}"}',
    '["\\\\",9223372036854775807,"a\\\\\\"b"]',
  ])('goes through unchanged: %s', (text) => {
    expect(stringifyLossless(parseLossless(text))).toBe(text);
  });

  test('reads small numbers as numbers', () => {
    expect(parseLossless('[1, 2.5, -3]')).toEqual([1, 2.5, -3]);
  });

  test('changes no other JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyLossless(parseLossless(text))).toBe(text);
      }),
    );
  });
});
