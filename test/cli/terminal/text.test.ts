import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { forPerson, wrap } from '../../../src/cli/terminal/text.ts';

describe('a sentence for a person', () => {
  test.each<[forModels: string, forPeople: string]>([
    ['They differ by 2. Pass the figures on as given and say so.', 'They differ by 2.'],
    [
      'say which days, such as period: "yesterday", or',
      'say which days, such as period=yesterday, or',
    ],
    ['name one location (location_id: 3).', 'name one location (location_id=3).'],
    ['give shop_id: "Utrecht Oost" instead', 'give shop_id="Utrecht Oost" instead'],
    ['list_orders: "utrecht" names 2 shops', 'list_orders: "utrecht" names 2 shops'],
    ['as of 2026-11-22T15:40:12+01:00;', 'as of 2026-11-22 15:40;'],
    ['at 2026-11-22T15:40:12Z', 'at 2026-11-22T15:40:12Z'],
  ])('of %j is %j', (text, said) => {
    expect(forPerson(text)).toBe(said);
  });
});

describe('wrap', () => {
  test.each<[string, number | undefined, string[]]>([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', undefined, ['one two three']],
    ['incomprehensibilities', 5, ['incomprehensibilities']],
    ['日本 日本 日本', 9, ['日本 日本', '日本']],
    ['', 5, ['']],
  ])('breaks %j to %s cells', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('loses no word, and makes no line too long that has two of them', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (given, width) => {
        const lines = wrap(given.join(' '), width);
        expect(lines.join(' ').split(' ')).toEqual(given);
        for (const line of lines)
          expect(line.includes(' ') ? stringWidth(line) : 0).toBeLessThanOrEqual(width);
      }),
    );
  });
});
