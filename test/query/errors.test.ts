import { expect, test } from 'vitest';
import { QueryError, type QueryErrorCode } from '../../src/query/errors.ts';
import { runSql } from './fake-tables.ts';

test.each<[string, QueryErrorCode, RegExp]>([
  [
    'SELECT totl_wt FROM list_orders()',
    'unknown_column',
    /did you mean total_wt\? list_orders has id, shop_id/,
  ],
  ['SELECT o.id FROM list_orders() p', 'unknown_column', /'o' not found.*'p'.*by the alias alone/],
  ['SELECT address.town FROM shops', 'unknown_column', /no column "town"/],
  ['SELECT "address.town" FROM shops', 'unknown_column', /no column "town"/],
  [
    'SELECT (SELECT max(id) FROM shops) AS last, last + 1 AS next',
    'bad_statement',
    /Alias 'last' .* WITH/,
  ],
  ['FROM shops s, list_orders(shop_id := s.idd)', 'unknown_column', /did you mean id\?/],
  [
    'FROM list_order()',
    'unknown_table',
    /did you mean list_orders\? SELECT name FROM tables lists all/,
  ],
  [
    "FROM 'orders.csv'",
    'unknown_table',
    /files, addresses and the engine's own catalogue are out of reach/,
  ],
  ["FROM read_csv('x')", 'unknown_table', /no table "read_csv"/],
  [
    "FROM list_orders(perod := 'x')",
    'bad_argument',
    /no argument "perod"; did you mean period\? It takes: period, /,
  ],
  [
    "FROM list_orders('last_month')",
    'bad_argument',
    /by name, such as list_orders\(period := \.\.\.\)/,
  ],
  ["FROM shops('x')", 'bad_argument', /takes no arguments: write FROM shops\./],
  ["FROM list_orders(period := 'a', period := 'b')", 'bad_argument', /period is given twice/],
  ['FROM list_orders(period := last_month)', 'unknown_column', /single quotes: 'last_month'/],
  [
    'FROM list_order_items(order_id := (SELECT address FROM shops))',
    'bad_argument',
    /plain values/,
  ],
  [
    "FROM list_orders(from := '2026-11-02')",
    'syntax',
    /line 1, column 18.*"from" := .*period := '2026-11-02\.\.2026-11-08'/,
  ],
  ['SELECT id\nFROM shops\nWHERE >', 'syntax', /line 3, column 7/],
  ["SELECT 'open", 'syntax', /unterminated quoted string/i],
  ['SELECT nope(1)', 'unknown_function', /no function or type nope\. Functions are DuckDB/],
  ['SELECT list_orders(1)', 'unknown_function', /list_orders is a table: it stands in FROM/],
  [
    'SELECT id, count(*) FROM shops',
    'bad_statement',
    /column 'id' must appear in the GROUP BY .* 'ANY_VALUE/,
  ],
  ['SELECT sum(name) FROM shops', 'bad_statement', /sum\(VARCHAR\)'.*" Cast/],
  ['SELECT ? + 1', 'bad_statement', /parameter/],
  [
    'FROM shops s RIGHT JOIN list_orders(shop_id := s.id) o USING (id)',
    'bad_statement',
    /and with ON/,
  ],
  ['FROM shops AT (VERSION => 1)', 'bad_statement', /cannot be used/],
  [
    'SELECT CAST(name AS INTEGER) FROM shops',
    'bad_value',
    /'Haarlem' to INT32 .* column name.*TRY_CAST/,
  ],
  ['SELECT (SELECT id FROM shops)', 'bad_value', /Aggregate it/],
  ['SELECT id FROM list_orders() WHERE sum(total_wt) > 2', 'bad_statement', /in HAVING/],
  [
    'SELECT id FROM list_orders() WHERE day > 20261101',
    'bad_statement',
    /DATE and type INTEGER_LITERAL.* Cast/,
  ],
  ["SELECT id FROM list_orders() WHERE day = 'yesterday'", 'bad_value', /arguments of tables only/],
  [
    "SELECT to_char(day, 'YYYY') FROM list_orders()",
    'unknown_function',
    /strftime\(day, '%Y-%m'\)/,
  ],
  ['SELECT lag(total_wt) FROM list_orders()', 'unknown_function', /window functions have OVER/],
  ['SELECT date_created - 1 FROM list_orders()', 'bad_statement', /INTERVAL 1 DAY/],
  ['SELECT id FROM shops WHERE name = "Haarlem"', 'unknown_column', /single quotes: 'Haarlem'/],
  [
    'SELECT 1 FROM list_orders() o, shops s FULL JOIN list_order_items() i ON i.order_id = o.id',
    'bad_statement',
    /in place of a comma/,
  ],
  ['SELECT id FROM shops LIMIT 5, 10', 'syntax', /LIMIT 10 OFFSET 5/],
])('%s', async (sql, code, said) => {
  const error: unknown = await runSql(sql).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(QueryError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(said) });
});
