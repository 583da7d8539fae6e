import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord, numberIn, parseJson, textIn } from '../../src/core/json.ts';

describe('isRecord', () => {
  test.each([{}, { a: 1 }, Object.create(null)])('takes %j for an object of named values', (it) => {
    expect(isRecord(it)).toBe(true);
  });

  test.each([null, undefined, [], [{}], 'text', 5, true])('takes %j for none', (it) => {
    expect(isRecord(it)).toBe(false);
  });
});

describe('numberIn', () => {
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
    expect(numberIn(value)).toBe(expected);
  });
});

describe('textIn', () => {
  test.each([
    ['12', '12'],
    [12.5, '12.5'],
    [true, ''],
    [null, ''],
    [['NL'], ''],
    [{ toString: 1, valueOf: 1 }, ''],
  ])('takes %j for %j', (value, expected) => {
    expect(textIn(value)).toBe(expected);
  });
});

describe('parseJson', () => {
  test('gives back what a text encodes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // -0 is 0 in JSON.
        expect(JSON.stringify(parseJson(JSON.stringify(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each(['', '{', 'yesterday', '[1,', 'undefined', "{'a':1}"])(
    'finds no value in %j',
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  test('tells null from no JSON', () => {
    expect(parseJson('null')).toBeNull();
  });
});
