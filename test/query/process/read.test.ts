import { expect, test } from 'vitest';
import { replaceBackticks } from '../../../src/query/process/read.ts';

test.each([
  ['SELECT `my id` FROM `shops`', 'SELECT "my id" FROM "shops"'],
  ['SELECT \'`a`\', "`b`" -- `c`', undefined],
  ["SELECT /* `a` */ $$`b`$$, E'\\'`c`'", undefined],
  ['SELECT `a"b`, `', undefined],
])('%s reads names in backticks as names in double quotes', (sql, quoted = sql) => {
  expect(replaceBackticks(sql)).toBe(quoted);
});
