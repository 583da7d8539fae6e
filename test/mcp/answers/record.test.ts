import { describe, expect, test } from 'vitest';
import type { FinishedContext } from '../../../src/analysis/answer.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { recordText } from '../../../src/mcp/answers/record.ts';

const context = {
  endpoint: 'GET /api/order',
  source: 'live',
  as_of: '2026-11-20T15:30:00+01:00',
} as const;

/** The lines past the headline. */
function linesOf(payload: JsonObject, given: Partial<FinishedContext> = {}): string[] {
  return recordText('get_order', payload, { ...context, ...given })
    .split('\n')
    .slice(1);
}

describe('a record as text', () => {
  test('has a line for each value, then its objects, then its lists as tables', () => {
    const days = { from: '2026-11-01', to: '2026-11-02' };
    const period = { ...days, timezone: 'Europe/Amsterdam', given: 'x' } as const;
    const report = {
      ...days,
      location_id: null,
      sums: { wt: 12.5, of: { note: 'a|b', when: '2026-11-01T23:30:00Z', none: null } },
      payments: [
        { provider_method_type_id: 501, amount_wt: 1 },
        { provider_method_type_id: 507, amount_wt: 2.5 },
      ],
      tags: ['a', 'b'],
      count: 3,
    };
    const labels = { provider_method_type_id: { '507': 'iDEAL' } };
    expect(linesOf(report, { period, labels })).toEqual([
      'tags ["a","b"]',
      'count 3',
      '# Empty: location_id',
      'sums:',
      ' wt 12.50',
      ' of:',
      '  note a\\|b',
      '  when 2026-11-02T00:30:00',
      '  # Empty: none',
      'payments:',
      'provider_method_type_id|amount_wt',
      '501|1.00',
      '507 iDEAL|2.50',
    ]);
  });

  test('has an address, which a table of rows leaves out', () => {
    const backoffice_url = 'https://office.example.com/order/7';
    expect(linesOf({ id: 7, backoffice_url })).toEqual([
      'id 7',
      `backoffice_url ${backoffice_url}`,
    ]);
  });

  test('has the lists within rows as one table, whose first column is the id of the row', () => {
    const shops = (...ids: number[]) => ids.map((shop_id) => ({ shop_id, turnover: shop_id }));
    const groups = [
      { product_group_id: 11, shops: shops(1, 3), turnover: 4 },
      { product_group_id: 12, shops: [], turnover: 0 },
      { product_group_id: 13, shops: shops(1), turnover: 1 },
    ];
    const labels = { product_group_id: { '11': 'Boeken' }, shop_id: { '1': 'Webshop' } };
    expect(linesOf({ groups }, { labels })).toEqual([
      'groups:',
      'product_group_id|turnover',
      '11 Boeken|4',
      '12|0',
      '13|1',
      ' groups.shops:',
      'groups.product_group_id|shop_id|turnover',
      '11|1 Webshop|1',
      '11|3|3',
      '13|1 Webshop|1',
    ]);
    const [, ...unnamed] = linesOf({ days: [{ rows: shops(7) }, { rows: shops(8, 9) }] });
    expect(unnamed).toEqual([
      ' row',
      ' 1',
      ' 2',
      ' days.rows:',
      'days.row|shop_id|turnover',
      '1|7|7',
      '2|8|8',
      '2|9|9',
    ]);
  });

  test('counts rows that are alike, and writes what lies deep as JSON', () => {
    expect(linesOf({ a: [{ b: 1 }, { b: 1 }] })).toEqual([
      'a: 2 rows alike',
      ' # Same in every row: b 1',
    ]);
    const deep = { a: { a: { a: { a: { a: { a: { b: 1 } } } } } } };
    expect(linesOf(deep).at(-1)).toBe('     a {"b":1}');
  });

  test('says the names of ids that neither the record gives nor the question', () => {
    const labels = { shop_id: { '3': 'Webshop', '7': 'Utrecht Oost' } };
    const payload = { payments: [{ shop_id: 3, called: 'Webshop' }, { shop_id: 7 }] };
    expect(linesOf(payload, { labels }).slice(2)).toEqual(['3|Webshop', '7 Utrecht Oost|']);
    const resolved = { shop_id: { given: 'oost', id: 7, name: 'Utrecht Oost' } };
    expect(linesOf({ shop_id: 7 }, { labels, resolved }).at(-1)).toBe('shop_id 7');
    expect(linesOf({ shop_id: 3 }, { labels, resolved }).at(-1)).toBe('shop_id 3 Webshop');
  });

  test('ends with a whole line where it is too long', () => {
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}` }));
    const lines = linesOf({ rows });
    expect(lines.at(-1)).toMatch(/^# Cut: 199\d\d of 39\d{3} characters/);
    expect(lines.at(-2)).toMatch(/^(\d+)\|row \1$/);
  });
});
