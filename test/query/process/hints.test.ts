import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/core/json.ts';
import type { WarningCode } from '../../../src/core/message.ts';
import { runSql, sharedServer } from '../../server-over.ts';
import { fakeProvider, runSql as runOverFakes } from '../fake-tables.ts';

const server = sharedServer();
const orders = "list_orders(period := '2026-11-02..2026-11-15')";
const report = "get_financial_report(period := '2026-10-01..2026-10-31')";
const days = "period := '2026-11-02..2026-11-08'";
const byShop = `compare_turnover(${days}, by := 'shop')`;
const lines = `list_order_items(order_id := (SELECT id FROM ${orders} WHERE shop_id = 8))`;

/** What a statement is warned of, and the one figure that it gives. */
async function answerTo(sql: string) {
  const { context, rows, ...reply } = await runSql(server(), sql, 5000);
  const [row] = rows.filter(isRecord);
  return {
    warnings: reply.warnings,
    codes: reply.warnings.map(({ code }) => code),
    labels: context.labels,
    figure: Number(Object.values(row ?? {})[0]),
  };
}

type Warned = [
  what: string,
  code: WarningCode,
  sql: string,
  evidence: string,
  parameters: Record<string, unknown>,
];

describe('a statement is warned, with the evidence', () => {
  const turnover = `FROM ${report} WHERE measure = 'turnover_wt'`;
  const onDay = `SELECT count(*) FROM ${orders} WHERE CAST(date_created AS DATE) = '2026-11-09'`;
  test.each<Warned>([
    [
      'of facts under several paths',
      'repeated_facts',
      `SELECT sum(value) ${turnover}`,
      `SELECT value ${turnover} AND path = 'turnover_by_group'`,
      { sum: 'sum', path: 'turnover_by_group' },
    ],
    [
      'of one of such facts',
      'repeated_facts',
      `SELECT value ${turnover} LIMIT 1`,
      `SELECT 0`,
      { measure: 'turnover_wt', path: 'turnover_by_group', paths: { length: 8 } },
    ],
    ...['<=', '=', '>', "BETWEEN '2026-11-03' AND"].map(
      (sign): Warned => [
        `of a moment ${sign} a bare day`,
        'bare_day',
        `SELECT count(*) FROM ${orders} WHERE date_created ${sign} '2026-11-09'`,
        onDay,
        { column: 'date_created', sign: sign.split(' ')[0], day: '2026-11-09' },
      ],
    ),
    [
      'of a moment through a step, held against a DATE',
      'bare_day',
      `WITH o AS (SELECT date_created AS seen FROM ${orders}) SELECT count(*) FROM o WHERE seen <= DATE '2026-11-09'`,
      onDay,
      { column: 'date_created', sign: '<=', texts: ['2026-11-09'] },
    ],
    [
      'of NOT IN with NULL inside',
      'null_in_list',
      `SELECT count(*) FROM search_products() WHERE id NOT IN (SELECT product_id FROM ${lines})`,
      `SELECT count(*) FROM ${lines} WHERE product_id IS NULL`,
      { column: 'product_id' },
    ],
    [
      'of internal orders that were not asked for',
      'rows_left_out',
      `SELECT count(*) FROM ${orders} WHERE is_internal`,
      `SELECT count(*) FROM ${orders}`,
      { table: 'list_orders', argument: 'is_internal' },
    ],
    [
      'of percentages that are added up',
      'summed_percentages',
      `SELECT sum(percent) FROM compare_turnover(period := '2026-11-02..2026-11-08', by := 'shop')`,
      `SELECT 0`,
      { column: 'percent', table: 'compare_turnover' },
    ],
    ...[
      `path = 'turnover_by_group' AND measure = 'total_turnover'`,
      `measure LIKE '%total%turnovers%'`,
      `measure = 'totl_turnover'`,
    ].map(
      (condition): Warned => [
        `of facts that there are not: ${condition}`,
        'no_facts',
        `SELECT count(*) FROM ${report} WHERE ${condition}`,
        `SELECT 0`,
        {
          table: 'get_financial_report',
          paths: expect.arrayContaining([
            { path: 'revenue', measures: expect.arrayContaining(['total_turnover']) },
          ]),
        },
      ],
    ),
    ...[
      `SELECT sum(total_wt) AS omzet FROM ${orders}`,
      `SELECT shop_id, round(sum(o.total_wt)) AS net_sales FROM ${orders} o GROUP BY ALL`,
      `SELECT t.target, sum(total_wt) AS t FROM ${orders} o, (SELECT 1 AS target) t GROUP BY ALL`,
    ].map(
      (sql): Warned => [
        'of order totals that pass as turnover',
        'totals_as_turnover',
        sql,
        'SELECT 0',
        { table: 'list_orders', column: 'total_wt' },
      ],
    ),
    ...[
      "time_bucket('1 day', date_created)",
      "CAST(date_created AT TIME ZONE 'UTC' AS DATE)",
      "strftime(date_created AT TIME ZONE 'UTC', '%Y-%m-%d')",
    ].map(
      (cut): Warned => [
        `of days by ${cut}`,
        'other_days',
        `SELECT ${cut} AS day, count(*) FROM ${orders} GROUP BY ALL`,
        `SELECT count(*) FROM ${orders} WHERE hour(date_created) = 0`,
        { column: 'date_created', unit: 'day', zone: 'UTC' },
      ],
    ),
  ])('%s: %s', async (_, code, sql, evidence, parameters) => {
    const { warnings, codes } = await answerTo(sql);
    const { figure } = await answerTo(evidence);
    expect(codes).toEqual([code]);
    expect(warnings[0]).toMatchObject(parameters);
    if (figure > 0) expect(Object.values(warnings[0] ?? {})).toContain(figure);
  });

  test.each([
    [`sum(current)`, byShop, ''],
    [`round(avg(c.current), 2)`, `${byShop} c`, ''],
    [`median(reference)`, byShop, ''],
    [`quantile_cont(difference, 0.5)`, byShop, ''],
    [`name, sum(current), sum(reference)`, byShop, 'GROUP BY ALL'],
    [`name, sum(current)`, byShop, "WHERE measure LIKE '%turnover%' GROUP BY 1"],
    [`name, sum(current) OVER (PARTITION BY id)`, byShop, "WHERE measure <> ''"],
    [`sum(current) FILTER (measure <> '')`, byShop, ''],
    [`sum(c)`, `(SELECT name, current AS c FROM ${byShop})`, ''],
  ])('of figures of several measures as one: %s of %s %s', async (items, from, clauses) => {
    const { warnings } = await answerTo(`SELECT ${items} FROM ${from} ${clauses}`);
    const measures = ['', '_wt'].map((side) => `turnover_by_group.shop_totals.turnover${side}`);
    expect(warnings).toMatchObject([
      { code: 'mixed_measures', table: 'compare_turnover', measures },
    ]);
    expect(warnings[0]?.text).toContain(`WHERE measure = '${measures[1]}'`);
  });

  test('of ids of two kinds that are joined', async () => {
    const joined = await answerTo(
      `SELECT count(*) FROM ${orders} o JOIN locations l ON l.id = o.shop_id`,
    );
    expect(joined.warnings).toMatchObject([
      {
        left: { column: 'locations.id' },
        right: { column: 'list_orders.shop_id', ids: 'shops.id' },
      },
    ]);
    expect(joined.codes).toEqual(['other_ids']);
    const renamed = await answerTo(`SELECT shop_id AS location_id FROM ${orders} LIMIT 1`);
    expect(renamed).toMatchObject({ codes: [], labels: undefined });
    const { labels } = await answerTo(`SELECT shop_id FROM ${orders} LIMIT 1`);
    expect(labels).toHaveProperty('shop_id');
  });

  test('of a sum over the first rows of a list, which is not complete', async () => {
    const sql = `SELECT sum(total_wt) FROM (SELECT total_wt FROM ${orders} LIMIT 10)`;
    const { context, warnings, text } = await runSql(server(), sql);
    expect(context.complete).toBe(false);
    const tables = [{ table: 'list_orders', rows: 10 }];
    expect(warnings).toMatchObject([{ code: 'not_whole', why: 'table_cut', tables }]);
    expect(text.match(/not( read)? whole/gi)).toHaveLength(1);
    expect(text).not.toContain('1 row was read');
    const first = await runSql(server(), `SELECT total_wt FROM ${orders} LIMIT 10`);
    expect(first.context.complete).toBe(true);
    expect(first.warnings).toEqual([]);
    const changes = "SELECT id FROM list_order_changes(since := '2026-11-09') LIMIT 3";
    expect((await runSql(server(), changes)).warnings).toEqual([]);
  });

  test('of periods that share days; the same thing twice is one', async () => {
    const all = await answerTo(`SELECT count(*) FROM list_orders(period := '2026-11-09')`);
    const twice = await answerTo(
      `SELECT count(*) FROM list_orders(period := ['2026-11-09', '2026-11-09..2026-11-09'])`,
    );
    expect(twice).toEqual(all);
    const shop = (given: string) =>
      answerTo(`SELECT count(*) FROM list_orders(period := '2026-11-09', shop_id := ${given})`);
    expect(await shop("['2', 'Utrecht Centraal', '3', 'Restaurant IJzicht']")).toEqual(
      await shop("['2', '3']"),
    );
    const shared = await answerTo(
      `SELECT count(*) FROM list_orders(period := ['2026-11-09', '2026-11-08..2026-11-09'])`,
    );
    expect(shared.codes).toEqual(['periods_overlap']);
    expect(shared.warnings).toMatchObject([{ table: 'list_orders', from: '2026-11-09' }]);
  });

  test('with at most three warnings', async () => {
    const { warnings } = await answerTo(
      `SELECT count(*) FROM ${orders} WHERE is_internal OR date_created <= '2026-11-09' OR date_created > '2026-11-10' OR shop_id NOT IN (SELECT product_id FROM ${lines})`,
    );
    expect(warnings).toHaveLength(3);
  });
});

