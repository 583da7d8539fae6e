import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolAnswer } from '../../clients.ts';
import { fuzz, fuzzTimeoutMs } from '../../fuzz.ts';
import { sharedServer } from '../../server-over.ts';

const shared = sharedServer({ settings: { COMMERCE_QUERY_SECONDS: '5' } });

/** Something to read from, and columns that it has. */
interface Source {
  from: string;
  columns: readonly string[];
}

const facts = ['value', 'measure', 'path', 'split', 'shop_id'];

/** Sources with the columns that they have, or should have. */
const byColumns: readonly [columns: readonly string[], sources: readonly string[]][] = [
  [
    ['id', 'name'],
    ['shops', 'locations', 'tax_rates', 'turnover_groups', 'customer_segments'],
  ],
  [
    ['id', 'shop_id', 'total_wt', 'status', 'date_created'],
    [
      ...['today', 'yesterday', 'last_week', '2026-11-03', 'nonsense'].map(
        (period) => `list_orders(period := '${period}')`,
      ),
      "list_discount_orders(period := 'this_week')",
    ],
  ],
  [
    facts,
    ['today', '2026-11-03', '2026-11-18'].map((day) => `get_daily_close("date" := '${day}')`),
  ],
  [['period', ...facts], ["get_financial_report(period := ['2026-11-17', 'today'])"]],
  [
    ['id', 'order_id', 'kind', 'total_wt'],
    ["list_order_items(order_id := (SELECT max(id) FROM list_orders(period := 'today')))"],
  ],
  [['id', 'title', 'price_wt', 'stock'], ['search_products()']],
  [['product_id', 'location_id', 'stock'], ['list_stock()']],
  [['id', 'name', 'email'], ["search_customers(q := 'jan')"]],
  [['bucket', '"from"'], ["turnover_trend(period := 'last_week')"]],
  [['name', 'columns'], ['tables']],
  [['id'], ["result('r_0000000000')", 'list_nothing()', 'shops(name := 1)']],
];
const sources = byColumns.flatMap(([columns, from]) =>
  from.map((it): Source => ({ from: it, columns })),
);

const wrong = fc.constantFrom(
  'no_such',
  '1/0',
  "CAST('x' AS DATE)",
  'no_such(1)',
  "repeat('x', 9)",
);

/** What stands in SELECT, WHERE or ORDER BY: mostly what makes sense. */
function termOf({ columns }: Source): fc.Arbitrary<string> {
  const column = fc.constantFrom(...columns);
  return fc.oneof(
    { weight: 5, arbitrary: column.map((name) => `a.${name}`) },
    { weight: 2, arbitrary: column.map((name) => `max(a.${name})`) },
    { weight: 2, arbitrary: fc.constantFrom('count(*)', '*', '1', "'text'", 'NULL') },
    { weight: 1, arbitrary: column.map((name) => `sum(a.${name}) OVER (ORDER BY a.${name})`) },
    { weight: 1, arbitrary: wrong },
  );
}

const tail = fc.constantFrom('', '', ' GROUP BY ALL', ' ORDER BY ALL', ' LIMIT 3', ' HAVING 1');
const join = fc.constantFrom(' JOIN ', ' LEFT JOIN ', ' SEMI JOIN ', ' ANTI JOIN ', ' FULL JOIN ');
const source = fc.constantFrom(...sources);

const select = source.chain((first) =>
  fc
    .record({
      terms: fc.array(termOf(first), { minLength: 1, maxLength: 3 }),
      more: fc.option(fc.tuple(join, source), { freq: 2 }),
      where: fc.option(fc.tuple(termOf(first), fc.constantFrom('=', '<', 'LIKE')), { freq: 2 }),
      tail,
    })
    .map(({ terms, more, where, tail }) =>
      [
        `SELECT ${terms.join(', ')} FROM ${first.from} a`,
        more === null
          ? ''
          : `${more[0]}${more[1].from} b ON a.${first.columns[0]} = b.${more[1].columns[0]}`,
        where === null ? '' : ` WHERE ${where[0]} ${where[1]} '7'`,
        tail,
      ].join(''),
    ),
);

const statement = fc.oneof(
  { weight: 5, arbitrary: select },
  { weight: 1, arbitrary: fc.tuple(select, select).map(([a, b]) => `WITH x AS (${a}) ${b}`) },
  { weight: 1, arbitrary: fc.tuple(select, select).map(([a, b]) => `${a} UNION ALL ${b}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(select, fc.nat(200)).map(([text, at]) => text.slice(0, at)),
  },
);

/** Asks for an answer that is sound, whatever it says. */
async function expectSound(sql: string): Promise<ToolAnswer> {
  const { ask, app } = shared();
  const ended = once(app.activity, 'call');
  const reply = await ask('query', { sql });
  // How the server itself says that the call ended.
  const [{ outcome }] = await ended;
  expect(outcome, reply.text).not.toBe('unexpected');
  expect(reply.isError).toBe(outcome !== 'ok');
  expect(reply.text).not.toMatch(/\n\s+at |\bundefined\b|\[object /);
  return reply;
}

function expectWarnings({ isError, context, text, warnings }: ToolAnswer): void {
  if (isError) return;
  const tables = JSON.stringify(context.tables ?? []);
  const codes = warnings.map(({ code }) => code);
  if (tables.includes('"to":"2026-11-20"')) expect(codes, text).toContain('day_not_over');
  const { date } = shared().sandbox.world.unbalancedDay;
  if (tables.includes(`{"date":"${date}"}`)) expect(codes, text).toContain('balance_differs');
}

test(
  'any statement by the grammar is answered or refused in words, with the warnings of its tables',
  async () => {
    let answers = 0;
    await fuzz(
      'statements over tools',
      20,
      fc.asyncProperty(statement, async (sql) => {
        const reply = await expectSound(sql);
        expectWarnings(reply);
        if (!reply.isError) answers++;
      }),
    );
    expect(answers).toBeGreaterThan(3);
    const { rows } = await shared().ask('query', { sql: 'SELECT count(*) AS n FROM shops' });
    expect(rows).toEqual([{ n: shared().sandbox.world.shops.length }]);
  },
  fuzzTimeoutMs,
);
