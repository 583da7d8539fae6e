import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { wrap } from '../../../src/cli/terminal/text.ts';

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
