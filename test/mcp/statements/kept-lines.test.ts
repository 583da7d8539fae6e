import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tableMessages } from '../../../src/analysis/tables/messages.ts';
import { addDays, amsterdamDay } from '../../../src/core/calendar.ts';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import { runHere } from '../../cli/run-here.ts';
import {
  goingOn,
  keepLog,
  type LogLine,
  requestsTo,
  runSql,
  type ServerOptions,
  sandboxAt,
  serverOver,
  type TestServer,
} from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';
import { account } from '../../spawn.ts';

const items = '/api/order/{id}/item';
const days = { from: '2026-11-12', to: '2026-11-13' };
const listed = `list_orders(period := '${days.from}..${days.to}')`;

const sums = `SELECT count(*) AS lines, count(DISTINCT order_id) AS orders, sum(quantity) AS pieces, sum(total_wt) AS total
  FROM list_order_items(order_id := (SELECT id FROM ${listed}))`;
const joined = `SELECT count(*) AS lines, count(DISTINCT o.id) AS orders, sum(i.quantity) AS pieces, sum(i.total_wt) AS total
  FROM ${listed} o, list_order_items(order_id := o.id) i`;

/** The same sums over the truth. */
function truth(orders: readonly Order[]) {
  const lines = orders.flatMap((order) => order.lines);
  const cents = lines.reduce((sum, line) => sum + line.totalWtCents, 0);
  return {
    lines: lines.length,
    orders: orders.filter((order) => order.lines.length > 0).length,
    pieces: lines.reduce((sum, line) => sum + line.quantity, 0),
    total: cents / 100,
  };
}

const ordersOf = ({ sandbox }: TestServer) =>
  sandbox.world.orders(days.from, days.to).filter(({ isInternal }) => !isInternal);

/** Asks for the sums, and counts the orders whose lines were read for it. */
async function ask(server: TestServer, sql = sums) {
  let reply: Awaited<ReturnType<typeof runSql>> | undefined;
  const read = await requestsTo(server, items, async () => {
    reply = await runSql(server, sql, 5000);
  });
  const [row] = reply?.rows ?? [];
  return { row, read, text: reply?.text ?? '', context: reply?.context ?? {} };
}

/** A folder that is not there yet. */
const newFolder = () => join(folderWith(), 'lines');

/** A server that keeps lines in a folder. */
function keeping(folder: string, options: ServerOptions = {}): Promise<TestServer> {
  return serverOver('memory', {
    settings: { COMMERCE_KEEP_DIR: folder },
    now: goingOn,
    ...options,
  });
}

