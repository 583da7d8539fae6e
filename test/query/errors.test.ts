import { afterAll, expect, test } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../src/query/errors.ts';
import { fakeProvider } from './fake-tables.ts';

const engine = new QueryEngine({ atOnce: 1 });
afterAll(() => engine.close());

test.each<[string, QueryErrorCode, RegExp]>([
  [
    'SELECT totl_wt FROM list_orders()',
    'unknown_column',
    /did you mean total_wt\? list_orders has id, shop_id/,
  ],
  [
    'SELECT o.totl FROM list_orders() o JOIN shops s ON s.id = o.shop_id',
    'unknown_column',
    /list_orders has id.*shops has id, name/,
  ],
  [
    'SELECT o.id FROM list_orders() p',
    'unknown_column',
    /"o" is no table of this FROM. Here it has p/,
  ],
  ['SELECT x.id FROM list_orders()', 'unknown_column', /Here it has list_orders\./],
  ['SELECT address.town FROM shops', 'unknown_column', /no column "town"/],
  ['SELECT "address.city" FROM shops', 'unknown_column', /around the dot: address\.city/],
  ['SELECT "shop.town" FROM shops', 'unknown_column', /no column|no table/],
  [
    'SELECT (SELECT max(id) FROM shops) AS last, last + 1 AS next',
    'bad_statement',
    /Alias 'last' .* WITH/,
  ],
  ['FROM shops s, list_orders(shop_id := s.idd)', 'unknown_column', /did you mean id\?/],
  ['FROM list_order()', 'unknown_table', /did you mean list_orders\? The tables: shops, /],
  ['FROM shop', 'unknown_table', /did you mean shops\?/],
  ['FROM nothing_like_it', 'unknown_table', /"nothing_like_it"\. The tables: shops/],
  ["FROM 'orders.csv'", 'unknown_table', /files and addresses cannot be read/],
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
  ["FROM shops(q := 'x')", 'bad_argument', /takes no arguments/],
  ["FROM list_orders(period := 'a', period := 'b')", 'bad_argument', /period is given twice/],
  ['FROM list_orders(period := last_month)', 'unknown_column', /single quotes: 'last_month'/],
  [
    'FROM list_order_items(order_id := (SELECT id, shop_id FROM list_orders()))',
    'bad_argument',
    /takes one column; its subquery gives 2/,
  ],
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
  ["FROM list_orders(period := 'x', to := '2026-11-02')", 'syntax', /"to" := /],
  ['FROM list_orders(all := true)', 'syntax', /"all" := /],
  ['SELECT id end FROM shops', 'syntax', /in double quotes: "end"/],
  ['SELECT id\nFROM shops\nWHERE >', 'syntax', /line 3, column 7/],
  ["SELECT 'é', 1 ++ FROM shops", 'syntax', /column 18/],
  ['SUMMARIZE list_orders()', 'syntax', /SUMMARIZE SELECT \* FROM/],
  ["SELECT 'open", 'syntax', /unterminated quoted string/i],
  ['SELECT nope(1)', 'unknown_function', /no function nope\(\)\. Functions are DuckDB/],
  ['SELECT sume(1)', 'unknown_function', /Did you mean sum\?/],
  ['SELECT list_orders(1)', 'unknown_function', /list_orders is a table: it stands in FROM/],
  ["SELECT json_extrac('{}', 'a')", 'unknown_function', /json_extrac\(\)/],
  [
    'SELECT id, count(*) FROM shops',
    'bad_statement',
    /column 'id' must appear in the GROUP BY .* 'ANY_VALUE/,
  ],
  [
    'SELECT id FROM shops a JOIN shops b ON a.id = b.id',
    'bad_statement',
    /use: 'a\.id' or 'b\.id'/,
  ],
  ['SELECT sum(name) FROM shops', 'bad_statement', /sum\(VARCHAR\)'.*" Cast/],
  ['SELECT ? + 1', 'bad_statement', /parameter/],
  [
    'FROM shops s RIGHT JOIN list_orders(shop_id := s.id) o USING (id)',
    'bad_statement',
    /and with ON/,
  ],
  ['FROM shops AT (VERSION => 1)', 'bad_statement', /no versions/],
  ["FROM list_orders(period := 'x') WITH ORDINALITY", 'bad_statement', /row_number\(\) OVER \(\)/],
  [
    'SELECT CAST(name AS INTEGER) FROM shops',
    'bad_value',
    /'Haarlem' to INT32 .* column name.*TRY_CAST/,
  ],
  ["SELECT * FROM list_orders() WHERE date_created > '2026-11-45'", 'bad_value', /2026-11-45/],
  ['SELECT 10000000000 * 1000000000000', 'bad_value', /Overflow/],
  ['SELECT (SELECT id FROM shops)', 'bad_value', /Aggregate it/],
  [
    'SELECT shop_id, sum(total_wt) AS t FROM list_orders() GROUP BY ALL QUALIFY rank() OVER (ORDER BY t) = 1',
    'bad_statement',
    /further step/,
  ],
  ['SELECT id FROM list_orders() WHERE sum(total_wt) > 2', 'bad_statement', /in HAVING/],
  ['SELECT id FROM shops WHERE rank() OVER () = 1', 'bad_statement', /in QUALIFY/],
  ['SELECT sum(count(*)) FROM shops', 'bad_statement', /further step/],
  ["SELECT id FROM shops WHERE id = 'Webshop'", 'bad_value', /'Webshop' to INT64.*TRY_CAST/],
  ['SELECT id FROM shops WHERE name = 3', 'bad_value', /'Haarlem' .* column name/],
  [
    'SELECT id FROM list_orders() WHERE day > 20261101',
    'bad_statement',
    /DATE and type INTEGER_LITERAL.* Cast/,
  ],
  ["SELECT id FROM list_orders() WHERE day = 'yesterday'", 'bad_value', /arguments of tables only/],
  ["SELECT coalesce(location_id, 'none') FROM shops", 'bad_value', /'none' to INT64/],
  [
    'SELECT id FROM shops UNION SELECT id, name FROM shops',
    'bad_statement',
    /same number of result columns/,
  ],
  [
    'SELECT id FROM shops UNION ALL SELECT day FROM list_orders()',
    'bad_value',
    /BIGINT -> DATE.* Cast/,
  ],
  [
    'SELECT CASE WHEN true THEN name ELSE id END FROM shops',
    'bad_statement',
    /BIGINT and VARCHAR in CASE.* Cast/,
  ],
  [
    'SELECT CAST(name AS DATE) FROM shops',
    'bad_value',
    /'Haarlem'.* column name.* Days are written/,
  ],
  [
    'SELECT total_wt::DECIMAL(2,2) FROM list_orders()',
    'bad_value',
    /out of range.* column total_wt/,
  ],
  ['SELECT 1 FROM shops s, list_orders() s WHERE s.id = 1', 'bad_statement', /duplicate alias 's'/],
  [
    "SELECT date_trunc(day, 'month') FROM list_orders()",
    'bad_statement',
    /date_trunc\(DATE, STRING_LITERAL\)/,
  ],
  ["SELECT date_trunc('moth', day) FROM list_orders()", 'bad_value', /moth/],
  ['SELECT substr(name) FROM shops', 'bad_statement', /substr\(VARCHAR\)/],
  [
    "SELECT to_char(day, 'YYYY') FROM list_orders()",
    'unknown_function',
    /strftime\(day, '%Y-%m'\)/,
  ],
  ['SELECT lag(total_wt) FROM list_orders()', 'unknown_function', /window functions have OVER/],
  ["SELECT '2026-11-01' - 1", 'bad_statement', /CAST\(x AS DATE\)/],
  ['SELECT date_created - 1 FROM list_orders()', 'bad_statement', /INTERVAL 1 DAY/],
  ['SELECT name + name FROM shops', 'bad_statement', /joined with \|\|/],
  ['SELECT id FROM shops WHERE name = "Haarlem"', 'unknown_column', /single quotes: 'Haarlem'/],
  ['SELECT `id` FROM shops', 'unknown_function', /double quotes/],
  ['SELECT * EXCLUDE (nam) FROM shops', 'unknown_column', /did you mean name\?/],
  ['SELECT id.x FROM shops', 'bad_statement', /'id' because it is not a struct/],
  ['SELECT * FROM shops WHERE id IN (SELECT id, name FROM shops)', 'bad_statement', /2 columns/],
  ['SELECT * FROM shops s(a, b, c, d, e)', 'bad_statement', /4 columns available but 5/],
  [
    'SELECT 1 FROM shops JOIN list_orders() o USING (nope)',
    'unknown_column',
    /no column "nope" on the left of this join.*shops has id/,
  ],
  [
    'SELECT 1 FROM list_orders() o, shops s FULL JOIN list_order_items() i ON i.order_id = o.id',
    'bad_statement',
    /in place of a comma/,
  ],
  ['SELECT count(*) order FROM shops', 'syntax', /double quotes: "order"/],
  ['SELECT id FROM shops LIMIT 5, 10', 'syntax', /LIMIT 10 OFFSET 5/],
  ['SELECT TOP 5 id FROM shops', 'syntax', /TOP {2}>>> 5 id/],
  ['SELECT id FROM shops JOIN list_orders() o', 'syntax', />>> \(end\)/],
  ['WITH a AS SELECT 1 SELECT * FROM a', 'syntax', /WITH a AS {2}>>> SELECT/],
  ['SELECT 1 FROM shops HAVING true WHERE id = 1', 'syntax', /true {2}>>> WHERE/],
])('%s', async (sql, code, said) => {
  const statement = { sql, caller: 'a', provider: fakeProvider(), maxRows: 10 };
  const error: unknown = await engine
    .run({ ...statement, signal: AbortSignal.timeout(20_000) })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(QueryError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(said) });
});
