import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedCall } from '../../../src/mcp/telemetry/call-tracking.ts';
import type { ToolAnswer } from '../../clients.ts';
import { fuzz, fuzzTimeoutMs } from '../../fuzz.ts';
import { sharedServer } from '../../server-over.ts';

const shared = sharedServer({ settings: { COMMERCE_QUERY_SECONDS: '5' } });

/** Something to read from, and columns that it has. */
interface Source {
  from: string;
  columns: readonly string[];
}

const orderColumns = ['id', 'shop_id', 'total_wt', 'status', 'date_created'];
const factColumns = ['value', 'measure', 'path', 'split', 'shop_id'];
const sources: readonly Source[] = [
  ...['shops', 'locations', 'tax_rates', 'turnover_groups', 'customer_segments'].map((from) => ({
    from,
    columns: ['id', 'name'],
  })),
  ...['today', 'yesterday', 'last_week', '2026-11-03'].map((period) => ({
    from: `list_orders(period := '${period}')`,
    columns: orderColumns,
  })),
  ...['today', '2026-11-03', '2026-11-18'].map((date) => ({
    from: `get_daily_close("date" := '${date}')`,
    columns: factColumns,
  })),
  {
    from: "get_financial_report(period := ['2026-11-17', 'today'])",
    columns: ['period', ...factColumns],
  },
  { from: "list_discount_orders(period := 'this_week')", columns: orderColumns },
  {
    from: "list_order_items(order_id := (SELECT max(id) FROM list_orders(period := 'today')))",
    columns: ['id', 'order_id', 'kind', 'total_wt'],
  },
  { from: 'search_products()', columns: ['id', 'title', 'price_wt', 'stock'] },
  { from: 'list_stock()', columns: ['product_id', 'location_id', 'stock'] },
  { from: "search_customers(q := 'jan')", columns: ['id', 'name', 'email'] },
  { from: "turnover_trend(period := 'last_week')", columns: ['bucket', '"from"'] },
  { from: 'tables', columns: ['name', 'columns'] },
  { from: "result('r_0000000000')", columns: ['id'] },
  { from: "list_orders(period := 'nonsense')", columns: orderColumns },
  { from: 'list_nothing()', columns: ['id'] },
  { from: 'shops(name := 1)', columns: ['id'] },
];

/** What stands in SELECT, WHERE or ORDER BY: mostly what makes sense. */
function termOf({ columns }: Source): fc.Arbitrary<string> {
  const column = fc.constantFrom(...columns);
  return fc.oneof(
    { weight: 5, arbitrary: column.map((name) => `a.${name}`) },
    { weight: 2, arbitrary: column.map((name) => `max(a.${name})`) },
    { weight: 2, arbitrary: fc.constantFrom('count(*)', '*', '1', "'text'", 'NULL') },
    { weight: 1, arbitrary: column.map((name) => `sum(a.${name}) OVER (ORDER BY a.${name})`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'no_such',
        '1/0',
        "CAST('x' AS DATE)",
        'no_such(1)',
        "repeat('x', 9)",
      ),
    },
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

/** Asks, and gives the answer with how the server itself says that the call ended. */
async function asked(sql: string): Promise<{ reply: ToolAnswer; ended: EndedCall | undefined }> {
  const { ask, app } = shared();
  const calls: EndedCall[] = [];
  app.activity.onCall((call) => void calls.push(call));
  return { reply: await ask('query', { sql }), ended: calls.at(-1) };
}

/** What holds of every answer. */
async function expectSound(sql: string): Promise<ToolAnswer> {
  const { reply, ended } = await asked(sql);
  expect(ended?.outcome, reply.text).not.toBe('unexpected');
  expect(reply.isError).toBe(ended?.outcome !== 'ok');
  expect(reply.text).not.toMatch(/\n\s+at |unexpected went wrong|\bundefined\b|\[object /);
  return reply;
}

function expectWarnings({ isError, context, text }: ToolAnswer): void {
  if (isError) return;
  const tables = JSON.stringify(context.tables ?? []);
  const warnings = JSON.stringify(context.warnings ?? []);
  if (tables.includes('"to":"2026-11-20"')) expect(warnings, text).toContain('is not over');
  const { date } = shared().sandbox.world.unbalancedDay;
  if (tables.includes(`{"date":"${date}"}`)) expect(warnings, text).toContain('do not balance');
}

describe('whatever statement comes', () => {
  test(
    'by the grammar is answered or refused in words, with the warnings of its tables',
    async () => {
      let answers = 0;
      await fuzz(
        'statements over tools',
        25,
        fc.asyncProperty(statement, async (sql) => {
          const reply = await expectSound(sql);
          expectWarnings(reply);
          if (!reply.isError) answers++;
        }),
      );
      expect(answers).toBeGreaterThan(3);
    },
    fuzzTimeoutMs,
  );

  test('leaves the server as it was', async () => {
    const { client, ask, sandbox } = shared();
    expect((await client.listTools()).tools.length).toBeGreaterThan(25);
    const { rows } = await ask('query', { sql: 'SELECT count(*) AS n FROM shops' });
    expect(rows).toEqual([{ n: sandbox.world.shops.length }]);
  });
});