describe('lines of orders that a statement lists', () => {
  let folder: string;
  let first: TestServer;
  let read: number;
  /** On the same folder, and has read nothing itself. */
  let second: TestServer;

  beforeAll(async () => {
    folder = newFolder();
    first = await keeping(folder);
    ({ read } = await ask(first));
    second = await keeping(folder, { sandbox: first.sandbox });
  });

  test('are read once, and by a server that comes later not again', async () => {
    const orders = ordersOf(first);
    expect(read).toBe(orders.length);
    for (const sql of [sums, joined]) {
      const kept = await ask(second, sql);
      expect(kept).toMatchObject({ row: truth(orders), read: 0 });
      const count = orders.length;
      expect(kept.context.tables).toMatchObject([
        { tool: 'list_orders' },
        {
          tool: 'list_order_items',
          calls: 0,
          kept: { orders: count, of: count, since: expect.stringMatching(/^2026-11-/) },
        },
      ]);
    }
  });

  test('are the same rows as where no folder is named, of the same types', async () => {
    const sql = `SELECT i.*, typeof(i.total_wt) AS type FROM list_order_items(order_id := (SELECT id FROM ${listed})) i ORDER BY i.id LIMIT 200`;
    const plain = await serverOver('memory', { sandbox: first.sandbox, now: goingOn });
    const asked = await runSql(plain, sql, 5000);
    expect(JSON.stringify(asked.context)).not.toContain('kept');
    expect((await runSql(second, sql)).rows).toEqual(asked.rows);
  });

  test('lines of an order that was not listed are read from the platform', async () => {
    const [order] = ordersOf(second);
    const sql = `SELECT count(*) AS lines FROM list_order_items(order_id := [${order?.id}])`;
    expect(await ask(second, sql)).toMatchObject({ read: 1, row: { lines: order?.lines.length } });
  });

  test('belong to one key and what it may see', async () => {
    const manager = await keeping(folder, { sandbox: first.sandbox, role: 'manager' });
    const seen = await ask(manager);
    expect(seen.read).toBeGreaterThan(0);
    expect(Number(seen.row?.orders)).toBeLessThan(truth(ordersOf(first)).orders);
    const owners = (await readdir(folder)).filter((name) => !name.startsWith('shape-'));
    expect(owners).toHaveLength(2);
  });

  test('count as calls where they are missing alone; are read anew where the order has changed', async () => {
    const server = await keeping(newFolder());
    const day = `SELECT count(*) FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '${days.from}')))`;
    const { read } = await ask(server, day);
    const reply = await server.ask('query', { sql: sums, max_calls: 20 });
    const all = ordersOf(server).length;
    const missing = all - read;
    expect(reply.isError).toBe(true);
    expect(reply.text).toContain(`list_order_items ${missing}`);
    await ask(server);
    const changed = ordersOf(server).slice(10, 17);
    server.sandbox.control.changeOrders(changed.map(({ id }) => id));
    expect(ordersOf(server).slice(10, 17)).not.toEqual(changed);
    const anew = { row: truth(ordersOf(server)), read: changed.length };
    expect(await ask(server)).toMatchObject(anew);
    // So soon after their stamp they were used and not kept.
    expect(await ask(server)).toMatchObject(anew);
  });
});

test('a folder that cannot be written costs a server nothing but its use', async () => {
  const log: LogLine[] = [];
  const server = await keeping('/dev/null/lines', { log: keepLog(log) });
  const orders = ordersOf(server);
  expect(await ask(server)).toMatchObject({ row: truth(orders), read: orders.length });
  expect(log.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

test('days that were filled are named in the guide, in the list of tables, and their lines in a refusal', async () => {
  const folder = newFolder();
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
  const { code, stderr } = await runHere(['fill', 'yesterday'], {
    ...account(sandbox),
    COMMERCE_KEEP_DIR: folder,
  });
  expect(code, stderr).toBe(0);
  const server = await keeping(folder, { sandbox, now: Date.now });
  const day = addDays(amsterdamDay(Date.now()), -1);
  const { contents } = await server.client.readResource({ uri: 'commerce://guide' });
  expect(JSON.stringify(contents)).toContain(`list_order_items: kept for ${day}.`);
  const { rows } = await runSql(server, "SELECT holds FROM tables WHERE name = 'list_order_items'");
  expect(rows?.[0]?.holds).toContain(`Kept for ${day}.`);
  const { isError, text } = await server.ask('query', {
    sql: `SELECT count(*) FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'last_14_days')))`,
    max_calls: 9,
  });
  const kept = sandbox.world.orders(day, day).filter(({ isInternal }) => !isInternal).length;
  const time = { remaining: 0, limit: 0, seconds: 0 };
  const costs = { calls: 0, maxCalls: 0, tools: [], time, kept };
  const [, , line = ''] = tableMessages.statement_costs_more(costs).text.split('\n');
  expect({ isError, text }).toMatchObject({
    isError: true,
    text: expect.stringContaining(line),
  });
});

test('lines are kept by the month of their order, whatever its moment is called', async () => {
  const folder = newFolder();
  const server = await keeping(folder, { description: 'bare', dialect: 'other' });
  await ask(
    server,
    "SELECT count(*) FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '2026-09-17')))",
  );
  await server.close();
  const files = await readdir(folder, { recursive: true });
  const months = files.flatMap((file) => /2026-\d\d/.exec(file) ?? []);
  expect(new Set(months)).toEqual(new Set(['2026-09']));
});
