import { tableMessages } from '../../src/analysis/tables/messages.ts';
import { lineMessages } from '../../src/lines/kept-lines.ts';
import { queryMessages } from '../../src/query/messages.ts';
import { adviceByWords } from '../../src/query/process/advice.ts';
import { hintMessages } from '../../src/query/process/hints/messages.ts';
import { sentencesOf } from './sentences-of.ts';

const tables = ['list_orders', 'shops'];
const columns = ['id', 'shop id', 'a'];
const place = { line: 1, column: 18, before: 'FROM list_orders(', after: '' };
const words = 'syntax error at or near "from".';
const call = { table: 'list_orders', argument: 'period', value: 'last_week' };
const costs = { calls: 1250, maxCalls: 300, tools: [{ tool: 'list_order_items', calls: 1250 }] };

export const statementSentences = [
  ...sentencesOf('query', queryMessages, {
    syntax_error: [
      { words, place, advice: adviceByWords.days_as_texts.text },
      { words, place: { ...place, after: '5 id' } },
      { words },
    ],
    not_select: [{ given: 'DROP TABLE shops' }],
    not_one_select: [{ count: 0 }, { count: 2 }],
    unknown_table: [
      { name: 'list_order', nearest: 'list_orders', tables },
      { name: 'qqq', tables: [] },
    ],
    unknown_column: [
      {
        column: 'ids',
        nearest: 'id',
        isText: true,
        tables: [{ table: 't', columns, more: 2 }],
      },
      {
        column: 'turnover_wt',
        nearest: "value ... WHERE measure = 'turnover_wt'",
        isText: false,
        tables: [],
      },
      { column: 'period', isText: false, call, tables: [] },
    ],
    unknown_function: [{ name: 'to_char' }],
    no_such_argument: [
      {
        ...{ table: 'get_daily_close', argument: 'shop_id', isOfShop: true },
        arguments: ['date', 'location_id'],
      },
      { table: 'list_orders', argument: 'perod', nearest: 'period', arguments: ['period', 'from'] },
      { table: 'list_orders', argument: '', arguments: ['period'] },
      { table: 'shops', argument: 'id', arguments: [] },
    ],
    too_much_nested: [{ depth: 50, values: 1_000_000, names: 1000 }],
    engine_not_installed: [{ library: 'duckdb' }, { library: 'duckdb', platform: 'linux-x64' }],
    unseen_columns: [{ table: 'list_orders' }],
    columns_left_out: [{ table: 'list_orders', columns: ['a"b'] }],
    figures_unread: [
      {
        table: 'list_orders',
        count: 5,
        figures: [
          { name: 'total_wt', value: '"x"', row: 3, id: '12' },
          { name: 'a b', value: '[]', days: '2026-11-01' },
        ],
      },
      { table: 'list_orders', count: 1, figures: [{ name: 'total_wt', value: '"x"', row: 3 }] },
    ],
  }),
  '',
  'advice on the engine',
  ...Object.entries(adviceByWords).map(([name, { text }]) => `${name}: ${text}`),
  ...sentencesOf('hints', hintMessages, {
    rows_left_out: [
      {
        table: 'list_orders',
        condition: 'is_internal',
        argument: 'is_internal',
        rows: 1200,
      },
    ],
    no_facts: [
      {
        ...{ table: 'get_daily_close', more: 2 },
        paths: [
          { path: '', measures: ['order_count', 'turnover'] },
          { path: 'payments', measures: ['amount_wt'] },
        ],
      },
    ],
    null_in_list: [
      { column: 'product_id', values: 10, nulls: 2 },
      { values: 10, nulls: 2 },
    ],
    bare_day: [
      { column: 'd', sign: 'BETWEEN', texts: ['a', 'b'], day: 'b', rows: 1200 },
      { column: 'd', sign: '>', texts: ['b'], day: 'b', rows: 1200 },
    ],
    other_days: [
      {
        table: 'list_orders',
        column: 'date_created',
        cut: "time_bucket('1 day', ...)",
        zone: 'UTC',
        unit: 'day',
        rows: 12,
      },
    ],
    other_ids: [
      {
        left: { column: 'list_orders.shop_id', ids: 'shops.id' },
        right: { column: 'list_stock.location_id', ids: 'locations.id' },
      },
    ],
    repeated_facts: [
      { sum: 'sum', measure: 'turnover_wt', paths: ['a', 'a.b'], path: 'a', value: 12.5 },
      { measure: 'turnover_wt', paths: ['a', 'a.b'], path: 'a' },
    ],
    part_of_facts: [
      {
        part: { path: 'direct_paid', measure: 'turnover_wt', value: 25_218.12 },
        rest: { path: 'not_paid_now', measure: 'total_wt', value: 538.25 },
        whole: { path: 'revenue', measure: 'total_turnover_wt', value: 25_756.37 },
      },
    ],
    mixed_measures: [
      {
        sum: 'avg',
        column: 'current',
        table: 'compare_turnover',
        measures: ['rates.turnover', 'rates.turnover_wt', 'rates.vat'],
      },
      {
        sum: 'sum',
        column: 'current',
        table: 'result',
        measures: ['revenue.margin.value', 'revenue.total_turnover'],
      },
    ],
    summed_percentages: [
      { column: 'margin_percentage', table: 'get_product_sales' },
      { column: 'value', table: 'get_daily_close', facts: 12 },
    ],
  }),
  ...sentencesOf('tables', tableMessages, {
    table_failed: [{ reason: '{reason}', call }, { reason: '{reason}' }],
    statement_costs_more: [
      { ...costs, time: { remaining: 0, limit: 600, seconds: 120 }, kept: 12 },
      { ...costs, time: { remaining: 600, limit: 600, seconds: 0 } },
      { ...costs, time: undefined },
    ],
    too_many_looks: [{ looks: 12, maxCalls: 5 }],
    too_many_cells: [{ cells: 1_000_000, columns: 1000 }],
    not_whole: [{ why: 'table_cut', tables: [{ table: 'list_orders', rows: 10 }] }],
    view_refused: [
      { flaw: 'no_sql', line: 2, column: 15 },
      { flaw: 'no_sql' },
      { flaw: 'no_select' },
      { flaw: 'no_value' },
    ],
    rows_unread: [
      {
        table: 'days',
        count: 5,
        rows: [
          { line: 3, column: 'day', wants: 'day' },
          { line: 4, column: 'unusual', wants: 'flag', day: '2026-11-07' },
          { line: 9, wants: 'cells' },
        ],
      },
      { table: 'days', count: 1, rows: [{ line: 9, wants: 'quotes' }] },
    ],
  }),
  ...sentencesOf('order lines', lineMessages),
];
