import { expect, test } from 'vitest';
import { fakeProvider, runSql } from '../fake-tables.ts';

const numbers = [
  { d: '2026-11-02T10:00:00Z', x: 1.5, y: 2, revenue: { total: 3 } },
  { d: '2026-11-03T10:00:00Z', x: 2.5, y: 3, revenue: { total: 4 } },
];

/** What is known of an answer. */
function answerTo(sql: string) {
  return runSql(sql, { provider: fakeProvider({ t: numbers, b: numbers }) });
}

test.each([
  ['sum(x)', 'sum'],
  ['count(*)', 'count'],
  ['count(x) FILTER (WHERE y > 2)', 'count'],
  ['count(DISTINCT x)', 'distinct'],
  ['sum(DISTINCT x)', 'other'],
  ['round(sum(x), 2)::DOUBLE', 'sum'],
  ['coalesce(sum(x), 0)', 'sum'],
  ['sum(x) - sum(y)', 'sum'],
  ['-sum(x)', 'sum'],
  ['sum(x) / 100', 'sum'],
  ['sum(x) - avg(y)', 'other'],
  ['sum(x) * count(*)', 'other'],
  ['median(x)', 'other'],
  ['sum(x) / count(*)', 'ratio'],
  ['100.0 * sum(x) / sum(y)', 'percent'],
  ['sum(x) / sum(y) * 100', 'percent'],
  ['round(100 * sum(x) / sum(sum(x)) OVER (), 1)', 'percent'],
  ['sum(sum(x)) OVER (ORDER BY d)', 'other'],
  ['CASE WHEN true THEN sum(x) END', 'other'],
])('%s is %s, by itself and through a query and a step', async (expression, kind) => {
  const plain = `SELECT d, ${expression} AS n FROM t GROUP BY d`;
  for (const sql of [
    `WITH a AS (${plain}) SELECT s.d, s.N FROM (SELECT * FROM a) s JOIN b USING (d)`,
    `${plain} UNION ALL ${plain}`,
  ]) {
    const { columns } = await answerTo(sql);
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
  const { columns } = await answerTo(`SELECT ${expression} AS day, 1 FROM t()`);
  expect(columns[0]?.grain).toBe(grain);
});

test('knows of which table a column is, and the columns of a star', async () => {
  const joined = 'SELECT s.revenue.total, sum(o.y) AS q FROM t() s JOIN b o USING (x) GROUP BY 1';
  expect((await answerTo(joined)).columns).toMatchObject([
    { kind: 'column', column: 'revenue.total', tables: ['t'] },
    { kind: 'sum', column: 'y', tables: ['b'] },
  ]);
  const star = await answerTo('SELECT * FROM t() LIMIT 5');
  expect(star.columns[1]).toMatchObject({ name: 'x', kind: 'column', column: 'x', tables: ['t'] });
  expect(star.limit).toBe(5);
  expect((await answerTo('SELECT a FROM (SELECT 1 AS a LIMIT 3)')).limit).toBeUndefined();
});
