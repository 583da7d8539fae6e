import type { Progress } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { tableMessages } from '../../../src/analysis/tables/messages.ts';
import { patternOf } from '../../reasons.ts';
import { now, requestsTo, runSql, serverOver, sharedServer } from '../../server-over.ts';

const orders = '/api/order';
const items = '/api/order/{id}/item';

const shared = sharedServer();

/** The pages of the orders of some days. */
const pagesOf = (from: string, to: string) =>
  Math.ceil(shared().sandbox.world.orders(from, to).length / 500);

const linesOf = (period: string, part = '') =>
  `SELECT count(*) AS n FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '${period}') ${part}))`;

describe('a table', () => {
  test('is read once however often it occurs, and kept for the next statement', async () => {
    const server = shared();
    const october = "list_orders(period := '2026-10-01..2026-10-31')";
    const both = `SELECT (SELECT count(*) FROM ${october}) AS n FROM ${october}`;
    const once = await requestsTo(server, orders, () => runSql(server, both));
    expect(once).toBe(pagesOf('2026-10-01', '2026-10-31'));
    const ask = async (sql: string) => {
      const { context, text } = await runSql(server, sql);
      expect(text).toMatch(/kept since 2026-11-20T15:30:00/);
      expect(context.tables).toMatchObject([
        { cached: true, calls: 0, result: expect.stringMatching(/^r_/) },
      ]);
      return context.tables;
    };
    const again = await requestsTo(server, orders, async () => {
      const tables = await ask(`SELECT max(total_wt) AS most FROM ${october}`);
      expect(await ask(`SELECT x.id FROM ${october} x ORDER BY ALL LIMIT 2`)).toEqual(tables);
    });
    expect(again).toBe(0);
  });

  test('is fresh for a minute with today in it, and for ten with days that are over', async () => {
    let clock = now;
    const server = await serverOver('memory', { now: () => clock });
    const readAfter = (seconds: number, period: string) => {
      clock = now + seconds * 1000;
      const sql = `SELECT count(*) AS n FROM list_orders(period := '${period}')`;
      return requestsTo(server, orders, () => runSql(server, sql));
    };
    for (const [seconds, period, read] of [
      [0, 'today', 1],
      [0, 'yesterday', 1],
      [59, 'today', 0],
      [61, 'today', 1],
      [599, 'yesterday', 0],
      [601, 'yesterday', 1],
    ] as const)
      expect(await readAfter(seconds, period)).toBe(read);
  });

  test.each([
    [3, 1, '2026-07'],
    [500, 1, '2026-08'],
    [501, 2, '2026-09'],
  ])('takes, up to LIMIT %i, %i pages', async (limit, pages, month) => {
    const server = shared();
    const sql = `SELECT id FROM list_orders(period := '${month}-01..${month}-30') LIMIT ${limit}`;
    const read = await requestsTo(server, orders, async () => {
      const { body, context } = await runSql(server, sql);
      expect(body.count).toBe(limit);
      expect(context.warnings).toBeUndefined();
    });
    expect(read).toBe(pages);
  });

  test('has as many rows as the server may read, and it is said when there are more', async () => {
    const server = await serverOver('memory', { settings: { COMMERCE_MAX_ROWS: '700' } });
    const { rows, warnings, text } = await runSql(
      server,
      `SELECT (SELECT count(*) FROM list_orders(period := '2026-10-01..2026-10-31')) AS october,
        (SELECT count(*) FROM list_orders(period := '2026-11-19')) AS a_day`,
    );
    const { world } = server.sandbox;
    expect(rows).toEqual([{ october: 700, a_day: world.orders('2026-11-19').length }]);
    const total = world.orders('2026-10-01', '2026-10-31').length;
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'not_whole', why: 'table_cut' }),
      expect.objectContaining({ code: 'row_limit', rows: 700, total }),
    ]);
    expect(text).toContain('not whole');
  });

  test('says how many values a long argument has', async () => {
    const ids = Array.from({ length: 40 }, (_, nth) => 1001 + nth).join(', ');
    const sql = `SELECT count(*) FROM list_product_prices(product_ids := [${ids}])`;
    expect((await runSql(shared(), sql)).text).toContain('product_ids 40 values');
  });

  test('passes on the warnings of the tool that it reads', async () => {
    const server = shared();
    const { date } = server.sandbox.world.unbalancedDay;
    const { warnings } = await runSql(
      server,
      `SELECT (SELECT count(*) FROM get_daily_close("date" := '${date}')) AS a,
        (SELECT count(*) FROM list_orders(period := 'today')) AS b`,
    );
    const said = [
      expect.objectContaining({ code: 'balance_differs', period: { from: date, to: date } }),
      expect.objectContaining({ code: 'day_not_over' }),
    ];
    expect(warnings).toEqual(expect.arrayContaining(said));
  });
});

