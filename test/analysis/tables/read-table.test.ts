import { describe, expect, test } from 'vitest';
import { requestsTo, runSql, serverOver, sharedServer } from '../../server-over.ts';

const owner = sharedServer();

describe('a value that the platform does not know', () => {
  test('has no rows, and one warning counts all such values', async () => {
    const server = owner();
    const [first, second] = server.sandbox.world.orders('2026-11-19');
    const ids = [first?.id, 999_999_001, second?.id, 999_999_002, 999_999_003];
    const { rows, context } = await runSql(
      server,
      `SELECT DISTINCT order_id FROM list_order_items(order_id := [${ids}]) ORDER BY ALL`,
    );
    expect(rows.map(({ order_id }) => order_id)).toEqual([first?.id, second?.id].sort());
    expect(context.warnings).toEqual([
      'list_order_items: the platform does not know 3 of the 5 values asked for; they have no rows.',
    ]);
  });

  test('is the refusal where it was asked for alone', async () => {
    const server = owner();
    const { isError, text } = await server.ask('query', {
      sql: 'SELECT * FROM get_order(order_id := 999999001)',
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/404/);
    expect(text).toContain('An order_number is not an order id');
  });
});

describe('a table that this key may not see', () => {
  const manager = sharedServer({ role: 'manager' });

  test.each([
    ['alone', 'SELECT count(*) FROM list_stock(location_id := 5)'],
    ['one of many', 'SELECT count(*) FROM list_stock(location_id := [2, 3, 5])'],
  ])('is the refusal, %s', async (_, sql) => {
    const { isError, text } = await manager().ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toMatch(/403/);
    expect(text).toContain('inventory.view_other_locations');
  });
});

describe('the rows of a table', () => {
  test('are as many as the server may read of each, and it is said when there are more', async () => {
    const server = await serverOver('memory', { settings: { COMMERCE_MAX_ROWS: '700' } });
    const { rows, context, text } = await runSql(
      server,
      `SELECT (SELECT count(*) FROM list_orders(period := '2026-10-01..2026-10-31')) AS october,
        (SELECT count(*) FROM list_orders(period := '2026-09-01..2026-09-30')) AS september,
        (SELECT count(*) FROM list_orders(period := '2026-11-19')) AS a_day`,
    );
    const { world } = server.sandbox;
    expect(rows).toEqual([
      { october: 700, september: 700, a_day: world.orders('2026-11-19').length },
    ]);
    const total = world.orders('2026-10-01', '2026-10-31').length.toLocaleString('en-US');
    const ofSeptember = world.orders('2026-09-01', '2026-09-30').length.toLocaleString('en-US');
    // One warning for each list that was cut.
    const said = (of: string) =>
      expect.stringContaining(`list_orders: 700 of ${of} rows were read`);
    expect(context.warnings).toEqual([said(total), said(ofSeptember)]);
    expect(text).toContain('not whole');
  });

  test.each([
    [3, 1, '2026-07'],
    [500, 1, '2026-08'],
    [501, 2, '2026-09'],
  ])('up to LIMIT %i take %i page', async (limit, pages, month) => {
    const server = owner();
    const sql = `SELECT id FROM list_orders(period := '${month}-01..${month}-30') LIMIT ${limit}`;
    const read = await requestsTo(server, '/api/order', async () => {
      const { body, context } = await runSql(server, sql);
      expect(body.count).toBe(limit);
      expect(context.warnings).toBeUndefined();
    });
    expect(read).toBe(pages);
  });

  test('are all read where LIMIT stands behind an order, a filter or a group', async () => {
    const server = owner();
    const truth = server.sandbox.world.orders('2026-10-01', '2026-10-31');
    const most = Math.max(...truth.map(({ totalWtCents }) => totalWtCents));
    const { rows } = await runSql(
      server,
      "SELECT total_wt FROM list_orders(period := '2026-10-01..2026-10-31') ORDER BY total_wt DESC LIMIT 1",
    );
    expect(rows).toEqual([{ total_wt: most / 100 }]);
  });

  test('carry the value that they belong to', async () => {
    const server = owner();
    const { rows } = await runSql(
      server,
      `SELECT "date", value FROM get_daily_close("date" := ['2026-11-17', '2026-11-18'])
       WHERE path = '' AND measure = 'order_count' ORDER BY 1`,
    );
    const { world } = server.sandbox;
    expect(rows).toEqual(
      ['2026-11-17', '2026-11-18'].map((date) => ({ date, value: world.orders(date).length })),
    );
  });

  test('of no value at all are none, and cost nothing', async () => {
    const server = owner();
    const { rows, context } = await runSql(
      server,
      "SELECT count(*) AS n, max(title) AS title FROM list_order_items(order_id := (SELECT id FROM shops WHERE name = 'nowhere'))",
    );
    expect(rows).toEqual([{ n: 0, title: null }]);
    expect(context.tables).toMatchObject([{ table: 'shops' }]);
  });

  test('bring the warnings of every table', async () => {
    const server = owner();
    const { date } = server.sandbox.world.unbalancedDay;
    const { context } = await runSql(
      server,
      `SELECT (SELECT count(*) FROM get_daily_close("date" := '${date}')) AS a,
        (SELECT count(*) FROM list_orders(period := 'today')) AS b`,
    );
    expect(context.warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('do not balance'),
        expect.stringContaining('is not over'),
      ]),
    );
  });
});
