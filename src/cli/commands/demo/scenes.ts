import type { Client } from '@modelcontextprotocol/client';
import stringWidth from 'string-width';
import type { JsonObject } from '../../../core/json.ts';
import { viewResult } from '../../terminal/answer.ts';
import { paint, wrap } from '../../terminal/text.ts';

/** A question of the demo, and the call that answers it. */
export type Scene = readonly [question: string, tool: string, input: JsonObject];

/** Cells of a line, two less than the terminals that most people have. */
const width = 78;

/** What the demo asks, in order. */
export const scenes: readonly Scene[] = [
  ['How was yesterday?', 'get_daily_close', { date: 'yesterday' }],
  [
    'And the VAT?',
    'query',
    {
      sql: "SELECT tax_rate_id, measure, value FROM get_financial_report(period := 'yesterday') WHERE path = 'direct_paid.rates'",
    },
  ],
  [
    'Which shops did it, against the same day a week earlier?',
    'compare_turnover',
    { period: 'yesterday', against: 'week_earlier', by: 'shop', measures: ['turnover_wt'] },
  ],
  [
    'Can I see the last two weeks?',
    'show_figure',
    {
      sql: "SELECT bucket AS day, revenue.total_turnover_wt AS turnover FROM turnover_trend(period := 'last_14_days')",
      unit: 'euro',
      title: 'Turnover of the last two weeks',
    },
  ],
  [
    'What came in last?',
    'list_orders',
    {
      period: 'last_7_days',
      limit: 5,
      fields: ['order_number', 'date_created', 'shop_id', 'status', 'total_wt'],
    },
  ],
  [
    'How many unpaid orders this month, and how much together?',
    'list_orders',
    { period: 'this_month', is_paid: false, all: true, fields: ['total_wt'], limit: 0 },
  ],
  [
    'Which customers of last quarter stayed away last month?',
    'query',
    {
      sql: `SELECT o.relation_data_id AS id, any_value(o.customer_name) AS customer, count(*) AS orders, sum(o.total_wt) AS euros
FROM list_orders(period := 'last_quarter') o
ANTI JOIN list_orders(period := 'last_month') l ON l.relation_data_id = o.relation_data_id
WHERE o.relation_data_id IS NOT NULL GROUP BY ALL ORDER BY euros DESC LIMIT 5`,
    },
  ],
  [
    'How much coffee is left in Utrecht Centraal?',
    'search_products',
    { q: 'koffiebonen', location_id: 'Utrecht Centraal', fields: ['title', 'sku', 'stock'] },
  ],
  ['What does a mistake look like?', 'list_orders', { period: 'yesterday', shop_id: 'utrecht' }],
];

/** Asks a question and gives the lines of its answer: the call, and what the tool answered, as a terminal shows it. */
export async function ask(client: Client, [, tool, input]: Scene): Promise<string[]> {
  const result = await client.callTool({ name: tool, arguments: input });
  const given = Object.entries(input).map(([key, value]) => `${key}=${String(value)}`);
  const called = wrap(`calls ${tool} ${given.join(' ')}`, width).map((line) => paint('dim', line));
  const lines = viewResult(result, { tool, width, locale: 'en', flags: ['--sandbox'] });
  // A command to copy may be longer than the line.
  const shown = lines.flatMap((line) => (stringWidth(line) > width ? wrap(line, width) : [line]));
  return [...called, ...shown];
}
