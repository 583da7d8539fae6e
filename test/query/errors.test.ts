import { afterAll, expect, test } from 'vitest';
import { createQueryEngine } from '../../src/query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../src/query/errors.ts';
import { fakeProvider } from './fake-tables.ts';

const engine = createQueryEngine({ atOnce: 1 });
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
  ['SELECT address.town FROM shops', 'unknown_column', /no column "town"/],
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
  ['FROM list_orders(period := last_month)', 'bad_argument', /period := 'last_month'/],
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
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT i.id FROM list_order_items(order_id := (SELECT n FROM r)) i) FROM r',
    'bad_argument',
    /own recursion/,
  ],
  [
    "FROM list_orders(from := '2026-11-02')",
    'syntax',
    /line 1, column 18.*"from" := .*period := '2026-11-02\.\.2026-11-08'/,
  ],
  ["FROM list_orders(period := 'x', to := '2026-11-02')", 'syntax', /"to" := /],
  ['FROM list_orders(all := true)', 'syntax', /"all" := /],
  ['SELECT id end FROM shops', 'syntax', /put AS before it or write it in double quotes: AS "end"/],
  ['SELECT id\nFROM shops\nWHERE >', 'syntax', /line 3, column 7/],
  ["SELECT 'é', 1 ++ FROM shops", 'syntax', /column 18/],
  ['SUMMARIZE list_orders()', 'syntax', /SUMMARIZE SELECT \* FROM/],
  ["SELECT 'open", 'syntax', /unterminated quoted string/i],
  ['SELECT nope(1)', 'unknown_function', /no function nope\(\)\.$/],
  ['SELECT sume(1)', 'unknown_function', /Did you mean sum\?/],
  ['SELECT list_orders(1)', 'unknown_function', /list_orders is a table: it stands in FROM/],
  ["SELECT json_extrac('{}', 'a')", 'unknown_function', /json_extrac\(\)/],
  ['SELECT id, count(*) FROM shops', 'bad_statement', /"id" must appear in the GROUP BY/],
  ['SELECT id FROM shops a JOIN shops b ON a.id = b.id', 'bad_statement', /"a\.id" or "b\.id"/],
  ['SELECT sum(name) FROM shops', 'bad_statement', /sum\(VARCHAR\)\. Cast/],
  ['SELECT ? + 1', 'bad_statement', /parameter/],
  ['FROM shops s JOIN list_orders(shop_id := s.id) o USING (id)', 'bad_statement', /Join with ON/],
  ['FROM shops AT (VERSION => 1)', 'bad_statement', /no versions/],
  ["FROM list_orders(period := 'x') WITH ORDINALITY", 'bad_statement', /row_number\(\) OVER \(\)/],
  ['SELECT CAST(name AS INTEGER) FROM shops', 'bad_value', /'Haarlem' to INT32/],
  ["SELECT * FROM list_orders() WHERE date_created > '2026-11-45'", 'bad_value', /2026-11-45/],
  ['SELECT 10000000000 * 1000000000000', 'bad_value', /Overflow/],
  ['SELECT (SELECT id FROM shops)', 'bad_value', /Aggregate it/],
])('%s', async (sql, code, said) => {
  const statement = { sql, caller: 'a', provider: fakeProvider(), maxRows: 10 };
  const error: unknown = await engine
    .run({ ...statement, signal: AbortSignal.timeout(20_000) })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(QueryError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(said) });
});
