import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NestedValues } from '../../../src/query/process/answer.ts';
import { reasonOf } from '../../reasons.ts';

/** Every value of a JSON value, itself included. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 0);
}

describe('NestedValues', () => {
  test('counts at least the values of any list or object, and at most one more for each of those', () => {
    const nested = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(nested, (value) => {
        const json = JSON.stringify(value);
        const count = new NestedValues().add(json);
        expect(count).toBeGreaterThanOrEqual(valuesIn(value));
        expect(count).toBeLessThanOrEqual(2 * valuesIn(value));
      }),
    );
  });

  test.each(['1', '"[[1,2]"', 'null', '"{"'])('counts no values in the plain cell %s', (json) => {
    expect(new NestedValues().add(json)).toBe(0);
  });

  test.each<[what: string, cells: () => Iterable<string>]>([
    ['51 lists in each other', () => [`${'['.repeat(51)}${']'.repeat(51)}`]],
    [
      'a million lists over all cells',
      () => Array.from({ length: 1001 }, () => `[${'[],'.repeat(999)}[]]`),
    ],
    [
      'a name of its own in each object',
      () => Array.from({ length: 1001 }, (_, of) => `{"a\\"${of}":1}`),
    ],
  ])('refuses %s, and says what to select instead', (_, cells) => {
    const nested = new NestedValues();
    const addAll = () => {
      for (const cell of cells()) nested.add(cell);
    };
    expect(addAll).toThrow(reasonOf({ code: 'too_much_nested' }));
  });

  test.each([
    `${'['.repeat(50)}${']'.repeat(50)}`,
    `["${'['.repeat(60)}","\\\\",{"a":"\\\\\\"["}]`,
  ])('accepts what is just within, and brackets in texts', (json) => {
    expect(new NestedValues().add(json)).toBeGreaterThan(0);
  });
});
