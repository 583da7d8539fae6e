/** Statements that nobody would write: none may crash, hang or fail in a way that is not ours. */
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { QueryError } from '../../src/query/errors.ts';
import { anyText, fuzz, fuzzTimeoutMs } from '../fuzz.ts';
import { fakeProvider } from './fake-tables.ts';

vi.setConfig({ testTimeout: fuzzTimeoutMs });

const engine = new QueryEngine({ atOnce: 1, seconds: 5, memoryMb: 256 });
afterAll(() => engine.close());

/** Answers, or fails as a statement should; the process is the same one afterwards. */
async function survives(sql: string): Promise<void> {
  const statement = { sql, caller: 'a', provider: fakeProvider(), maxRows: 20 };
  try {
    const { rows, columns } = await engine.run({
      ...statement,
      signal: AbortSignal.timeout(15_000),
    });
    for (const row of rows) expect(Object.keys(row)).toHaveLength(columns.length);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    expect(error.code, `${sql}\n${error.message}`).not.toMatch(/^engine_|^cancelled$/);
    expect(error.message).not.toMatch(/SET \w+ ?=|_limit|\/node_modules\/|\n\s+at /);
  }
}

const one = <Value>(...values: Value[]) => fc.constantFrom(...values);
const wordOf = (words: string) => fc.constantFrom(...words.split(' '));
const column = wordOf(
  'id s.id o.id name total_wt day date_created tags address.city nothing Status',
);
const value = one(
  ...['1', '-2.50', "'paid'", 'NULL', 'true', "DATE '2026-11-02'", '[1, 2]', "{'a': 1}"],
  ...[
    '1e10',
    "'x''y'",
    '0.1::DOUBLE',
    "INTERVAL '3 days'",
    '170141183460469231731687303715884105727',
  ],
);
const operator = one(
  ...['+', '-', '*', '/', '=', '<', '||', 'AND', 'OR', 'IS DISTINCT FROM', 'LIKE', 'IN'],
);
const aggregate = wordOf(
  'sum count max median list lower abs unnest len coalesce date_trunc json_extract getenv nope',
);
const source = one(
  ...['shops', 'shops s', 'list_orders() o', 'c', 'empty', 'range(3) r(id)', 'read_csv(1)'],
  ...['nowhere', '(VALUES (1)) v(id)'],
);
const bareJoin = one(',', 'CROSS JOIN', 'NATURAL JOIN', 'POSITIONAL JOIN');
const joinOn = wordOf('JOIN LEFT FULL SEMI ANTI ASOF RIGHT').map((kind) =>
  `${kind} JOIN`.replace('JOIN JOIN', 'JOIN LATERAL'),
);
const group = one('', 'GROUP BY ALL', 'GROUP BY id', 'GROUP BY ROLLUP (id)');
const end = one(
  ...['', 'QUALIFY row_number() OVER () = 1', 'ORDER BY ALL', 'ORDER BY 1 LIMIT 3', 'LIMIT 2'],
  ...['LIMIT 10%', 'USING SAMPLE 3'],
);

const deep = (depth: number) => ({ maxDepth: depth, depthIdentifier: 'sql' }) as const;

const { expression, query } = fc.letrec<
  Record<'expression' | 'argument' | 'table' | 'from' | 'select' | 'query', string>
>((tie) => {
  const of = (...names: ('expression' | 'argument' | 'table' | 'from' | 'select')[]) =>
    fc.tuple(...names.map((name) => tie(name)));
  return {
    expression: fc.oneof(
      deep(3),
      column,
      value,
      fc
        .tuple(tie('expression'), operator, tie('expression'))
        .map((parts) => `(${parts.join(' ')})`),
      fc.tuple(aggregate, tie('expression')).map(([name, a]) => `${name}(${a})`),
      tie('expression').map((a) => `CAST(${a} AS VARCHAR)`),
      tie('expression').map((a) => `sum(${a}) OVER (PARTITION BY id ORDER BY 1)`),
      of('expression', 'expression').map(([a, b]) => `CASE WHEN ${a} THEN ${b} END`),
      tie('query').map((inner) => `(${inner})`),
      tie('query').map((inner) => `EXISTS (${inner})`),
    ),
    argument: fc.oneof(
      deep(2),
      value,
      column,
      tie('expression'),
      tie('query').map((it) => `(${it})`),
    ),
    table: fc.oneof(
      deep(3),
      source,
      fc
        .tuple(
          wordOf('list_orders list_order_items get_daily_close result'),
          wordOf('status order_id "date" id'),
          wordOf(':= => ='),
          tie('argument'),
          one('', 'o', 'AS s', 'i(a, b)'),
        )
        .map(([name, arg, is, given, alias]) => `${name}(${arg} ${is} ${given}) ${alias}`),
      tie('query').map((inner) => `(${inner}) AS q`),
    ),
    from: fc.oneof(
      deep(3),
      tie('table'),
      fc.tuple(tie('from'), bareJoin, tie('table')).map((parts) => parts.join(' ')),
      fc
        .tuple(tie('from'), joinOn, tie('table'), tie('expression'))
        .map(([a, join, b, on]) => `${a} ${join} ${b} ON ${on}`),
    ),
    select: fc
      .tuple(
        fc.array(fc.oneof(one('*', 's.*', 'count(*)', 'COLUMNS(*)'), tie('expression')), {
          minLength: 1,
          maxLength: 3,
        }),
        tie('from'),
        fc.option(tie('expression')),
        group,
        end,
      )
      .map(
        ([list, from, where, by, last]) =>
          `SELECT ${list.join(', ')} FROM ${from} ${where === null ? '' : `WHERE ${where}`} ${by} ${last}`,
      ),
    query: fc.oneof(
      deep(2),
      tie('select'),
      tie('select').map((inner) => `WITH c AS (${inner}) SELECT * FROM c`),
      fc
        .tuple(tie('select'), one('UNION', 'UNION ALL BY NAME', 'EXCEPT'), tie('select'))
        .map((parts) => parts.join(' ')),
      tie('select').map((it) => `WITH RECURSIVE c AS (SELECT 1 AS id UNION ${it}) FROM c LIMIT 3`),
      one(
        'DESCRIBE SELECT * FROM shops',
        'FROM shops',
        'SELECT 1',
        'SUMMARIZE SELECT * FROM shops',
      ),
    ),
  };
});

describe('the engine survives', () => {
  test('statements from a grammar', async () => {
    await fuzz('statements by a grammar', 20, fc.asyncProperty(query, survives));
  });

  test('expressions from a grammar', async () => {
    const sql = expression.map(
      (text) => `SELECT ${text} FROM shops s, list_orders(shop_id := s.id) o`,
    );
    await fuzz('expressions by a grammar', 14, fc.asyncProperty(sql, survives));
  });

  test('statements with something torn out or put in', async () => {
    const junk = fc.oneof(
      one("'", '"', '--', '/*', ';', ')', '\0', '$$', ':=', '🙂', '\\'),
      anyText(4),
    );
    const torn = fc
      .tuple(query, fc.nat(300), fc.nat(5), junk)
      .map(([sql, at, length, put]) => sql.slice(0, at) + put + sql.slice(at + length));
    await fuzz('torn statements', 16, fc.asyncProperty(torn, survives));
  });

  test('random text', async () => {
    const text = anyText(60);
    await fuzz('texts as statements', 12, fc.asyncProperty(text, survives));
  });
});
