import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shownLength, wrap } from '../../../src/cli/terminal/text.ts';

describe('wrap', () => {
  test.each<[string, number | undefined, string[]]>([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', undefined, ['one two three']],
    ['incomprehensibilities', 5, ['incomprehensibilities']],
    ['a \u001b[1mbold\u001b[22m word', 6, ['a \u001b[1mbold\u001b[22m', 'word']],
    ['', 5, ['']],
  ])('breaks %j to %s characters', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('loses no word, and makes no line too long that has two of them', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (given, width) => {
        const lines = wrap(given.join(' '), width);
        expect(lines.join(' ').split(' ')).toEqual(given);
        for (const line of lines)
          expect(line.includes(' ') ? shownLength(line) : 0).toBeLessThanOrEqual(width);
      }),
    );
  });
});
