import { expect, test } from 'vitest';
import { findRefusals } from '../../scripts/words.mjs';

test.each([
  ['/** What a tool answers. */', ['a.ts:1 "What a tool answers."']],
  ['const a = 1; // Of a list,\n// its first page.', ['a.ts:1 "Of a list, its first page."']],
  ['/**\n * Reads a list.\n * Those of the sandbox are short.\n */', ['a.ts:1 "Those of the']],
  ['/** The answer of a tool: what it is and whose. */', []],
  ["const text = 'What a tool answers.';", []],
])('the comments of %j are refused as %j', (source, refusals) => {
  expect(findRefusals([{ file: 'a.ts', source }])).toEqual(
    refusals.map((words) => expect.stringContaining(words)),
  );
});

test('a name that two files of src export is refused, in the sandbox a third time not', () => {
  const files = ['src/a/day.ts', 'src/b/day.ts', 'src/sandbox/day.ts'].map((file) => {
    return { file, source: 'export const day = 1;' };
  });
  const refusal = 'day is exported by src/a/day.ts and src/b/day.ts';
  expect(findRefusals(files)).toEqual([expect.stringContaining(refusal)]);
});
