import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/analysis/answer.ts';
import type { PresentedContext } from '../../../src/mcp/answers/context.ts';
import { readSoFar, restLine } from '../../../src/mcp/answers/read-so-far.ts';

const context = {
  endpoint: 'GET /api/order',
  source: 'sandbox',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;

function answer(given: Partial<Answer>): Answer {
  return { payload: {}, context, asked: { tool: 'list_orders', arguments: {} }, ...given };
}

function rows(count: number) {
  return Array.from({ length: count }, (_, id) => ({ id }));
}

describe('readSoFar', () => {
  test.each<[what: string, given: Partial<Answer>, read: object]>([
    ['a list that came whole', { rows: rows(3) }, { rows: 3, of: 3 }],
    ['no rows', { rows: [] }, { rows: 0, of: 0 }],
    ['a page', { rows: rows(3), payload: { total: 9 }, rest: {} }, { rows: 3, of: 9 }],
    ['the last page', { rows: rows(3), payload: { total: 9, start: 6 } }, { rows: 3, of: 9 }],
    ['a page of a feed', { rows: rows(3), rest: {} }, { rows: 3 }],
    [
      'a slice of rows that were read whole',
      { rows: rows(3), rest: {}, sliceOf: { resultId: 'r', start: 0, length: 9, isWhole: true } },
      { rows: 9, of: 9 },
    ],
    [
      'a slice of rows of which the platform has more',
      { rows: rows(3), sliceOf: { resultId: 'r', start: 6, length: 9, isWhole: false } },
      { rows: 9 },
    ],
  ])('counts %s', (_, given, read) => {
    expect(readSoFar(answer(given))).toEqual(read);
  });
});

describe('restLine', () => {
  const next = { tool: 'read_rows', arguments: { result_id: 'r_1', start: 3 } };
  const result = { id: 'r_1', uri: 'commerce://results/r_1', rows: 1200, expires_at: '' };

  test.each<[what: string, given: Partial<PresentedContext>, line: string]>([
    ['nothing of an answer that is complete', { complete: true, read: { rows: 3, of: 3 } }, ''],
    [
      'that what is kept was read whole',
      { complete: false, next, read: { rows: 1200, of: 1200 }, result },
      'Read whole, kept as r_1; 3 of 1,200 rows shown. Next: read_rows {"result_id":"r_1","start":3}',
    ],
    [
      'that one row is not shown',
      { complete: false, read: { rows: 1, of: 1 } },
      'Read whole; 3 of 1 row shown.',
    ],
    [
      'that a page is a page',
      { complete: false, read: { rows: 3, of: 1200 } },
      'Not read whole: 3 rows were read, 1,200 exist; totals over them are not totals.',
    ],
    [
      'that one row was read',
      { complete: false, read: { rows: 1 } },
      'Not read whole: 1 row was read, more exist; totals over them are not totals.',
    ],
  ])('says %s', (_, given, line) => {
    expect(restLine({ ...context, ...given }, 3)).toBe(line);
  });
});
