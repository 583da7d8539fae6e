import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alignAnswer, alignRows } from '../../../src/cli/terminal/table.ts';

const columns = (...rows: string[][]) => rows.map((row) => row.join('|')).join('\n');

test.each<[what: string, text: string, width: number, shown: string[]]>([
  [
    'numbers to the right',
    'tool: 2 rows\n# Read.\nname|total\nA|1234.50\nBcd|-2.00\n# End.',
    80,
    ['tool: 2 rows', '# Read.', 'name    total', 'A     1234.50', 'Bcd     -2.00', '# End.'],
  ],
  ['bars and backslashes of a name', 'a|b\nx\\|y|\\\\1', 80, ['a    b', 'x|y  \\1']],
  ['a line alone as it is', 'title: this | that\nnext', 80, ['title: this | that', 'next']],
  ['a sentence of the server', '# a|b\n# c|d', 80, ['# a|b', '# c|d']],
  ['two tables apart', 'a|b\n1|2\nc|d|e\n3|4|5', 80, ['a  b', '1  2', 'c  d  e', '3  4  5']],
  ['sentences broken at words', '# one two three', 9, ['# one two', 'three']],
])('an answer has %s', (_, text, width, shown) => {
  const lines = alignAnswer(text, width).split('\n');
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual(
    shown.map((line) => line.replaceAll(/ {2,}/g, '  ')),
  );
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
});

test('columns that find no room stand below, beside the first', () => {
  const names = Array.from({ length: 6 }, (_, at) => `column_${at}`);
  const lines = alignRows(names, [names.map((_, at) => String(1000 + at))], 30);
  expect(lines).toEqual([
    ...['column_0  column_1  column_2', '    1000      1001      1002', ''],
    ...['column_0  column_3  column_4', '    1000      1003      1004', ''],
    ...['column_0  column_5', '    1000      1005'],
  ]);
});

test('numbers stand below each other to the last digit', () => {
  expect(alignRows(['n'], [['5'], ['123.45'], ['']], 80)).toEqual([
    '     n',
    '     5',
    '123.45',
    '',
  ]);
});

test('a terminal shows every word of an answer that a pipe has', () => {
  const cell = fc.stringMatching(/^[a-z0-9.]{0,12}$/);
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 });
  const sentence = fc.stringMatching(/^# [a-z |]{1,60}$/);
  const answer = fc.array(
    fc.oneof(
      sentence,
      table.map((rows) => columns(...rows)),
    ),
    { minLength: 1 },
  );
  const words = (text: string) => text.replaceAll(/[\s|]+/g, ' ').trim();
  fc.assert(
    fc.property(answer, fc.integer({ min: 80, max: 2000 }), (parts, width) => {
      const text = parts.join('\n');
      expect(words(alignAnswer(text, width))).toBe(words(text));
    }),
  );
});