describe('a warning about payments that do not balance', () => {
  test.each([
    ["SELECT value FROM {} WHERE measure = 'turnover'", false],
    ["SELECT value, 'balance' AS note FROM {} WHERE measure = 'turnover' -- payments", false],
    ["SELECT value AS payment FROM {} WHERE path = ''", false],
    ["SELECT value FROM {} WHERE path = 'payments'", true],
    ["SELECT measure, value FROM {} WHERE split = 'payment_method'", true],
    ['SELECT sum(value) FROM {}', true],
  ])('stands where they may be shown: %s', async (sql, isWarned) => {
    const server = shared();
    const { date } = server.sandbox.world.unbalancedDay;
    const { warnings } = await runSql(
      server,
      sql.replace('{}', `get_daily_close("date" := '${date}')`),
    );
    expect(warnings.some(({ code }) => code === 'balance_differs')).toBe(isWarned);
  });
});

test('an address is shown where the statement names its column, in whatever else stands there not', async () => {
  const columns = async (select: string) =>
    (await runSql(shared(), `SELECT ${select} FROM list_orders(period := '2026-11-19') LIMIT 2`))
      .text;
  const hidden = 'Addresses, not shown: backoffice_url. SELECT them by name to see them.';
  expect(await columns('*')).toContain(hidden);
  expect(await columns('*, 1 AS backoffice_urls /* backoffice_url */')).toContain(hidden);
  expect(await columns('id, BACKOFFICE_URL')).not.toContain('not shown');
  expect(await columns('backoffice_url AS link')).not.toContain('not shown');
});

describe('the values of an argument', () => {
  test('that the platform does not know have no rows, and one warning counts them', async () => {
    const server = shared();
    const [first, second] = server.sandbox.world.orders('2026-11-19');
    const ids = [first?.id, 999_999_001, second?.id, 999_999_002, 999_999_003];
    const { rows, context } = await runSql(
      server,
      `SELECT DISTINCT order_id FROM list_order_items(order_id := [${ids}]) ORDER BY ALL`,
    );
    expect(rows.map(({ order_id }) => order_id)).toEqual([first?.id, second?.id].sort());
    expect(context.warnings).toMatchObject([
      { code: 'unknown_id', tool: 'list_order_items', unknown: 3, values: 5 },
    ]);
  });

  test('of which there are none have no rows, and cost nothing', async () => {
    const { rows, context } = await runSql(
      shared(),
      "SELECT count(*) AS n, max(title) AS title FROM list_order_items(order_id := (SELECT id FROM shops WHERE name = 'nowhere'))",
    );
    expect(rows).toEqual([{ n: 0, title: null }]);
    expect(context.tables).toMatchObject([{ table: 'shops' }]);
  });

  const manager = sharedServer({ role: 'manager' });

  test.each([
    [
      'that is unknown',
      shared,
      'get_order(order_id := 999999001)',
      404,
      'An order_number is not an order id',
    ],
    ['that is closed', manager, 'list_stock(location_id := 5)', 403, 'view_other_locations'],
    ['closed among others', manager, 'list_stock(location_id := [2, 5])', 403, ''],
  ])('end the statement where one is asked for %s', async (_, server, table, status, says) => {
    const { failure, text } = await server().ask('query', { sql: `SELECT * FROM ${table}` });
    expect(failure).toMatchObject({ status });
    expect(text).toContain(says);
  });
});

