/** Statements that nobody would write: none may crash, hang or fail by surprise, and what is answered has its warnings. */
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText, fuzz, fuzzTimeoutMs } from '../../fuzz.ts';
import { sharedServer } from '../../server-over.ts';

const shared = sharedServer({
  settings: { COMMERCE_QUERY_SECONDS: '5', COMMERCE_QUERY_MEMORY_MB: '256' },
});

/** Answers, or refuses in words, and says what its tables warn of. */
async function expectSound(sql: string): Promise<boolean> {
  const { ask, app, sandbox } = shared();
  const ended = once(app.activity, 'call');
  const { isError, text, rows, context, warnings } = await ask('query', { sql });
  // How the server itself says that the call ended.
  const [{ outcome }] = await ended;
  expect(outcome, `${sql}\n${text}`).toMatch(
    /^(ok|bad_(input|request)|too_large|timeout|not_found|result_gone)$/,
  );
  expect(isError).toBe(outcome !== 'ok');
  expect(text).not.toMatch(/SET \w+ ?=|_limit\b|\/node_modules\/|\n\s+at |\bundefined\b|\[object /);
  if (isError) return false;
  expect(new Set(rows.map((row) => Object.keys(row).length)).size).toBeLessThanOrEqual(1);
  const tables = JSON.stringify(context.tables ?? []);
  const codes = warnings.map(({ code }) => code);
  if (tables.includes('"to":"2026-11-20"')) expect(codes, text).toContain('day_not_over');
  const { date } = sandbox.world.unbalancedDay;
  if (tables.includes(`{"date":"${date}"}`)) expect(codes, text).toContain('balance_differs');
  return true;
}

const wordOf = (words: string) => fc.constantFrom(...words.split(' '));
const lineOf = (lines: string) => fc.constantFrom(...lines.trim().split(/\n\s*/));
const column = wordOf(
  'id s.id o.id name total_wt value date_created measure address.city nothing Status',
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
  list_orders(period := 'today') o
  list_discount_orders(period := 'this_week') o
  get_daily_close("date" := '2026-11-18') o
  get_financial_report(period := ['2026-11-17', 'today'])
  turnover_trend(period := 'last_week')
  locations
  tables
  c
  range(3) r(id)
  read_csv(1)
  (VALUES (1)) v(id)`);
const table = wordOf('list_orders list_order_items search_products list_stock result');
const argument = wordOf('period status order_id shop_id q id');
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
  expression.map(
    (it) => `SELECT ${it} FROM shops s, list_orders(period := 'today', shop_id := s.id) o`,
  ),
  fc
    .tuple(query, fc.nat(300), fc.nat(5), junk)
    .map(([sql, at, length, put]) => sql.slice(0, at) + put + sql.slice(at + length)),
  anyText(60),
);

test(
  'statements by a grammar, torn ones and any text are answered or refused in words, with the warnings of their tables',
  async () => {
    let answers = 0;
    const property = fc.asyncProperty(statement, async (sql) => {
      if (await expectSound(sql)) answers++;
    });
    await fuzz('statements', 60, property);
    expect(answers).toBeGreaterThan(3);
  },
  fuzzTimeoutMs,
);
