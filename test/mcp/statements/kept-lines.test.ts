import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
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
import { account } from '../../spawn.ts';

let folder = '';

beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'kept-'));
  folder = join(parent, 'lines');
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
});

const settings = () => ({ COMMERCE_KEEP_DIR: folder });
const items = '/api/order/{id}/item';
const days = { from: '2026-11-12', to: '2026-11-18' };
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

const open = (options: ServerOptions = {}) =>
  serverOver('memory', { settings: settings(), now: goingOn, ...options });

/** A server that shares the sandbox of another and has read nothing. */
async function again(server: TestServer, options: ServerOptions = {}): Promise<TestServer> {
  await server.app.close();
  return open({ sandbox: server.sandbox, ...options });
}

describe('lines of orders that a statement lists', () => {
  test('are read once, and by a server that comes later not again', async () => {
    const first = await open();
    const orders = ordersOf(first);
    const read = await ask(first);
    expect(read).toMatchObject({ row: truth(orders), read: orders.length });
    const second = await again(first);
    for (const sql of [sums, joined]) {
      const kept = await ask(second, sql);
      expect(kept).toMatchObject({ row: truth(orders), read: 0 });
      const count = orders.length;
      expect(kept.context.tables).toMatchObject([
        { tool: 'list_orders' },
        { tool: 'list_order_items', calls: 0, kept: { orders: count, of: count } },
      ]);
      expect(kept.text).toContain(
        `lines of ${count} of ${count} orders kept and read since 2026-11-`,
      );
    }
  });

  test('are the same rows as they were read, of the same types', async () => {
    const rows = `SELECT i.*, typeof(i.total_wt) AS type FROM list_order_items(order_id := (SELECT id FROM ${listed})) i ORDER BY i.id LIMIT 200`;
    const first = await open();
    const read = await runSql(first, rows, 5000);
    const kept = await runSql(await again(first), rows);
    expect(kept.rows).toEqual(read.rows);
  });

  test('are read anew where the order has changed, and the answer is right at once', async () => {
    const first = await open();
    await ask(first);
    const changed = ordersOf(first).slice(10, 17);
    first.sandbox.control.changeOrders(changed.map(({ id }) => id));
    expect(ordersOf(first).slice(10, 17)).not.toEqual(changed);
    expect(await ask(first)).toMatchObject({ row: truth(ordersOf(first)), read: changed.length });
    // So soon after their stamp they were used and not kept.
    expect(await ask(first)).toMatchObject({ row: truth(ordersOf(first)), read: changed.length });
  });

  test('count as calls where they are missing alone, and the refusal says so', async () => {
    const first = await open();
    const day = `SELECT count(*) FROM list_order_items(order_id := (SELECT id FROM list_orders(period := '2026-11-12')))`;
    const { read } = await ask(first, day);
    const second = await again(first);
    const reply = await second.ask('query', { sql: sums, max_calls: 20 });
    const [all, missing] = [ordersOf(first).length, ordersOf(first).length - read];
    expect(reply.isError).toBe(true);
    expect(reply.text).toContain(
      `lines of ${read} of ${all} orders are kept; ${missing} calls are missing.`,
    );
  });

  test('of an id whose order was not listed are read, as ever', async () => {
    const server = await open();
    await ask(server);
    const [order] = ordersOf(server);
    const sql = `SELECT count(*) AS lines FROM list_order_items(order_id := [${order?.id}])`;
    expect(await ask(server, sql)).toMatchObject({ read: 1, row: { lines: order?.lines.length } });
  });

  test('belong to one key and what it may see', async () => {
    const owner = await open();
    await ask(owner);
    const manager = await again(owner, { role: 'manager' });
    const { read, row } = await ask(manager);
    expect(read).toBeGreaterThan(0);
    expect(Number(row?.orders)).toBeLessThan(truth(ordersOf(owner)).orders);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('that are broken on the disk are read again, which the log says once', async () => {
    const first = await open();
    const { read } = await ask(first);
    await first.app.close();
    const [owner = ''] = await readdir(folder);
    const [part = ''] = await readdir(join(folder, owner));
    await truncate(join(folder, owner, part), 1000);
    const log: LogLine[] = [];
    const second = await open({ sandbox: first.sandbox, log: keepLog(log) });
    const answer = await ask(second);
    expect(answer.row).toEqual(truth(ordersOf(first)));
    expect(answer.read).toBeGreaterThan(read / 2);
    await ask(second);
    expect(log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('cost a server nothing but their use where the folder cannot be written', async () => {
    const log: LogLine[] = [];
    const server = await open({
      settings: { COMMERCE_KEEP_DIR: '/dev/null/lines' },
      log: keepLog(log),
    });
    const orders = ordersOf(server);
    expect(await ask(server)).toMatchObject({ row: truth(orders), read: orders.length });
    expect(log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('are not kept where no folder is named', async () => {
    const server = await serverOver('memory', { now: goingOn });
    const { context } = await ask(server);
    expect(JSON.stringify(context)).not.toContain('kept');
  });
});

test('two servers on one folder answer right while both keep', async () => {
  const sandbox = await sandboxAt({ now: goingOn });
  const servers = [await open({ sandbox }), await open({ sandbox })];
  const answers = await Promise.all(servers.map((server) => ask(server)));
  for (const [at, server] of servers.entries())
    expect(answers[at]?.row).toEqual(truth(ordersOf(server)));
  expect(await ask(await again(servers[0] ?? expect.unreachable()))).toMatchObject({ read: 0 });
});

test('days that were filled are named in tables and in the guide', async () => {
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
  const { code, stderr } = await runHere(['fill', 'yesterday'], {
    ...account(sandbox),
    ...settings(),
  });
  expect(code, stderr).toBe(0);
  const server = await open({ sandbox });
  const day = addDays(amsterdamDay(Date.now()), -1);
  const { rows } = await runSql(server, "SELECT holds FROM tables WHERE name = 'list_order_items'");
  expect(rows[0]?.holds).toContain(`; kept for ${day}`);
  const { contents } = await server.client.readResource({ uri: 'commerce://guide' });
  expect(JSON.stringify(contents)).toContain(`list_order_items: kept for ${day}.`);
});
