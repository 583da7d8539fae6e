import { afterAll, describe, expect, test } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { QueryError } from '../../src/query/errors.ts';
import { fakeProvider } from './fake-tables.ts';

const engine = new QueryEngine({
  atOnce: 1,
  threads: 1,
  seconds: 2,
  patienceMs: 300,
  memoryMb: 128,
});
afterAll(() => engine.close());

async function failure(sql: string, on = engine, maxRows = 100): Promise<QueryError> {
  const signal = AbortSignal.timeout(25_000);
  const error: unknown = await on
    .run({ sql, caller: 'stranger', provider: fakeProvider(), maxRows, signal })
    .then(({ rows }) => `answered ${JSON.stringify(rows).slice(0, 200)}`)
    .catch((error: unknown) => error);
  if (error instanceof QueryError) return error;
  throw new Error(`${sql}: ${error}`);
}

/** No path of the machine, no setting, no advice of the engine, beyond the words of the statement. */
function expectHarmless({ message }: QueryError, sql: string): void {
  const own = message.split(/"[^"]*"/).filter((part) => !sql.includes(part));
  expect(own.join(' ')).not.toMatch(
    /\/(usr|home|root|tmp)\/|SET \w+ *[=T]|_limit|https?:|\bat \w+ \(/,
  );
  expect(message.length).toBeLessThan(1500);
}

describe('what reaches outside is refused by name', () => {
  test.each([
    "FROM read_csv('/etc/passwd')",
    "FROM read_text('/etc/passwd')",
    "FROM read_blob('/etc/passwd')",
    "FROM read_json_auto('https://example.com/a.json')",
    "FROM read_parquet('s3://bucket/key')",
    "FROM parquet_scan('x')",
    "FROM glob('/*')",
    "FROM '/etc/passwd'",
    "FROM 'x.csv'",
    'FROM "https://example.com/x.parquet"',
    "FROM query('SELECT 1')",
    "FROM query_table('shops')",
    "FROM sqlite_scan('a', 'b')",
    "FROM sniff_csv('x')",
    "FROM which_secret('s3://a', 's3')",
    'FROM duckdb_settings()',
    'FROM duckdb_secrets()',
    'FROM duckdb_functions()',
    "FROM pragma_table_info('shops')",
    'FROM pragma_version',
    'FROM information_schema.tables',
    'FROM pg_catalog.pg_class',
    'FROM duckdb_tables',
    'FROM sqlite_master',
    'FROM loaded.t1',
    'FROM main.shops',
    "FROM json_execute_serialized_sql('{}')",
    'FROM repeat_row(1, num_rows := 3)',
    'FROM arrow_scan(1, 2, 3)',
    "SELECT * FROM shops WHERE id IN (SELECT 1 FROM read_csv('x'))",
    "WITH a AS (FROM glob('*')) SELECT 1",
    "FROM list_orders(status := (SELECT content FROM read_text('/etc/passwd')))",
    "SELECT (SELECT count(*) FROM 'x.csv')",
    "SUMMARIZE 'x.csv'",
    "DESCRIBE 'x.csv'",
  ])('%s', async (sql) => {
    const error = await failure(sql);
    expect(error.code).toBe('unknown_table');
    expectHarmless(error, sql);
  });

  test.each([
    "SELECT getenv('HOME')",
    "SELECT current_setting('memory_limit')",
    "SELECT getvariable('a')",
    'SELECT current_query()',
    'SELECT txid_current()',
    "SELECT nextval('a')",
    "SELECT write_log('a')",
    'SELECT sleep_ms(60000)',
    'SELECT pg_sleep(60)',
    'SELECT setseed(0.5)',
    "SELECT list_orders(period := 'x')",
    "SELECT read_text('/etc/passwd')",
    'SELECT x FROM shops, (SELECT pg_get_viewdef(1) AS x)',
  ])('%s', async (sql) => {
    const error = await failure(sql);
    expect(error.code).toBe('unknown_function');
    expectHarmless(error, sql);
  });
});

describe('what is no SELECT is refused', () => {
  test.each([
    ["COPY (SELECT 1) TO '/tmp/x'", /COPY/],
    ["COPY shops FROM 'x'", /COPY/],
    ["ATTACH '/tmp/x.db' AS x", /ATTACH/],
    ['DETACH x', /DETACH/],
    ['INSTALL httpfs', /INSTALL/],
    ['LOAD httpfs', /LOAD/],
    ["SET memory_limit = '100GB'", /SET/],
    ['RESET memory_limit', /RESET/],
    ['PRAGMA database_list', /PRAGMA/],
    ['CALL pragma_version()', /CALL/],
    ['CREATE TABLE x AS SELECT 1', /CREATE/],
    ['CREATE SECRET s (TYPE s3)', /CREATE/],
    ['DROP TABLE shops', /DROP/],
    ['DELETE FROM shops', /DELETE/],
    ["UPDATE shops SET name = 'x'", /UPDATE/],
    ['INSERT INTO shops VALUES (1)', /INSERT/],
    ['WITH a AS (SELECT 1) INSERT INTO shops FROM a', /more than a SELECT/],
    ['EXPLAIN SELECT 1', /EXPLAIN/],
    ['VACUUM', /VACUUM/],
    ['CHECKPOINT', /CHECKPOINT/],
    ["EXPORT DATABASE 'x'", /EXPORT/],
    ['BEGIN', /BEGIN/],
    ['SELECT 1; SELECT 2', /2 statements/],
    ['SELECT 1; DROP TABLE shops', /more than a SELECT/],
    ['/* SELECT */ -- SELECT\n DROP TABLE shops', /DROP/],
    ['PIVOT shops ON id USING count(*)', /PIVOT.*FILTER/],
    ['SHOW TABLES', /SHOW/],
    ['', /empty/],
    ['-- nothing', /empty/],
  ])('%s', async (sql, said) => {
    const error = await failure(sql);
    expect(error.code).toBe('not_select');
    expect(error.message).toMatch(said);
    expectHarmless(error, sql);
  });
});

describe('what would not end, or not fit, ends with a clear error', () => {
  const tooMuch = /^out_of_(time|memory)$/;

  test.each<[string, string, RegExp]>([
    [
      'endless recursion',
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r',
      tooMuch,
    ],
    [
      'a cross product',
      'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7',
      tooMuch,
    ],
    [
      'a sort of everything',
      'SELECT range FROM range(500000000) ORDER BY hash(range) LIMIT 1 OFFSET 400000000',
      tooMuch,
    ],
    ['a list of four billion', 'SELECT list(range) FROM range(4000000000)', tooMuch],
    [
      'a text of two billion',
      "SELECT repeat('x', 2000000000)",
      /^(output_too_large|out_of_(time|memory))$/,
    ],
    [
      'a text of many texts',
      "SELECT string_agg(repeat('x', 1000000), '') FROM range(1000000)",
      tooMuch,
    ],
    ['a range as a list', 'SELECT range(1000000000)', tooMuch],
    [
      'a list of long texts',
      'SELECT list_transform(range(1000000), lambda i: repeat(i::VARCHAR, 1000))',
      tooMuch,
    ],
    [
      'a deep expression',
      `SELECT ${Array.from({ length: 10_000 }, () => '1').join('+')}`,
      /^syntax|bad_statement|out_of_time$/,
    ],
    ['a long statement', `SELECT '${'x'.repeat(60_000)}'`, /^too_long$/],
    [
      'an argument of three million values',
      'FROM list_order_items(order_id := (SELECT range FROM range(3000000)))',
      /^bad_argument|out_of_(time|memory)$/,
    ],
  ])('%s', async (_, sql, code) => {
    const error = await failure(sql);
    expect(error.code).toMatch(code);
    expectHarmless(error, sql);
  });

  test.each<[string, string]>([
    ['deep parentheses', `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)} AS x`],
    [
      'a pattern that backtracks elsewhere',
      "SELECT 1 AS x WHERE NOT regexp_matches(repeat('a', 100000), '(a*)*b')",
    ],
  ])('but %s does no harm', async (_, sql) => {
    const signal = AbortSignal.timeout(20_000);
    const statement = { sql, caller: 'stranger', signal, maxRows: 10 };
    const { rows } = await engine.run({ ...statement, provider: fakeProvider() });
    expect(rows).toEqual([{ x: 1 }]);
  });

  test('and the next statement is right', async () => {
    const signal = AbortSignal.timeout(20_000);
    const statement = { sql: 'SELECT count(*) AS n FROM shops', caller: 'stranger', signal };
    const { rows } = await engine.run({ ...statement, provider: fakeProvider(), maxRows: 10 });
    expect(rows).toEqual([{ n: 3 }]);
  });
});
