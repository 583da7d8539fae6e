import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { readFigure } from '../../../src/analysis/figure/figure.ts';
import { parseJson } from '../../../src/core/json.ts';
import { sandboxAt } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';
import { account, binary, environment } from '../../spawn.ts';
import { runHere } from '../run-here.ts';

const ordersOfLastWeek = "FROM list_orders(period := 'last_week')";

let settings: Record<string, string>;

beforeAll(async () => {
  const sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 60 });
  settings = account(sandbox);
});

const ask = (...args: string[]) => runHere(['query', ...args], settings);

test('query answers a statement as a model reads it, exactly as JSON, and every row as CSV', async () => {
  const counted = await ask(`SELECT count(*) AS n ${ordersOfLastWeek}`);
  expect(counted).toMatchObject({ code: 0, stderr: '' });
  expect(counted.stdout).toMatch(/^query: 1 row; as of .*\nn\n\d+\n# Read list_orders .* whole/);
  const json = await ask('SELECT 1 AS one, 0.1 + 0.2 AS sum', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    data: [{ one: 1, sum: 0.3 }],
    context: { complete: true },
  });
  const { stdout, stderr } = await ask(`SELECT id, status ${ordersOfLastWeek}`, '--csv');
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toBe('id,status');
  expect(lines).toHaveLength(Number(/\nn\n(\d+)/.exec(counted.stdout)?.[1]));
  expect(stderr).toContain('source: sandbox');
  expect((await ask('SELECT id, name FROM shops WHERE id = 0', '--csv')).stdout).toBe('id,name\n');
});

test('query reads a statement from standard input', async () => {
  const input = '-- a remark\nSELECT 42 AS answer\n';
  const { code, stdout } = await runHere(['query', '-', '--csv'], settings, { input });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'answer\n42\n' });
});

test('query ends quietly when its reader has seen enough', async () => {
  const statement = "SELECT repeat('x', 200) AS text FROM range(90000)";
  const args = [binary, 'query', statement, '--csv'];
  const child = spawn(process.execPath, args, { env: environment(settings) });
  let length = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > 1000) child.stdout.destroy();
  });
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const code = child.exitCode;
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'source: sandbox, invented figures\n' });
  expect(length).toBeLessThan(10_000_000);
});

test('query fails with what a model would read, and takes no more platform calls than it may', async () => {
  const wrong = await ask('SELECT nam FROM shops', '--csv');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^query: .*nam/);
  const sql = `SELECT count(*) FROM list_order_items(order_id := (SELECT id ${ordersOfLastWeek}))`;
  const { code, stderr } = await ask(sql, '--query-max-calls=3');
  expect([code, stderr]).toEqual([1, expect.stringContaining('max_calls is 3')]);
});

test('a terminal is told of no result id, which ends with the command', async () => {
  const list = ['call', 'list_orders', 'period=last_month', 'all=true'];
  const whole = await runHere(list, settings);
  expect(whole.stdout).toMatch(/^# Read whole; \d+ of 1,941 rows shown/m);
  const profile = await runHere([...list, 'limit=0'], settings);
  expect(profile.stdout).toMatch(/^# Over all 1,941 rows:$/m);
  const sql = `SELECT count(*) ${ordersOfLastWeek}`;
  const { stdout: counted } = await runHere(['query', sql], settings);
  expect(counted).toMatch(/^# Read list_orders /m);
  expect(whole.stdout + profile.stdout + counted).not.toMatch(/\br_[0-9a-f]{10}\b/);
});

test('--csv prints every row of a list, and says what it lacks where a page was asked for', async () => {
  const args = ['call', 'list_orders', 'period=last_week', 'fields=id,shop_id', '--csv'];
  const page = await runHere([...args, 'limit=5'], settings);
  expect(page.stdout.split('\n')).toHaveLength(7);
  const missing = /Not read whole: 5 rows were read, (\d+) exist/;
  const [, total] = missing.exec(page.stderr) ?? [];
  const whole = await runHere(args, settings);
  expect(whole.stdout.trimEnd().split('\n')).toHaveLength(Number(total) + 1);
  expect(whole.stderr).not.toContain('Not read whole');
});

test('--csv writes into a file what it prints without one', async () => {
  const path = join(folderWith(), 'shops.csv');
  const { stdout, stderr } = await runHere(['call', 'list_shops', '--csv', path], settings);
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(`Written: ${path}, `)]);
  const printed = await runHere(['call', 'list_shops', '--csv'], settings);
  expect(await readFile(path, 'utf8')).toBe(printed.stdout);
});

test('--csv prints a report as its facts, and one record as one row', async () => {
  const close = await runHere(['call', 'get_daily_close', 'date=yesterday', '--csv'], settings);
  expect(close.stdout).toMatch(/^path,measure,value,split,shop_id,/);
  const location = await runHere(['call', 'get_location', 'location_id=2', '--csv'], settings);
  expect(location.stdout.trimEnd().split('\n')).toHaveLength(2);
});

const folder = folderWith();
const sql = 'sql=SELECT name, id AS number FROM shops';
const callTool = (...args: string[]) => runHere(['call', ...args], settings);

test('--html writes the figure as a page, and its answer is printed all the same', async () => {
  const page = join(folder, 'shops.html');
  const { code, stdout, stderr } = await callTool('show_figure', sql, '--html', page);
  expect([code, stderr]).toEqual([0, `Written: ${page}\n`]);
  expect(stdout).toMatch(/^show_figure: /);
  const inPage = /<script type="application\/json" id="figure">([^<]*)</;
  const [, json = ''] = inPage.exec(await readFile(page, 'utf8')) ?? [];
  const { axis } = readFigure(parseJson(json)) ?? expect.unreachable('the page has its figure');
  expect(axis.labels).toContain('Webshop');
});

test('--html fails where the answer has no figure, and where no file can be', async () => {
  const none = ['show_figure', 'sql=SELECT name FROM shops', '--html'];
  const { code, stdout, stderr } = await callTool(...none, join(folder, 'none.html'));
  expect([code, stderr]).toEqual([1, expect.stringContaining('No file was written')]);
  expect(stdout).toContain('There is nothing to draw');
  expect(await readdir(folder)).not.toContain('none.html');
  const refused = await callTool('show_figure', sql, '--html', folder);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`commerce-mcp: ${folder} cannot be written: it is no file.`);
  expect(refused.stderr).not.toMatch(/\n\s+at /);
});

test('--html is refused for a tool without a figure', async () => {
  const { code, stderr } = await callTool('list_shops', '--html', 'a.html');
  expect([code, stderr]).toEqual([2, expect.stringContaining('the figure of show_figure')]);
});
