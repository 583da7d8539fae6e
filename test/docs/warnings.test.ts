import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { warningCodes } from '../../src/core/warning.ts';

test('docs/answers.md says what each code of a warning means, and of no other', () => {
  const [, section = ''] = readFileSync('docs/answers.md', 'utf8').split('### Warnings\n');
  const [table = ''] = section.split('\n### ');
  const documented = [...table.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, code]) => code);
  expect(documented).toEqual([...warningCodes]);
});