test.each([
  `SELECT tax_rate_id, sum(value) FROM ${report} WHERE measure = 'vat' GROUP BY ALL`,
  `SELECT path, sum(value) FROM ${report} WHERE measure = 'turnover' GROUP BY ALL`,
  `SELECT shop_id, sum(value) FROM ${report} WHERE measure = 'turnover' AND split = 'shop' GROUP BY ALL`,
  `SELECT count(*) FROM ${orders} WHERE date_created >= '2026-11-03' AND date_created < '2026-11-09'`,
  `SELECT count(*) FROM ${orders} WHERE status = 'complete' AND is_internal = 0`,
  `SELECT count(*) FROM search_products() WHERE id NOT IN (SELECT product_id FROM ${lines} WHERE product_id IS NOT NULL)`,
  `SELECT count(*) FROM ${orders} o JOIN shops s ON s.id = o.shop_id`,
  `SELECT date_trunc('week', date_created), count(*) FROM ${orders} GROUP BY ALL`,
  `SELECT date_created AT TIME ZONE 'UTC' AS utc FROM ${orders} ORDER BY 1 LIMIT 2`,
  `SELECT strftime(date_created AT TIME ZONE 'UTC', '%H:%M') AS utc FROM ${orders} LIMIT 2`,
  `SELECT sum(total_wt) AS ordered_wt FROM ${orders}`,
  `SELECT sum(current), avg(reference) FROM compare_turnover(${days}, by := 'shop', measures := ['turnover_wt'])`,
  `SELECT sum(current) FROM ${byShop} WHERE measure LIKE '%_wt'`,
  `SELECT sum(current) FILTER (measure LIKE '%_wt') FROM ${byShop}`,
  `SELECT sum(CASE WHEN measure LIKE '%_wt' THEN current END) FROM ${byShop}`,
  `SELECT sum(current) FROM ${byShop} GROUP BY measure`,
  `WITH c AS (SELECT * FROM ${byShop}) SELECT measure, sum(current) FROM c GROUP BY ALL`,
  `SELECT sum(percent_rank), max(current) FROM (SELECT *, 1 AS percent_rank FROM ${byShop})`,
  `SELECT value FROM ${report} WHERE measure = 'total_turnover_wt' AND split = 'total'`,
  `SELECT id FROM ${orders} LIMIT 0`,
  `SELECT EXISTS(SELECT 1 FROM ${orders} LIMIT 1) AS any_order`,
  ...['period', 'ALL'].map(
    (key) =>
      `SELECT period, count(*) AS n FROM list_orders(period := ['2026-11-18..2026-11-19', '2026-11-19']) GROUP BY ${key}`,
  ),
])('a right statement is not warned, and complete: %s', async (sql) => {
  const { warnings, context } = await runSql(server(), sql, 5000);
  expect(warnings).toEqual([]);
  expect(context.complete).toBe(true);
});

