import { afterAll, describe, expect, test } from 'vitest';
import type { Message } from '../../src/core/message.ts';
import { QueryEngine } from '../../src/query/engine.ts';
import { QueryError } from '../../src/query/messages.ts';
import { workerEngine } from '../query-engine.ts';
import { runSql } from './fake-tables.ts';

/** One that soon has enough; what is refused or does no harm has all the time that a busy machine needs. */
const tight = new QueryEngine({ atOnce: 1, threads: 1, seconds: 1, memoryMb: 128 });
afterAll(() => tight.close());

async function failure(sql: string, engine = workerEngine): Promise<QueryError> {
  const error: unknown = await runSql(sql, { engine })
    .then(({ rows }) => `answered ${JSON.stringify(rows).slice(0, 200)}`)
    .catch((error: unknown) => error);
  if (error instanceof QueryError) return error;
  throw new Error(`${sql}: ${error}`);
}

/** No path of the machine, no setting, no advice of the engine, beyond the words of the statement. */
function expectHarmless({ reason }: QueryError, sql: string): void {
  const message = reason.text;
  const own = message.split(/"[^"]*"/).filter((part) => !sql.includes(part));
  expect(own.join(' ')).not.toMatch(
    /\/(usr|home|root|tmp)\/|SET \w+ *[=T]|_limit|https?:|\bat \w+ \(/,
  );
  expect(message.length).toBeLessThan(1500);
}

test.each<[what: string, codes: Message['code'][], statements: string[]]>([
  [
    'a table that there is not',
    ['unknown_table'],
    [
      "FROM parquet_scan('x')",
      "FROM read_csv('/etc/passwd')",
      "FROM 'https://example.com/x.csv'",
      'FROM duckdb_secrets()',
      "WITH x AS (FROM read_csv('/etc/passwd')) SELECT 1",
      "FROM list_orders(period := (SELECT content FROM read_text('/etc/passwd')))",
      "FROM 'x.csv'",
      'FROM duckdb_functions()',
      'FROM loaded.shops',
      'FROM main.shops',
      "SELECT * FROM shops WHERE id IN (SELECT 1 FROM read_csv('x'))",
      "SELECT id FROM shops ORDER BY (SELECT 1 FROM read_csv('x'))",
      "FROM shops JOIN shops s ON s.id = (SELECT 1 FROM read_csv('x'))",
      "FROM (FROM read_csv('x')) PIVOT (sum(a) FOR b IN (1))",
      "WITH RECURSIVE r AS (SELECT 1 UNION ALL FROM read_csv('x')) FROM r",
      "SUMMARIZE 'x.csv'",
    ],
  ],
  [
    'a function that there is not',
    ['unknown_function', 'function_refused'],
    [
      "SELECT getenv('HOME')",
      "SELECT getvariable('a')",
      'SELECT current_query()',
      'SELECT sleep_ms(60000)',
      'SELECT setseed(0.5)',
    ],
  ],
  ['a table function in place of a value', ['engine_refuses'], ["SELECT read_text('/etc/passwd')"]],
  ['a part that may not be', ['part_refused'], ['SHOW TABLES']],
  [
    'no SELECT',
    ['not_select', 'not_one_select'],
    [
      'WITH a AS (SELECT 1) INSERT INTO shops FROM a',
      "COPY (SELECT 1) TO '/tmp/out.csv'",
      "SET memory_limit = '100GB'",
      "SELECT /* ; */ 1; ATTACH 'x'",
      '/* SELECT */ -- SELECT\n DROP TABLE shops',
      'PIVOT shops ON id USING count(*)',
      '',
    ],
  ],
])('%s: what reaches outside, or is no SELECT, is refused', async (_, codes, statements) => {
  for (const sql of statements) {
    const error = await failure(sql);
    expect(codes, sql).toContain(error.reason.code);
    expectHarmless(error, sql);
  }
});

describe('what would not end, or not fit, ends with a clear error', () => {
  const sum = Array.from({ length: 10_000 }, () => '1').join('+');
  test.each<[what: string, sql: string, code?: RegExp]>([
    [
      'recursion',
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) FROM r LIMIT 1 OFFSET 9999999999',
    ],
    [
      'a product of tables',
      'SELECT count(*) FROM list_orders() a, list_orders() b, list_orders() c, list_orders() d, list_orders() e, list_orders() f WHERE a.total_wt + b.total_wt + c.total_wt + d.total_wt + e.total_wt < f.total_wt',
    ],
    ['sorts', 'SELECT range FROM range(500000000) ORDER BY hash(range) LIMIT 1 OFFSET 400000000'],
    ['a text', "SELECT repeat('x', 2000000000)", /^(row_too_large|out_of_(time|memory))$/],
    ['rows of a large text', "SELECT repeat('x', 1000000) FROM range(1000) ORDER BY hash(range)"],
    ['a range', 'SELECT range(1000000000)'],
    ['a list', 'SELECT len(list(r.range)) FROM range(4000000000) r'],
    ['lists', 'SELECT list_transform(range(1000000), lambda i: repeat(i::VARCHAR, 1000))'],
    [
      'an expression',
      `SELECT ${sum}`,
      /^(syntax_error|engine_refuses|nested_too_deeply|out_of_time)$/,
    ],
    [
      'an argument',
      'FROM list_order_items(order_id := (SELECT range FROM range(3000000)))',
      /^(too_many_values|out_of_(time|memory))$/,
    ],
  ])('%s', async (_, sql, code = /^out_of_(time|memory)$/) => {
    const error = await failure(sql, tight);
    expect(error.reason.code).toMatch(code);
    expectHarmless(error, sql);
  });

  test.each([
    `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)} AS x`,
    "SELECT 1 AS x WHERE NOT regexp_matches(repeat('a', 100000), '(a*)*b')",
    'SELECT count(*) - 2 AS x FROM shops',
  ])('but what does no harm is answered', async (sql) => {
    const { rows } = await runSql(sql);
    expect(rows).toEqual([{ x: 1 }]);
  });
});
