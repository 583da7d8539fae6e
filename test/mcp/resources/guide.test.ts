import { describe, expect, test } from 'vitest';
import { referenceSpaces } from '../../../src/analysis/reference/reference.ts';
import { analysisTools } from '../../../src/analysis/tools.ts';
import { periodWords } from '../../../src/core/period-words.ts';
import { endpoints } from '../../../src/endpoints/index.ts';
import { guide } from '../../../src/mcp/resources/guide.ts';

describe('the guide', () => {
  test.each(periodWords)('names the period %s', (word) => {
    expect(guide).toContain(word);
  });

  test.each(referenceSpaces.map(({ idField, endpoint }) => [idField, endpoint.tool]))(
    'says which tool lists the names of %s: %s',
    (idField, tool) => {
      expect(guide).toMatch(new RegExp(`^\\| ${idField} \\|.*\\| ${tool} \\|$`, 'm'));
    },
  );

  test('names only tools that exist', () => {
    const tools = [...endpoints, ...analysisTools].map(({ tool }) => tool);
    const named = guide.match(/\b(get|list|search|find|compare|summarize|read)_\w+/g) ?? [];
    expect(named.filter((tool) => !tools.includes(tool))).toEqual([]);
  });

  test('is short', () => {
    expect(guide.split('\n').length).toBeLessThan(60);
  });
});
