/** Values and names that no sandbox gives: what SQL makes of them, whatever was read before. */
import { describe, expect, test } from 'vitest';
import { openSockets } from '../../../src/client/transport/runtime.ts';
import { isRecord, type JsonObject } from '../../../src/core/json.ts';
import { describedAs, runSql, serverOver } from '../../server-over.ts';

type Description = (typeof describedAs)[number];

/** A server whose platform answers a path with another text than the sandbox. */
function serverWith(description: Description, path: string, alter: (text: string) => string) {
  const sockets = openSockets();
  const runtime = {
    ...sockets,
    async send(request: Parameters<typeof sockets.send>[0]) {
      const reply = await sockets.send(request);
      if (request.url.pathname !== path) return reply;
      const { bytes } = await reply.body;
      return { ...reply, body: Promise.resolve({ bytes: Buffer.from(alter(String(bytes))) }) };
    },
  };
  return serverOver('memory', { description, runtime });
}

/** A change of each row of a list, by its place in the page. */
function eachRow(alter: (row: JsonObject, at: number) => JsonObject) {
  return (text: string) => {
    const body: unknown = JSON.parse(text);
    const rows = isRecord(body) && Array.isArray(body.data) ? body.data : [];
    return JSON.stringify({ ...Object(body), data: rows.map((row, at) => alter(row, at)) });
  };
}

const orders = "list_orders(period := 'last_week')";

describe.each(describedAs)('over a description that is %s', (description) => {
  test('a blank amount is NULL, and another text is said', async () => {
    const odd = ['', 'n/a'];
    const server = await serverWith(
      description,
      '/api/order',
      eachRow((row, at) => ({ ...row, total_wt: odd[at] ?? `${98 + at}.10` })),
    );
    const sql = `SELECT max(total_wt) AS most, count(total_wt) AS n, count(*) AS rows FROM ${orders} WHERE total_wt > 1`;
    const { rows, warnings } = await runSql(server, sql);
    const [row] = rows;
    expect(Number(row?.most)).toBe(98.1 + Number(row?.n) + 1);
    expect(row?.n).toBe(row?.rows);
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'figures_unread',
        count: 1,
        figures: [expect.objectContaining({ name: 'total_wt', row: 2, value: '"n/a"' })],
      }),
    );
  });

  test('a look changes no statement: text in its rows, dotted names, fields of other rows', async () => {
    const isOld = (row: JsonObject) => String(row.date_created) < '2026-11-16';
    const server = await serverWith(
      description,
      '/api/order',
      eachRow((row, at) =>
        isOld(row)
          ? { ...row, score: at, 'parts.sum': at }
          : { ...row, score: 'n/a', 'parts.sum': at, parts_seen: 1 },
      ),
    );
    const statements = [
      `SELECT max(score) AS a, sum("parts.sum") AS b, sum(parts.sum) AS c FROM ${orders}`,
      `SELECT * FROM ${orders} ORDER BY score DESC LIMIT 2`,
    ];
    const answers = async () =>
      Promise.all(
        statements.map(async (sql) => {
          const { rows, body } = await runSql(server, sql);
          return { rows, columns: body.columns };
        }),
      );
    const before = await answers();
    const [{ a, b, c } = {}] = before[0]?.rows ?? [];
    expect(a).toBeTypeOf('number');
    expect([Number(b) > 0, c]).toEqual([true, b]);
    await runSql(server, "SELECT * FROM tables WHERE name IN ('list_orders')");
    expect(await answers()).toEqual(before);
  });

  test('ids beyond 2^53 stay apart, and cost no answer', async () => {
    const server = await serverWith(description, '/api/order', (text) =>
      text.replace(
        /"id":(\d{1,12}),/g,
        (_, id) => `"id":90071992547${String(id).padStart(7, '0')},`,
      ),
    );
    const sql = `SELECT count(*) AS rows, count(DISTINCT id) AS ids, min(id) > 9007199254740992 AS beyond FROM ${orders}`;
    const [row] = (await runSql(server, sql)).rows;
    expect(row).toMatchObject({ beyond: true });
    expect(row?.ids).toBe(row?.rows);
    const { isError, text } = await server.ask('list_orders', { period: 'last_week', limit: 3 });
    expect(isError, text).toBe(false);
    expect(text).toMatch(/90071992547\d{7}/);
  });

  test('names that SQL cannot write are left out and said; no column takes the place of another', async () => {
    const server = await serverWith(
      description,
      '/api/order',
      eachRow((row, at) => ({ ...row, '': 1, '.x': 2, total: at, 'total.wt': 3, Shop_ID: 'x' })),
    );
    const sql = `SELECT max(total) AS total, max("total.wt") AS wt, max(shop_id) AS shop FROM ${orders}`;
    const { rows, warnings } = await runSql(server, sql);
    expect(Number(rows[0]?.total)).toBeGreaterThan(3);
    expect(rows[0]).toMatchObject({ wt: 3, shop: expect.any(Number) });
    const columns = ['', '.x', 'Shop_ID'];
    const leftOut = { code: 'columns_left_out', table: 'list_orders', columns };
    expect(warnings).toContainEqual(expect.objectContaining(leftOut));
  });

  test('a figure of a report that is no number is said, with its measure and days', async () => {
    const alter = (text: string) =>
      text.replace(/"total_turnover_wt":[^,}]+/, '"total_turnover_wt":"3,516.00"');
    const server = await serverWith(description, '/api/financial-report', alter);
    const sql = `SELECT sum(value) AS t FROM get_financial_report(period := 'last_week') WHERE measure = 'total_turnover_wt' AND path = 'revenue'`;
    const { warnings } = await runSql(server, sql);
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'figures_unread',
        table: 'get_financial_report',
        figures: [
          expect.objectContaining({
            name: 'revenue.total_turnover_wt',
            value: '"3,516.00"',
            days: expect.stringContaining('2026-11-09'),
          }),
        ],
      }),
    );
  });
});
