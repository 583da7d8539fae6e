import { expect, test } from 'vitest';
import { QueryError } from '../../../src/query/messages.ts';
import { adviceByWords, type ReadTable, suggestColumn } from '../../../src/query/process/advice.ts';
import type { TableKind, Tables } from '../../../src/query/provider.ts';
import type { SqlType } from '../../../src/query/sql-type.ts';
import { runSql } from '../fake-tables.ts';

const ids = { id: 'list_orders.id', shop_id: 'shops.id', order_id: 'list_orders.id' };
const customers = { relation_data_id: 'search_customers.id', customer_id: 'search_customers.id' };
const facts = { ids: { ...ids, ...customers }, leftOut: {}, isOfOrders: false };
const calls = (args: string[], columns = {}): TableKind => {
  return { kind: 'calls', arguments: args, columns, facts };
};
const tables: Tables = new Map([
  ['list_orders', calls(['period', 'shop_id'])],
  ['search_customers', calls(['q', 'segment_id'])],
  ['shops', calls([], { id: 'integer', title: 'text' })],
]);

function table(
  columns: Record<string, SqlType>,
  numbers: [path: string, measure: string][] = [],
): ReadTable {
  const found = numbers.map(([path, measure]) => ({ path, measure }));
  return { columns: Object.entries(columns), facts: found };
}

const read = {
  turnover_trend: table({
    bucket: 'DATE',
    revenue: { total_turnover_wt: 'DECIMAL(18,2)' },
    reference: { revenue: { total_turnover_wt: 'DECIMAL(18,2)' } },
  }),
  get_financial_report: table({ path: 'VARCHAR', measure: 'VARCHAR' }, [
    ['revenue', 'total_turnover'],
    ['direct_paid', 'turnover_wt'],
    ['not_paid_now', 'turnover_wt'],
    ['direct_paid.balance_check', 'difference_wt'],
  ]),
  list_orders: table({
    id: 'BIGINT',
    shop_id: 'BIGINT',
    relation_data_id: 'BIGINT',
    customer_name: 'VARCHAR',
    total_wt: 'DECIMAL(18,2)',
  }),
};

