import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endpointTool } from '../../../src/analysis/define-tool.ts';
import { factColumns, tableRowsOf } from '../../../src/analysis/tables/table-rows.ts';
import { isRecord } from '../../../src/core/json.ts';
import { getFinancialReport } from '../../../src/endpoints/reports.ts';
import { runSql, serverOver } from '../../server-over.ts';

/** The facts of a report. */
function factsOf(payload: Record<string, unknown>) {
  const context = { endpoint: 'GET /api/thing', source: 'sandbox', as_of: '' } as const;
  const call = { toolCall: { tool: 'get_things', arguments: {} }, calls: 1 };
  const tool = endpointTool(getFinancialReport);
  return tableRowsOf(tool, { kind: 'record', payload, isReport: true, context, ...call }, {});
}

describe('the facts of a report', () => {
  test.each([
    ['a total at the top', { path: '', measure: 'turnover', value: 12.5, split: 'total' }],
    ['a nested total', { path: 'revenue.margin', measure: 'value', value: 1.25, split: 'total' }],
    ['a part by one id', { path: 'groups', split: 'turnover_group', product_group_id: 5 }],
    [
      'a part by two ids',
      { path: 'groups.shops', split: 'shop, turnover_group', product_group_id: 5, shop_id: 3 },
    ],
    ['lines that no id tells apart', { path: 'days', value: 2, split: 'line', line: '1' }],
  ])('hold %s', (_, fact) => {
    const shops = [{ shop_id: 3, turnover: 4 }];
    const facts = factsOf({
      from: '2026-11-01',
      location_id: null,
      turnover: 12.5,
      is_balanced: true,
      revenue: { total: 3, margin: { value: '1.25' } },
      groups: [
        { product_group_id: 5, turnover: 7, shops },
        { product_group_id: 6, turnover: 5.5 },
      ],
      days: [{ amount: 1 }, { amount: 2 }],
    });
    expect(facts).toContainEqual(expect.objectContaining(fact));
    expect(facts.map(({ measure }) => measure)).not.toContain('from');
  });

  test('have the same columns whatever came', () => {
    const columns = Object.keys(factColumns(getFinancialReport)).sort();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (anything) => {
        for (const row of factsOf(anything)) expect(Object.keys(row).sort()).toEqual(columns);
      }),
    );
  });
});

test.each([
  ['week_earlier', ['reference', 'difference', 'percent']],
  ['usual', ['reference', 'low', 'high', 'difference']],
])(
  'the figures beside those of a trend are reached as answers name them (%s)',
  async (against, sides) => {
    const server = await serverOver('memory', { description: 'bare' });
    const measure = 'revenue.total_turnover_wt';
    const input = { period: '2026-11-18', against };
    const columns = sides.map((side) => `${side}.${measure} AS ${side}`);
    const table = `turnover_trend(period := '${input.period}', against := '${against}')`;
    const { rows } = await runSql(server, `SELECT ${columns} FROM ${table}`);
    const [row] = (await server.ask('turnover_trend', input)).rows;
    expect(rows).toEqual([Object.fromEntries(sides.map((side) => [side, amountIn(row?.[side])]))]);
    function amountIn(figures: unknown) {
      return isRecord(figures) ? figures[measure] : undefined;
    }
  },
);