describe('the cost of a statement', () => {
  test('is refused before it is spent: number, time, narrowing; what told it is kept', async () => {
    const server = shared();
    const values = server.sandbox.world.orders('2026-09-01', '2026-09-10').length;
    const sql = linesOf('2026-09-01..2026-09-10');
    const needed = values + pagesOf('2026-09-01', '2026-09-10');
    const pages = await requestsTo(server, orders, async () => {
      const lines = await requestsTo(server, items, async () => {
        const { isError, text } = await server.ask('query', { sql, max_calls: 100 });
        expect(isError).toBe(true);
        const { text: costs } = tableMessages.statement_costs_more({
          calls: needed,
          maxCalls: 100,
          tools: [{ tool: 'list_order_items', calls: values }],
          time: { remaining: 0, limit: 0, seconds: 0 },
          kept: undefined,
        });
        expect(text).toBe(`query: ${costs}`);
      });
      expect(lines).toBe(0);
      // Granted the number that the refusal named, it reads the lines and nothing twice.
      expect(await requestsTo(server, items, () => runSql(server, sql, needed))).toBe(values);
    });
    expect(pages).toBe(needed - values);
  });

  test('of a list is known by its first page, before the rest is read', async () => {
    const server = shared();
    const sql = "SELECT count(*) AS n FROM list_orders(period := '2026-01-01..2026-08-31')";
    const read = await requestsTo(server, orders, async () => {
      const { text } = await server.ask('query', { sql, max_calls: 5 });
      expect(text).toMatch(/list_orders \d+/);
    });
    expect(read).toBe(1);
  });

  test('says how long it takes at the present budget', async () => {
    const server = await serverOver('memory', { quota: 100 });
    const sql = linesOf('2026-09-01..2026-09-10');
    const { text } = await server.ask('query', { sql, max_calls: 100 });
    const time = { remaining: 9, limit: 100, seconds: 600 };
    const tools = [{ tool: 'list_order_items', calls: 291 }];
    const costs = { calls: 292, maxCalls: 100, tools, time };
    expect(text).toMatch(patternOf(tableMessages.statement_costs_more(costs)));
    expect(text).toContain(' of 100 left) ');
  });
});

describe('a statement that was interrupted', () => {
  const sql = linesOf('yesterday');
  const yesterday = '2026-11-19';

  test('by a platform that is down goes on from where it was', async () => {
    const server = await serverOver('memory', { faults: '502:path=/api/order/*,after=25' });
    const { control, stats, world } = server.sandbox;
    const { isError, text } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toContain('502');
    control.clearFaults();
    const more = await requestsTo(server, items, () => runSql(server, sql));
    expect(more).toBe(world.orders(yesterday).length - 25);
    expect(stats.byPath[orders]).toBe(1);
  });
});

test('progress is told in rows of one list, and in answers of all', async () => {
  const server = shared();
  const said: string[] = [];
  const onprogress = ({ message = '' }: Progress) => void said.push(message);
  const sql = linesOf('2026-06-01..2026-06-30', 'ORDER BY id LIMIT 120');
  await server.ask('query', { sql, max_calls: 2000 }, { onprogress });
  const total = server.sandbox.world.orders('2026-06-01', '2026-06-30').length;
  const all = total.toLocaleString('en-US');
  expect(said).toContain(`read ${all} of ${all} orders`);
  expect(said.at(-1)).toBe('read 120 of 120 list_order_items');
});
