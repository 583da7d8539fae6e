import { expect, test } from 'vitest';
import type { FinishedContext } from '../../../src/analysis/answer.ts';
import { tableMessages } from '../../../src/analysis/tables/messages.ts';
import { describeMissing, headline, sayFacts, sayNext } from '../../../src/mcp/answers/facts.ts';

const context = {
  endpoint: 'GET /api/order',
  source: 'sandbox',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;
const week = {
  from: '2026-11-09',
  to: '2026-11-15',
  timezone: 'Europe/Amsterdam',
  given: 'last_week',
} as const;
const kept = {
  id: 'r_1',
  uri: 'commerce://results/r_1',
  csv: '',
  rows: 1200,
  expires_at: '',
  columns: [],
};
const table = {
  tool: 'list_order_items',
  table: 'list_order_items',
  arguments: {},
  rows: 9,
  complete: true,
  calls: 0,
  as_of: context.as_of,
};

test('the headline says how many rows there are, of which days and how fresh', () => {
  const sorted = { by: 'total_wt', first: 'largest' } as const;
  const one = { shown: 1, total: 1, noun: 'orders' };
  expect(headline('list_orders', { ...context, period: week, sorted }, one)).toBe(
    'list_orders: 1 order, largest total_wt first; 2026-11-09 to 2026-11-15 (last_week); as of 2026-11-20T15:30:00; source: sandbox, invented figures',
  );
  const none = { shown: 0, total: 9, noun: 'orders' };
  expect(headline('list_orders', { ...context, source: 'live', cached: true }, none)).toBe(
    'list_orders: 9 orders, none shown; as of 2026-11-20T15:30:00 (cached)',
  );
});

const next = { tool: 'read_rows', arguments: { result_id: 'r_1', start: 3 } };
const keptRows = { next, read: { rows: 1200, of: 1200 }, result: kept };

test.each<[given: Partial<FinishedContext>, isAll: boolean, incomplete: string, text: string]>([
  [keptRows, false, 'rows_not_shown', 'Read whole, kept as r_1; 3 of 1,200 rows shown.'],
  [
    keptRows,
    true,
    'rows_not_shown',
    'Read whole, kept as r_1; 3 of 1,200 rows shown. With limit: 0 the profile comes alone.',
  ],
  [
    { read: { rows: 1, of: 1 } },
    false,
    'rows_not_shown',
    'Read whole; 3 of 1 row shown. Ask for fewer days or fields to see the others.',
  ],
  [
    { read: { rows: 1 } },
    false,
    'rows_not_read',
    'Not read whole: 1 row was read, more exist; sums over them are not totals.',
  ],
  [
    { read: { rows: 1 }, warnings: [tableMessages.not_whole({ why: 'table_cut', tables: [] })] },
    false,
    'rows_not_read',
    '',
  ],
  [
    { read: { rows: 500, of: 1941 } },
    false,
    'rows_not_read',
    'Not read whole: 500 rows were read, 1,941 exist; sums over them are not totals.',
  ],
])('which rows are missing of %j, all asked for: %s', (given, isAll, incomplete, text) => {
  expect(describeMissing(given, 3, isAll)).toEqual({ incomplete, text });
});

test.each<[given: Partial<FinishedContext>, line: string]>([
  [
    { resolved: { shop_id: { given: 'oost', id: 7, name: 'Utrecht Oost' } } },
    'shop_id "oost" is Utrecht Oost (7)',
  ],
  [
    { resolved: { order_number: { given: 'W-1', id: 5, name: 'W-1', note: 'x' } } },
    'order_number W-1 has the id 5, x',
  ],
  [
    {
      tables: [
        { ...table, kept: { orders: 3, of: 4, rows: 7, since: '2026-11-19T10:00:00+01:00' } },
      ],
    },
    'Read list_order_items: 9 rows, whole, 0 calls, lines of 3 of 4 orders kept and read since 2026-11-19 10:00.',
  ],
  [
    { more: { measures: [...'abcdefg'] } },
    'Also there, by measures: a, b, c, d, e, f and 1 more in context.more; a part of a name is enough',
  ],
  [
    { notes: [1, 2, 3, 4, 5, 6, 7, 8].map((at) => ({ day: `2026-11-0${at}`, note: 'n' })) },
    'Notes: 2026-11-01 n; 2026-11-02 n; 2026-11-03 n; 2026-11-04 n; 2026-11-05 n; 2026-11-06 n; and 2 more',
  ],
])('the facts %j are a line', (given, line) => {
  expect(Object.values(sayFacts({ ...context, ...given })).flat()).toEqual([line]);
});

test('the next call is its tool with its arguments as JSON', () => {
  expect(sayNext(next)).toBe('Next: read_rows {"result_id":"r_1","start":3}');
});