test.each<[guess: string, among: keyof typeof read, meant: string | undefined]>([
  ['total_turnover_wt', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['revenue.total_turnover_wt', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['total_turnover', 'turnover_trend', 'revenue.total_turnover_wt'],
  ['Total_Turnover', 'get_financial_report', "value ... WHERE measure = 'total_turnover'"],
  ['revenue.total_turnover', 'get_financial_report', "value ... WHERE measure = 'total_turnover'"],
  [
    'turnover_wt',
    'get_financial_report',
    "value ... WHERE path = 'direct_paid' AND measure = 'turnover_wt'",
  ],
  ['differences_wt', 'get_financial_report', "value ... WHERE measure = 'difference_wt'"],
  [
    'balance_check',
    'get_financial_report',
    "measure, value ... WHERE path = 'direct_paid.balance_check'",
  ],
  ['customer_id', 'list_orders', 'relation_data_id'],
  ['order_id', 'list_orders', 'id'],
  ['shop_name', 'list_orders', 'shops.title ... JOIN shops ON shops.id = shop_id'],
  ['customer_title', 'list_orders', 'customer_name'],
  ['totl_wt', 'list_orders', 'total_wt'],
  ['zzzz', 'list_orders', undefined],
  ['zzzz', 'get_financial_report', undefined],
])('%s of %s most likely means %s', (guess, among, meant) => {
  expect(suggestColumn(guess, new Map([[among, read[among]]]), tables)).toBe(meant);
});

const words = (says: RegExp) => expect.stringMatching(says);
type Advice = keyof typeof adviceByWords;
const refused = (says: RegExp, advice?: Advice) => ({
  code: 'engine_refuses',
  words: words(says),
  advice: advice && adviceByWords[advice].text,
});
const valueRefused = (says: RegExp, advice?: Advice) => ({
  ...refused(says, advice),
  code: 'value_refused',
});

test.each<[sql: string, reason: { code: string } & Record<string, unknown>]>([
  [
    'SELECT totl_wt FROM list_orders()',
    {
      code: 'unknown_column',
      column: 'totl_wt',
      nearest: 'total_wt',
      isText: false,
      tables: [
        {
          table: 'list_orders',
          columns: expect.arrayContaining(['id', 'shop_id']),
          more: 0,
        },
      ],
    },
  ],
  ['SELECT o.id FROM list_orders() p', refused(/"o" not found.*"p"/)],
  [
    "SELECT id FROM list_orders() WHERE period = 'last_week'",
    {
      code: 'unknown_column',
      column: 'period',
      call: { table: 'list_orders', argument: 'period', value: 'last_week' },
    },
  ],
  [
    'SELECT shop_id, row_number() OVER (ORDER BY id) FROM list_orders() GROUP BY ALL',
    refused(/window/, 'aggregates_in_a_step'),
  ],
  [
    "SELECT id FROM list_orders() WHERE shop_id = 'Utrecht'",
    { code: 'value_refused', advice: words(/shop_id := 'Utrecht', where the table takes it/) },
  ],
  [
    'SELECT max(total_wt) last FROM list_orders()',
    { code: 'syntax_error', advice: words(/"last" is a word of SQL/) },
  ],
  ['FROM result(r_12ab)', { code: 'unknown_column', column: 'r_12ab', isText: true }],
  ['FROM r_12ab', { code: 'unknown_table', nearest: "result('r_12ab')" }],
  ['SELECT address.town FROM shops', { code: 'unknown_column', column: 'town' }],
  ['SELECT "address.town" FROM shops', { code: 'unknown_column', column: 'address.town' }],
  ['SELECT (SELECT max(id) FROM shops) AS last, last + 1 AS next', refused(/Alias "last" /)],
  ['FROM shops s, list_orders(shop_id := s.idd)', { code: 'unknown_column', nearest: 'id' }],
  ['FROM list_order()', { code: 'unknown_table', name: 'list_order', nearest: 'list_orders' }],
  ["FROM 'orders.csv'", { code: 'unknown_table', name: 'orders.csv' }],
  ["FROM read_csv('x')", { code: 'unknown_table', name: 'read_csv' }],
  [
    "FROM list_orders(perod := 'x')",
    {
      code: 'no_such_argument',
      table: 'list_orders',
      argument: 'perod',
      nearest: 'period',
      arguments: expect.arrayContaining(['period', 'from', 'to']),
    },
  ],
  [
    "FROM list_orders('last_month')",
    { code: 'no_such_argument', table: 'list_orders', argument: '' },
  ],
  ["FROM shops('x')", { code: 'no_such_argument', table: 'shops', arguments: [] }],
  ["FROM list_orders(period := 'a', period := 'b')", refused(/named argument repeated 'period'/)],
  [
    'FROM list_orders(period := last_month)',
    { code: 'unknown_column', column: 'last_month', isText: true },
  ],
  [
    'FROM list_order_items(order_id := (SELECT address FROM shops))',
    { code: 'no_plain_value', table: 'list_order_items', argument: 'order_id' },
  ],
  [
    "FROM list_orders(from := '2026-11-02')",
    {
      code: 'syntax_error',
      place: expect.objectContaining({ line: 1, column: 18 }),
      advice: expect.stringContaining('"from" is a word of SQL'),
    },
  ],
  [
    'SELECT id\nFROM shops\nWHERE >',
    { code: 'syntax_error', place: expect.objectContaining({ line: 3, column: 7 }) },
  ],
  ["SELECT 'open", { code: 'syntax_error', words: words(/unterminated quoted string/i) }],
  ['SELECT nope(1)', { code: 'unknown_function', name: 'nope' }],
  ['SELECT list_orders(1)', { code: 'unknown_function', name: 'list_orders' }],
  [
    'SELECT id, count(*) FROM shops',
    refused(/column "id" must appear in the GROUP BY .* "ANY_VALUE/),
  ],
  ['SELECT sum(name) FROM shops', refused(/sum\(VARCHAR\)'.* add explicit type casts/)],
  ['SELECT ? + 1', { code: 'statement_parameter' }],
  [
    'FROM shops s RIGHT JOIN list_orders(shop_id := s.id) o USING (id)',
    refused(/./, 'inner_or_left_join'),
  ],
  ['FROM shops AT (VERSION => 1)', { code: 'part_refused', part: 'BASE_TABLE' }],
  ['SELECT CAST(name AS INTEGER) FROM shops', valueRefused(/'Haarlem' to INT32 .* column name/)],
  ['SELECT (SELECT id FROM shops)', valueRefused(/only return a single row/)],
  [
    'SELECT id FROM list_orders() WHERE day > 20261101',
    refused(/DATE and type INTEGER_LITERAL - an explicit cast/),
  ],
  ["SELECT id FROM list_orders() WHERE day = 'yesterday'", valueRefused(/./, 'days_as_texts')],
  ["SELECT to_char(day, 'YYYY') FROM list_orders()", { code: 'unknown_function', name: 'to_char' }],
  ['SELECT lag(total_wt) FROM list_orders()', { code: 'unknown_function', name: 'lag' }],
  [
    'SELECT id FROM shops WHERE name = "Haarlem"',
    { code: 'unknown_column', column: 'Haarlem', isText: true },
  ],
  [
    'SELECT 1 FROM list_orders() o, shops s FULL JOIN list_order_items() i ON i.order_id = o.id',
    refused(/./, 'inner_or_left_join'),
  ],
])('%s', async (sql, reason) => {
  const error: unknown = await runSql(sql).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(QueryError);
  expect(error).toMatchObject({ reason });
});
