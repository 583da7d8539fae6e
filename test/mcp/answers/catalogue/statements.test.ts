import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const model = modelReader(() => true);
const tables = ['list_orders', 'shops'];
const columns = [{ name: 'id' }, { name: 'shop id' }, { name: 'a', type: 'STRUCT(city VARCHAR)' }];

/** Each message with what is said of it to a model, or the part of it that its parameters decide. */
test.each<[Message, string]>([
  [
    {
      code: 'syntax_error',
      words: 'Parser Error: syntax error at or near "from".',
      place: { line: 1, column: 18, before: 'FROM list_orders(', after: '' },
      advice: { code: 'words_in_quotes' },
    },
    'Parser Error: syntax error at or near "from" at line 1, column 18: FROM list_orders( >>> (end). Words of SQL stand in double quotes as names: "from" := ...; period := \'2026-11-02..2026-11-08\' needs none.',
  ],
  [
    { code: 'not_select', text: 'PIVOT x', isPivot: true },
    ': "PIVOT x". In place of PIVOT write sum(x)',
  ],
  [
    {
      code: 'unknown_table',
      name: 'list_order',
      nearest: 'list_orders',
      isElsewhere: false,
      tables,
    },
    'There is no table "list_order"; did you mean list_orders? SELECT name FROM tables lists all.',
  ],
  [
    { code: 'unknown_table', name: 'x.csv', isElsewhere: true, tables },
    "files, addresses and the engine's own catalogue are out of reach. The tables: list_orders, shops.",
  ],
  [
    { code: 'unknown_table', name: 'qqq', isElsewhere: false, tables: [] },
    'There is no table "qqq".',
  ],
  [
    {
      code: 'unknown_column',
      column: 'ids',
      nearest: 'id',
      isText: true,
      isKept: false,
      tables: [{ table: 't', columns, more: 2 }],
    },
    'There is no column "ids" in sight; did you mean id? A text stands in single quotes: \'ids\'. t has id, "shop id", a (STRUCT(city VARCHAR)) and 2 more.',
  ],
  [
    { code: 'unknown_column', column: 'r_1', isText: false, isKept: true, tables: [] },
    "in sight. Kept rows are named in single quotes: FROM result('r_1').",
  ],
  [
    {
      code: 'no_such_argument',
      table: 'list_orders',
      argument: 'perod',
      nearest: 'period',
      arguments: ['period', 'from'],
    },
    'list_orders has no argument "perod"; did you mean period? It takes: period, from.',
  ],
  [
    { code: 'argument_without_name', table: 'list_orders', arguments: ['period'] },
    'by name, such as list_orders(period := ...). It takes: period.',
  ],
  [
    {
      code: 'engine_refuses',
      words: 'No function matches sum(VARCHAR).',
      advice: { code: 'cast_it' },
    },
    'The engine refuses it: "No function matches sum(VARCHAR)." Cast what is of another type',
  ],
  [
    { code: 'name_for_id', column: 'shop_id', name: 'Webshop' },
    "shop_id holds numbers: give the name as an argument, shop_id := 'Webshop', where the table takes it",
  ],
  [
    {
      code: 'statement_costs_more',
      calls: 1250,
      maxCalls: 300,
      kept: 12,
      tools: [{ tool: 'list_order_items', calls: 1250 }],
      time: { remaining: 0, limit: 600, seconds: 120 },
    },
    'this statement takes up to 1,250 platform calls, and max_calls is 300: list_order_items 1,250.\nAt the present rate budget (0 of 600 left) that takes about 2 minutes. Nothing of it was read beyond what tells the number, and that is kept.\nOf the orders whose lines it asks for, those of 12 are kept and cost nothing; "commerce-mcp fill" reads the others ahead.\nNarrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: 1250.',
  ],
  [{ code: 'too_much_nested', what: 'values', most: 1_000_000 }, 'hold more than 1,000,000 values'],
  [{ code: 'out_of_time', seconds: 2 }, 'The statement computed for 2 seconds, which is the most'],
  [
    { code: 'no_such_folder', setting: 'COMMERCE_DEFINITIONS', folder: '/x' },
    'COMMERCE_DEFINITIONS: there is no folder /x.',
  ],
  [
    { code: 'bare_day', column: 'd', sign: 'BETWEEN', texts: ['a', 'b'], day: 'b', rows: 1200 },
    "d BETWEEN 'a' AND 'b' leaves out 1,200 rows of b itself, for a bare day is its midnight. By whole days: CAST(d AS DATE) BETWEEN 'a' AND 'b'.",
  ],
  [
    { code: 'null_in_list', column: 'product_id', values: 10, nulls: 2 },
    'for 2 of the 10 values of product_id in its subquery are NULL. Add WHERE product_id IS NOT NULL there.',
  ],
  [
    {
      code: 'unknown_value',
      table: 'list_orders',
      column: 'status',
      missing: ['Complete', "x'"],
      isMore: true,
      values: ['complete', 'new'],
    },
    "No row of list_orders has status 'Complete' or 'x'''. The values there are, the nearest first: complete, new.",
  ],
  [
    {
      code: 'repeated_facts',
      sum: 'sum',
      measure: 'turnover_wt',
      paths: ['a', 'a.b'],
      path: 'a',
      value: 12.5,
    },
    "sum(value) takes turnover_wt under 2 paths (a, a.b), which repeat the same money. One path holds it once: add AND path = 'a' (12.5).",
  ],
  [
    {
      code: 'part_of_facts',
      part: { path: 'direct_paid', measure: 'turnover_wt', value: 25_218.12 },
      rest: { path: 'not_paid_now', measure: 'total_wt', value: 538.25 },
      whole: { path: 'revenue', measure: 'total_turnover_wt', value: 25_756.37 },
    },
    "measure = 'turnover_wt' is of direct_paid alone here (25,218.12), which is a part: with not_paid_now (538.25) it makes up total_turnover_wt of revenue (25,756.37). For the whole write path = 'revenue' AND measure = 'total_turnover_wt'.",
  ],
  [
    { code: 'unseen_columns', table: 'list_orders', columns: ['total_tw', 'a b'] },
    'list_orders gave no rows: whether it has total_tw, "a b" is not known.',
  ],
  [
    { code: 'totals_as_turnover', table: 'list_orders', column: 'total_wt' },
    'total_wt of list_orders are order totals and no turnover: they hold gift cards, tips and prepayments, and internal orders as said of list_orders. Turnover is revenue.total_turnover_wt: ',
  ],
  [
    {
      code: 'table_failed',
      reason: { code: 'empty_statement' },
      call: { table: 'list_orders', argument: 'period', value: 'last_week' },
    },
    "The statement is empty. Write one SELECT. In SQL arguments stand in brackets: list_orders(period := 'last_week').",
  ],
  [
    { code: 'unknown_id', tool: 'list_order_items', unknown: 3, values: 5 },
    'list_order_items: the platform does not know 3 of the 5 values asked for; they have no rows.',
  ],
  [
    {
      code: 'rows_unread',
      table: 'days',
      count: 5,
      rows: [
        { line: 3, column: 'day', wants: 'day' },
        { line: 4, column: 'unusual', wants: 'flag', day: '2026-11-07' },
        { line: 9, wants: 'cells' },
      ],
    },
    '5 rows of days cannot be read and are left out (line 3: no day in day; line 4 (2026-11-07): no yes or no in unusual; line 9: another number of cells than there are columns and 2 more).',
  ],
  [
    { code: 'aggregates_in_a_step' },
    'Beside GROUP BY ALL, an aggregate does not share an expression with a column or a window: compute the aggregates in a step, WITH t AS (SELECT ... GROUP BY ALL), and the rest over t.',
  ],
  [
    { code: 'alias_alone' },
    'A table with an alias is addressed by the alias alone, and one whose column is the argument of another stands before it: FROM list_orders(...) o, list_order_items(order_id := o.id) i.',
  ],
  [
    { code: 'compare_intervals' },
    "The difference of two moments is an INTERVAL: compare it with one, such as INTERVAL 1 HOUR, or count by date_diff('minute', a, b).",
  ],
  [
    { code: 'kept_rows_in_quotes', id: 'r_12ab' },
    "Kept rows are named in single quotes: FROM result('r_12ab').",
  ],
  [
    { code: 'word_as_name', word: 'last' },
    '"last" is a word of SQL: write AS "last", or another name.',
  ],
  [
    { code: 'no_values', table: 'list_orders', argument: 'shop_id' },
    'shop_id of list_orders got no value (NULL, an empty list or no row of its subquery), so nothing was asked and the table has no rows.',
  ],
  [{ code: 'broken_table', table: 'wrong' }, 'wrong is broken; the log and `doctor` say why.'],
  [{ code: 'calendar_too_long', most: 20_000 }, 'calendar: a period has 20000 days at most.'],
  [{ code: 'rows_of_totals' }, 'empty in rows of totals'],
])('a model is told of $code', (message, text) => {
  const said = model.say(message);
  expect(said).toContain(text);
  if (/^[A-Z"]/.test(text)) expect(said.startsWith(text)).toBe(true);
});
