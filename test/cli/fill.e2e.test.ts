import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Sandbox, spawnCommand } from '../spawn.ts';
import { runHere } from './run-here.ts';

let folder = '';
let sandbox: Sandbox;

beforeEach(async () => {
  folder = join(folderWith(), 'lines');
  sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 15, quota: 1_000_000 });
});

const settings = (more: Record<string, string> = {}) => ({
  ...account(sandbox),
  COMMERCE_KEEP_DIR: folder,
  COMMERCE_LOG_LEVEL: 'silent',
  ...more,
});

const fill = (...args: string[]) => runHere(['fill', ...args], settings());

/** Orders whose lines were read so far. */
const read = () => sandbox.stats.byPath['/api/order/{id}/item'] ?? 0;

async function files(ending: string): Promise<string[]> {
  const [owner = 'none'] = await readdir(folder).catch(() => []);
  const names = await readdir(join(folder, owner)).catch(() => []);
  return names.filter((name) => name.endsWith(ending)).sort();
}

test('a fill reads the lines of a period once, a part a month, and says what it has', async () => {
  const args = ['fill', 'last_3_days', '--share', '100'];
  const first = await runHere(args, settings(), { columns: 120 });
  expect(first.code).toBe(0);
  // A terminal is told how far it is.
  expect(first.stderr).toMatch(/[12] of 3 days, \d+ orders, \d+ read/);
  const orders = read();
  expect(orders).toBeGreaterThan(20);
  expect(first.stderr).toContain(`Kept in ${folder}: lines of `);
  // An order that changed in the last seconds is read and not kept: it may change again unseen.
  expect(keptOrders(first.stderr)).toBeGreaterThanOrEqual(orders - 3);
  expect(await files('.filled')).toHaveLength(3);
  expect((await files('.parquet')).length).toBeLessThanOrEqual(2);
  const second = await fill('last_3_days', '--share', '100');
  expect(read() - orders).toBeLessThan(20);
  expect(keptOrders(second.stderr)).toBeGreaterThanOrEqual(keptOrders(first.stderr));
});

test('a fill gives lines to statements, and --clear removes them', async () => {
  // Nothing describes their columns, and no look is taken at them.
  const bare = { description: 'bare', quota: 1_000_000 } as const;
  sandbox = await sandboxAt({ ...bare, now: Date.now, ordersPerDay: 15 });
  await fill('yesterday', '--share', '100');
  const before = read();
  const sql = `SELECT kind, sum(quantity) AS n, max(total_wt) AS most FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday'))) GROUP BY ALL`;
  const { stdout } = await runHere(['query', sql], settings());
  const [, kept, all] = /lines of (\d+) of (\d+) orders kept/.exec(stdout) ?? [];
  expect(Number(all)).toBeGreaterThan(5);
  expect(read() - before).toBe(Number(all) - Number(kept));
  await writeFile(join(folder, 'note.txt'), 'mine');
  expect((await fill('--clear')).stderr).toMatch(/Lines of \d+ orders were removed/);
  const others = (await readdir(folder)).filter((name) => !name.startsWith('shape-'));
  expect(others).toEqual(['note.txt']);
});

test.each([
  [['fill'], { COMMERCE_KEEP_DIR: '' }, 'COMMERCE_KEEP_DIR is missing'],
  [
    ['http'],
    { COMMERCE_KEEP_DIR: '', COMMERCE_FILL: 'last_week' },
    'COMMERCE_FILL needs COMMERCE_KEEP_DIR',
  ],
  [['fill'], { COMMERCE_KEEP_DIR: '/dev/null/lines' }, 'cannot be written: ENOTDIR'],
  [['fill', 'last_dags'], {}, 'is not a period'],
])('%j with %j is refused', async (args, more, said) => {
  const { code, stderr } = await runHere(args, settings(more));
  expect(stderr).toContain(said);
  expect(code).toBe(2);
});

test('a fill of a revoked key ends with 1 and keeps what it has', async () => {
  await fill('yesterday', '--share', '100');
  sandbox.control.revokeKey(sandbox.clientId);
  const { code, stderr } = await fill('last_2_days');
  expect(code).toBe(1);
  expect(stderr).toContain('was revoked or rolled');
  expect(await files('.parquet')).toHaveLength(1);
});

test('a fill continues after trouble that passes, and says it once', async () => {
  sandbox.control.inject('502:path=/api/order/{id}/item,times=6');
  const { code, stderr } = await fill('yesterday', '--share', '100');
  expect(code).toBe(0);
  expect(stderr.match(/Waits, and tries again/g)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(await files('.filled')).toHaveLength(1);
});

test('a fill keeps what it has read when it is told to stop', async () => {
  sandbox.control.setLatency(30);
  const running = spawnCommand(['fill', 'last_7_days', '--share', '100'], settings());
  await expect.poll(read).toBeGreaterThan(20);
  running.signal('SIGTERM');
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).toContain('Stopped. The same command goes on from here.');
  const kept = (await files('.parquet')).map((name) => Number(name.split('_')[3]));
  // At most the four that were under way are read again.
  expect(read() - kept.reduce((sum, orders) => sum + orders, 0)).toBeLessThanOrEqual(4);
});

test('a fill that is killed loses nothing, and repeats a batch at most', async () => {
  const running = spawnCommand(['fill', 'last_3_days', '--share', '100'], settings());
  await expect.poll(read).toBeGreaterThan(15);
  running.signal('SIGKILL');
  await running.ended;
  const { stderr } = await fill('last_3_days', '--share', '100');
  expect(await files('.filled')).toHaveLength(3);
  expect(read()).toBeLessThanOrEqual(keptOrders(stderr) + 500);
});

test('http keeps the lines of COMMERCE_FILL read, and two fills share a folder', async () => {
  const server = spawnCommand(
    ['http', '--port', '0', '--fill', 'last_3_days'],
    settings({ COMMERCE_HTTP_PORT: '0' }),
  );
  const other = spawnCommand(['fill', 'last_3_days'], settings());
  await expect.poll(() => files('.filled'), { timeout: 50_000 }).toHaveLength(3);
  expect((await other.ended).code).toBe(0);
  server.signal('SIGTERM');
  expect((await server.ended).code).toBe(0);
  const before = read();
  await fill('last_3_days', '--share', '100');
  expect(read() - before).toBeLessThan(20);
});

/** How many orders have lines in the folder, as a fill says when it ends. */
function keptOrders(said: string): number {
  return Number(/lines of (\d+) orders/.exec(said)?.[1]);
}
