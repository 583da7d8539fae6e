import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { account } from '../spawn.ts';
import { runHere } from './run-here.ts';

const missingOffice =
  spawnSync('soffice', ['--version']).error &&
  'there is no soffice on the PATH (Debian: apt-get install libreoffice-calc)';
if (missingOffice) console.warn(`Workbooks are not opened: ${missingOffice}`);

let sandbox: Sandbox;
let profile: string;
let folder: string;
let path: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  profile = await mkdtemp(join(tmpdir(), 'office-'));
});

afterAll(async () => {
  await sandbox.close();
  await rm(profile, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbook-'));
  path = join(folder, 'answer.xlsx');
});

afterEach(() => rm(folder, { recursive: true }));

function run(...args: string[]) {
  return runHere([...args, '--xlsx', path], account(sandbox));
}

/** Every sheet of the workbook as LibreOffice shows it, by name: rows of cells. */
async function openSheets(): Promise<Record<string, string[][]>> {
  const allSheets = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';
  const settings = `-env:UserInstallation=${pathToFileURL(profile)}`;
  const args = [settings, '--headless', '--convert-to', allSheets, '--outdir', folder, path];
  execFileSync('soffice', args, { stdio: 'ignore' });
  const files = (await readdir(folder)).filter((file) => file.endsWith('.csv'));
  const read = files.map(async (file) => {
    const text = await readFile(join(folder, file), 'utf8');
    const name = file.replace(/^answer-|\.csv$/g, '');
    return [name, parse(text, { relax_column_count: true })] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

describe.skipIf(missingOffice)('a workbook opened by LibreOffice', { timeout: 60_000 }, () => {
  test('holds every row that was read, with dates, amounts and names, and says what it is', async () => {
    const wanted = [
      'period=last_week',
      'all=true',
      'fields=id,shop_id,status,total_wt,date_created',
    ];
    const { code, stdout, stderr } = await run('call', 'list_orders', ...wanted, '--names');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const [, rows = ''] = /Written: .*answer\.xlsx, (\d+) rows$/m.exec(stderr) ?? [];
    expect(stderr).toContain('source: sandbox, invented figures');
    const { list_orders: orders = [], About: about = [] } = await openSheets();
    expect(orders[0]).toEqual(['id', 'shop_id', 'shop_name', 'status', 'total_wt', 'date_created']);
    expect(orders.slice(1)).toHaveLength(Number(rows));
    for (const [id, shop, name, , amount, created] of orders.slice(1)) {
      expect([id, shop].join()).toMatch(/^\d+,\d+$/);
      expect(name).toMatch(/^[A-Z]/);
      expect(amount).toMatch(/^-?\d+(\.\d{1,2})?$/);
      expect(created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    }
    const said = Object.fromEntries(about);
    expect(said).toMatchObject({
      Asked: 'list_orders',
      'Asked, all': 'true',
      From: 'sandbox, invented figures, GET /api/order',
      'Period, as asked': 'last_week',
      Rows: rows,
      Complete: 'yes: all orders that were asked for',
    });
    expect(said.Read).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect(said['Period, first day']).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test('holds what spreadsheets change in CSV as it is', async () => {
    const select =
      "SELECT '=1+1' AS formula, '0031' AS code, '1234567890123456' AS long, TIMESTAMPTZ '2026-10-25 00:30:00Z' AS summer, TIMESTAMPTZ '2026-10-25 01:30:00Z' AS winter, 12.345 AS rate, repeat('x', 40000) AS text, chr(7) || '<&>\"' AS odd";
    const { stderr } = await run('query', select);
    expect(stderr).toContain('1 text cut after 32,767 characters');
    const { query: [, row = []] = [], About: about = [] } = await openSheets();
    expect(row.slice(0, 6)).toEqual([
      ...['=1+1', '0031', '1234567890123456'],
      ...['2026-10-25 02:30:00', '2026-10-25 02:30:00', '12.345'],
    ]);
    expect(row[6]).toHaveLength(32_767);
    expect(row[7]).toContain('<&>"');
    expect(about).toContainEqual(['Not whole', '1 text cut after 32,767 characters']);
    expect(about).toContainEqual(['Asked, sql', select]);
  });

  test('says what it lacks, and which warnings there are', async () => {
    const { date } = sandbox.world.unbalancedDay;
    await run('call', 'get_daily_close', `date=${date}`);
    expect((await openSheets()).About).toContainEqual([
      'Warning',
      expect.stringContaining('balance'),
    ]);
    await run('call', 'list_orders', 'period=last_week', 'limit=2');
    const said = Object.fromEntries((await openSheets()).About ?? []);
    expect(said.Complete).toMatch(/^no: these are 2 of \d+ orders/);
  });

  test('has its header where there are no rows', async () => {
    await run('query', 'SELECT id, name FROM shops WHERE id = 0');
    expect((await openSheets()).query).toEqual([['id', 'name']]);
  });
});

describe('--xlsx', () => {
  test('writes a whole file or none', async () => {
    await writeFile(path, 'mine');
    const failed = await run('call', 'list_shops', 'fields=nam');
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('name')]);
    expect(await readFile(path, 'utf8')).toBe('mine');
    await run('call', 'list_shops');
    expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
    expect(await readdir(folder)).toEqual(['answer.xlsx']);
    path = join(folder, 'nowhere', 'answer.xlsx');
    const { code, stderr } = await run('call', 'list_shops');
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOENT')]);
  });

  test.each(['--csv', '--json', '--excel', '--source', '--html=x'])(
    'goes not with %s',
    async (flag) => {
      const { code, stderr } = await run('call', 'list_shops', flag);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be used with option')]);
    },
  );
});

test('--source says above the rows of a CSV file where they are from', async () => {
  const args = ['call', 'list_orders', 'period=last_week', 'limit=2', '--source', '--excel'];
  const { stdout } = await runHere([...args, 'fields=id,date_created'], account(sandbox));
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('\uFEFF# Asked: list_orders');
  expect(lines).toContain('# From: sandbox, invented figures, GET /api/order');
  expect(lines.slice(-3).map((line) => line.replace(/\d/g, '0'))).toEqual([
    'id;date_created',
    ...Array(2).fill('000000000;0000-00-00 00:00:00'),
  ]);
});
