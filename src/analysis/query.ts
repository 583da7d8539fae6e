import { z } from 'zod';
import { listOf } from '../endpoints/define.ts';
import type { AnswerColumn } from '../query/protocol.ts';
import type { Call } from './answer.ts';
import { defineStatement, keptLines } from './define-tool.ts';
import { type ReferenceSpace, referenceSpaces, spaceOf } from './reference/reference.ts';
import type { Services } from './services.ts';

export const query = defineStatement({
  kind: 'statement',
  tool: 'query',
  title: 'Query with SQL',
  description: [
    'One DuckDB SELECT over the tools: first choice for what no single list or report answers.',
    "\nEach reading tool is a table function with its own arguments by name, read to the end. Reference lists are plain tables: shops, locations, tax_rates, turnover_groups, payment_methods, customer_segments. result('r_...') is kept rows. Reports are facts: path, measure, value, split, ids.",
    {
      needs: 'list_orders',
      text: "\nSELECT shop_id, sum(<order total with VAT|discount_value_wt>) FROM list_orders(period := 'last_month') GROUP BY ALL",
    },
    '\nFirst SELECT * FROM tables; WHERE name IN (...) gives fewer, each in more detail.',
    "An argument may be a subquery or a list (\"date\" := ['2026-11-01', '2026-11-02']): one call for each value; its rows name the value.",
    {
      needs: 'list_order_items',
      text: "\nSELECT <line title|kind>, sum(<line quantity|1>) FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday'))) GROUP BY ALL",
    },
    { needs: keptLines, text: '\nLines that are kept cost no call.' },
    '\nQuote "from" and "to". CAST(<order moment|...> AS DATE), hour() and other date functions keep Amsterdam time; flags are 0 and 1.',
  ],
  input: z.strictObject({
    sql: z.string().max(50_000).describe('One SELECT'),
    max_calls: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('Most platform calls (as a rule 300)'),
  }),
  output: listOf({}),
  answer: answerStatement,
});

export async function answerStatement(
  { statements }: Pick<Services, 'statements'>,
  { sql, max_calls }: { sql: string; max_calls?: number | undefined },
  call: Call,
) {
  const { columns, shape, found, context } = await statements.run(sql, call, max_calls);
  const names = columns.map(({ name }) => name);
  // Only an answer without rows has to name its columns.
  const payload = { ...found.payload, ...(found.rows.length === 0 && { columns: names }) };
  const outputNames = shape.shown.map((name) => name.toLowerCase());
  const mentioned = new Set([...shape.mentioned, ...outputNames]);
  const statementColumns = { names, mentioned, misnamed: misnamedColumns(columns) };
  return { kind: 'rows' as const, ...found, payload, statementColumns, context };
}

/** Columns that hold ids of one kind under the name of another, such as `shop_id AS location_id`. */
function misnamedColumns(columns: readonly AnswerColumn[]): string[] {
  return columns.flatMap(({ name, kind, column = name, tables = [] }) => {
    const nominal = spaceOf(name);
    if (nominal === undefined || kind !== 'column') return [];
    const isTable = ({ kind: list, endpoint }: ReferenceSpace) =>
      tables.some((table) => table === `${list}s` || table === endpoint.tool);
    const actual = column === 'id' ? referenceSpaces.find(isTable) : spaceOf(column);
    return actual === nominal ? [] : [name];
  });
}
