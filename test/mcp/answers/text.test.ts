import { describe, expect, test } from 'vitest';
import type { FinishedContext } from '../../../src/analysis/answer.ts';
import { profileColumns } from '../../../src/analysis/rows/column-profile.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { writeText } from '../../../src/mcp/answers/present.ts';

const context = {
  endpoint: 'GET /api/order',
  source: 'live',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;

/** The lines past the headline and the payload of an object. */
function linesOf(payload: JsonObject, given: Partial<FinishedContext>): string[] {
  const finished = { noun: 'rows', payload, context: { ...context, ...given } };
  return writeText('get_order', finished, '').split('\n').slice(2);
}

describe('the names of ids in an object', () => {
  const labels = { shop_id: { '3': 'Webshop', '7': 'Utrecht Oost' } };

  test.each<[what: string, payload: JsonObject, lines: string[]]>([
    [
      'are left out where they are given with their id',
      { payments: [{ shop_id: 3, called: 'Webshop' }, { shop_id: 7 }] },
      ['shop_id: 7 Utrecht Oost'],
    ],
    [
      'are said where one is missing once, or another is given',
      { a: { shop_id: 3, name: 'Webshop' }, b: { shop_id: 3 }, c: { shop_id: '7', name: 'Oost' } },
      ['shop_id: 3 Webshop, 7 Utrecht Oost'],
    ],
    [
      'are said of ids in a list',
      { shop_id: [3, 7], name: 'Webshop' },
      ['shop_id: 7 Utrecht Oost'],
    ],
    ['are none for what is no id', { shop_id: [{ toString: 1 }, null, [3]] }, []],
  ])('%s', (_, payload, lines) => {
    expect(linesOf(payload, { labels })).toEqual(lines);
  });

  test('are left out where the question was asked with them', () => {
    const resolved = { shop_id: { given: 'oost', id: 7, name: 'Utrecht Oost' } };
    expect(linesOf({ data: [{ shop_id: 3 }, { shop_id: 7 }] }, { labels, resolved }).at(-1)).toBe(
      'shop_id: 3 Webshop',
    );
  });
});

describe('what of the rows is not shown', () => {
  const next = { tool: 'read_rows', arguments: { result_id: 'r_1', start: 3 } };
  const columns = profileColumns([{ total_wt: 5 }, { total_wt: 2.5 }]);
  const result = { id: 'r_1', uri: 'commerce://results/r_1', rows: 1200, expires_at: '', columns };

  test.each<[what: string, given: Partial<FinishedContext>, lines: string[]]>([
    ['nothing of an answer that is complete', { complete: true, read: { rows: 3, of: 3 } }, []],
    [
      'that what is kept was read whole',
      { complete: false, next, read: { rows: 1200, of: 1200 }, result },
      [
        '# Kept as r_1: 1,200 rows until . Over all of them:',
        '# - total_wt: sum 7.50, min 2.50, max 5.00',
        '# Read whole, kept as r_1; 3 of 1,200 rows shown. Next: read_rows {"result_id":"r_1","start":3}',
      ],
    ],
    [
      'that one row is not shown',
      { complete: false, read: { rows: 1, of: 1 } },
      ['# Read whole; 3 of 1 row shown. Ask for fewer days or fields to see the others.'],
    ],
    [
      'that a page is a page',
      { complete: false, read: { rows: 3, of: 1200 } },
      ['# Not read whole: 3 rows were read, 1,200 exist; totals over them are not totals.'],
    ],
    [
      'that one row was read',
      { complete: false, read: { rows: 1 } },
      ['# Not read whole: 1 row was read, more exist; totals over them are not totals.'],
    ],
  ])('says %s', (_, given, lines) => {
    const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const finished = { noun: 'rows', payload: {}, rows, context: { ...context, ...given } };
    expect(writeText('list_orders', finished, 'table').split('\n').slice(2)).toEqual(lines);
  });
});
