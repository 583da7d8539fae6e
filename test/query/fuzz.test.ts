/** Statements that nobody would write: none may crash, hang or fail in a way that is not ours. */
import fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { QueryError } from '../../src/query/errors.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { runSql } from './fake-tables.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

const engine = new QueryEngine({ atOnce: 1, threads: 1, seconds: 5, memoryMb: 256 });
afterAll(() => engine.close());

/** Answers, or fails as a statement should; the process is the same one afterwards. */
async function survives(sql: string): Promise<void> {
  try {
    const { rows, columns } = await runSql(sql, { engine, maxRows: 20 });
    for (const row of rows) expect(Object.keys(row)).toHaveLength(columns.length);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { code } = error.reason;
    expect(code, `${sql}\n${error.message}`).not.toMatch(
      /^engine_(?!refuses)|^statement_cancelled$/,
    );
    expect(error.reason.text).not.toMatch(/SET \w+ ?=|_limit|\/node_modules\/|\n\s+at /);
  }
}

const wordOf = (words: string) => fc.constantFrom(...words.split(' '));
const lineOf = (lines: string) => fc.constantFrom(...lines.trim().split(/\n\s*/));
const column = wordOf(
  'id s.id o.id name total_wt day date_created tags address.city nothing Status',
);
const value = lineOf(`1
  -2.50
  'paid'
  NULL
  DATE '2026-11-02'
  [1, 2]
  {'a': 1}
  1e10
  'x''y'
  INTERVAL '3 days'
  170141183460469231731687303715884105727`);
const operator = wordOf('+ - * / = < || AND OR LIKE IN');
const call = wordOf(
  'sum count max median list lower abs unnest len date_trunc json_extract getenv nope',
);
const source = lineOf(`shops
  shops s
  list_orders() o
  c
  empty
  range(3) r(id)
  read_csv(1)
  (VALUES (1)) v(id)`);
const table = wordOf('list_orders list_order_items search_products result');
const argument = wordOf('status order_id shop_id id');
const join = wordOf('INNER CROSS NATURAL POSITIONAL LEFT FULL SEMI ANTI ASOF RIGHT');
const end = lineOf(`GROUP BY ALL
  GROUP BY ROLLUP (id)
  QUALIFY row_number() OVER () = 1
  ORDER BY 1 LIMIT 3
  LIMIT 10%
  USING SAMPLE 3`);

const deep = (maxDepth: number) => ({ maxDepth, depthIdentifier: 'sql' }) as const;

const { expression, query } = fc.letrec<Record<'expression' | 'from' | 'select' | 'query', string>>(
  (tie) => {
    const [inner, select] = [tie('expression'), tie('select')];
    return {
      expression: fc.oneof(
        deep(3),
        column,
        value,
        fc.tuple(inner, operator, inner).map((parts) => `(${parts.join(' ')})`),
        fc.tuple(call, inner).map(([name, a]) => `${name}(${a})`),
        inner.map((a) => `CAST(${a} AS VARCHAR)`),
        inner.map((a) => `sum(${a}) OVER (PARTITION BY id ORDER BY 1)`),
        fc.tuple(inner, inner).map(([a, b]) => `CASE WHEN ${a} THEN ${b} END`),
        tie('query').map((it) => `(${it})`),
      ),
      from: fc.oneof(
        deep(3),
        source,
        fc.tuple(table, argument, inner).map(([name, arg, a]) => `${name}(${arg} := ${a}) s`),
        tie('query').map((it) => `(${it}) AS q`),
        fc.tuple(tie('from'), join, source).map(([a, kind, b]) => `${a} ${kind} JOIN ${b}`),
        fc
          .tuple(tie('from'), join, source, inner)
          .map((it) => `${it[0]} ${it[1]} JOIN ${it[2]} ON ${it[3]}`),
      ),
      select: fc
        .tuple(fc.oneof(fc.constant('*'), inner), tie('from'), inner, end)
        .map(([list, from, where, last]) => `SELECT ${list} FROM ${from} WHERE ${where} ${last}`),
      query: fc.oneof(
        deep(2),
        select,
        select.map((it) => `WITH c AS (${it}) SELECT * FROM c`),
        fc.tuple(select, select).map((parts) => parts.join(' UNION ALL BY NAME ')),
        select.map((it) => `WITH RECURSIVE c AS (SELECT 1 AS id UNION ${it}) FROM c LIMIT 3`),
        fc.constant('SUMMARIZE SELECT * FROM shops'),
      ),
    };
  },
);

const junk = fc.oneof(wordOf('\' " -- /* ; ) \0 $$ := 🙂 \\'), anyText(4));
const statement = fc.oneof(
  query,
  expression.map((it) => `SELECT ${it} FROM shops s, list_orders(shop_id := s.id) o`),
  fc
    .tuple(query, fc.nat(300), fc.nat(5), junk)
    .map(([sql, at, length, put]) => sql.slice(0, at) + put + sql.slice(at + length)),
  anyText(60),
);

test('the engine survives statements by a grammar, torn ones, and any text', async () => {
  await fuzz('statements', 60, fc.asyncProperty(statement, survives));
});
