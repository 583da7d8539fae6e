import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sayProblems, shownLength, wrap } from '../../../src/cli/terminal/text.ts';
import { settingMessages } from '../../../src/config/messages.ts';

test.each<[string, number | undefined, string[]]>([
  ['one two three', 7, ['one two', 'three']],
  ['one two three', undefined, ['one two three']],
  ['incomprehensibilities', 5, ['incomprehensibilities']],
  ['', 5, ['']],
])('wrap breaks %j to %s characters', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test('wrap loses no word, and makes no line too long that has two of them', () => {
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

test('what prevents a start has a line for each setting, and says how to try it without an account', () => {
  const problems = [
    { name: 'COMMERCE_BASE_URL', problem: settingMessages.missing_setting({ about: 'Address' }) },
    { name: '--port', problem: settingMessages.must_be_whole_number({ min: 0, max: 9 }) },
  ] as const;
  const [first, ...lines] = sayProblems(problems).split('\n');
  expect(first).toBe('commerce-mcp cannot start:');
  expect(lines.slice(0, 2)).toEqual([
    '  COMMERCE_BASE_URL is missing: Address',
    '  --port must be a whole number from 0 to 9',
  ]);
  expect(lines.at(-1)).toContain('demo, or add --sandbox.');
});
