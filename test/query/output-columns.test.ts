import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/core/json.ts';
import { describeColumns, readOutput } from '../../src/query/output-columns.ts';

/** What is known of the columns `names` of a statement's answer, by the tree that the engine gives. */
async function outputOf(sql: string, names: readonly string[]) {
  const connection = await (await DuckDBInstance.create()).connect();
  const reader = await connection.runAndReadAll(
    'SELECT json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true)',
    [sql],
  );
  const tree: unknown = JSON.parse(String(reader.getRows()[0]?.[0]));
  const [statement] = isRecord(tree) && Array.isArray(tree.statements) ? tree.statements : [];
  const output = readOutput(isRecord(statement) && isRecord(statement.node) ? statement.node : {});
  return { output, columns: describeColumns(output, names) };
}

test.each([
  ['sum(x)', 'sum'],
  ['count(*)', 'count'],
  ['count(x) FILTER (WHERE y)', 'count'],
  ['count(DISTINCT x)', 'distinct'],
  ['sum(DISTINCT x)', 'other'],
  ['round(sum(x), 2)::DOUBLE', 'sum'],
  ['coalesce(sum(x), 0)', 'sum'],
  ['sum(x) - sum(y)', 'sum'],
  ['-sum(x)', 'sum'],
  ['sum(x) / 100', 'sum'],
  ['sum(x) - avg(y)', 'other'],
  ['sum(x) + 1', 'other'],
  ['sum(x) * count(*)', 'other'],
  ['median(x)', 'other'],
  ['avg(x)', 'other'],
  ['max(x)', 'other'],
  ['sum(x) / count(*)', 'ratio'],
  ['100.0 * sum(x) / sum(y)', 'percent'],
  ['sum(x) / sum(y) * 100', 'percent'],
  ['round(100 * sum(x) / sum(sum(x)) OVER (), 1)', 'percent'],
  ['sum(sum(x)) OVER (ORDER BY d)', 'other'],
  ['CASE WHEN true THEN sum(x) END', 'other'],
  ['x', 'column'],
])('%s is %s, by itself and through a query and a step', async (expression, kind) => {
  const plain = `SELECT d, ${expression} AS n FROM t GROUP BY d`;
  for (const sql of [
    plain,
    `SELECT a.d, a.n FROM (${plain}) a`,
    `WITH a AS (${plain}) SELECT * FROM a ORDER BY 1`,
    `WITH a AS (${plain}) SELECT d, N FROM a JOIN b USING (d)`,
    `${plain} UNION ALL ${plain}`,
  ]) {
    const { columns } = await outputOf(sql, ['d', 'n']);
    expect(columns[1]?.kind, sql).toBe(kind);
  }
});

test.each([
  ["date_trunc('Week', d)", 'week'],
  ["date_trunc('month', d)::DATE", 'month'],
  ['d::DATE', 'day'],
  ['d', 'day'],
  ['d - INTERVAL 1 DAY', undefined],
  ["time_bucket(INTERVAL '7 days', d)", undefined],
])('days %s are of %s', async (expression, grain) => {
  const { columns } = await outputOf(`SELECT ${expression} AS day, 1 FROM t(a := 1)`, ['day', '1']);
  expect(columns[0]?.grain).toBe(grain);
});

test('knows of which table a column is, and the columns of a star', async () => {
  const joined =
    'SELECT t.revenue.total, sum(quantity) AS q FROM trend() t JOIN shops s USING (id)';
  const { columns } = await outputOf(joined, ['total', 'q']);
  expect(columns).toMatchObject([
    { kind: 'column', of: 'revenue.total', tables: ['trend'] },
    { kind: 'sum', of: 'quantity', tables: ['trend', 'shops'] },
  ]);
  const star = await outputOf('SELECT * FROM trend() LIMIT 5', ['a']);
  expect(star.columns).toEqual([{ name: 'a', kind: 'column', of: 'a', tables: ['trend'] }]);
  expect(star.output.limit).toBe(5);
  const within = await outputOf('SELECT a FROM (SELECT 1 AS a LIMIT 3)', ['a']);
  expect(within.output.limit).toBeUndefined();
});