describe('facts that a statement picks by measure and split', () => {
  const fact = (path: string, measure: string, value: number) => ({
    path,
    measure,
    split: 'total',
    value,
  });
  const facts = [
    fact('direct_paid', 'turnover_wt', 25_218.12),
    fact('direct_paid', 'vat', 3000),
    fact('not_paid_now', 'total_wt', 538.25),
    fact('revenue', 'total_turnover_wt', 25_756.37),
  ];
  const hintsOf = async (sql: string, rows = facts) =>
    (await runOverFakes(sql, { provider: fakeProvider({ report: rows }) })).hints;
  const sql = "SELECT f.value FROM report f WHERE f.measure = 'turnover_wt' AND f.split = 'total'";

  test('are said to be a part where they are of one section and others make up the whole', async () => {
    expect(await hintsOf(sql)).toMatchObject([
      {
        code: 'part_of_facts',
        part: { path: 'direct_paid', measure: 'turnover_wt', value: 25_218.12 },
        rest: { path: 'not_paid_now', measure: 'total_wt', value: 538.25 },
        whole: { path: 'revenue', measure: 'total_turnover_wt', value: 25_756.37 },
      },
    ]);
  });

  test.each([
    ['name their path', `${sql} AND f.path = 'direct_paid'`, facts],
    ['show their path', sql.replace('f.value', 'f.path, f.value'), facts],
    [
      'are the whole, for nothing is unpaid',
      sql,
      facts.filter(({ path }) => path !== 'not_paid_now'),
    ],
  ])('are not warned of where they %s', async (_, statement, rows) => {
    expect(await hintsOf(statement, rows)).toEqual([]);
  });
});
