import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Ended, type Sandbox } from '../spawn.ts';
import { runHere } from './run-here.ts';

const missingOffice =
  spawnSync('soffice', ['--version']).error &&
  'there is no soffice on the PATH (Debian: apt-get install libreoffice-calc)';
if (missingOffice) console.warn(`Workbooks are not opened: ${missingOffice}`);

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 60 });
  folder = folderWith();
});

/** Runs a command that writes a workbook of this name. */
function run(name: string, ...args: string[]) {
  return runHere([...args, '--xlsx', join(folder, `${name}.xlsx`)], account(sandbox));
}

describe.skipIf(missingOffice)('a workbook opened by LibreOffice', () => {
  const select =
    "SELECT '=1+1' AS formula, '0031' AS code, '1234567890123456' AS long, TIMESTAMPTZ '2026-10-25 00:30:00Z' AS summer, TIMESTAMPTZ '2026-10-25 01:30:00Z' AS winter, 12.345 AS rate, repeat('x', 40000) AS text, chr(7) || '<&>\"' AS odd, chr(65534) AS mark";
  const fields = 'fields=id,shop_id,status,total_wt,date_created';
  const list = ['call', 'list_orders', 'period=last_week'];
  const books: Record<string, (sandbox: Sandbox) => string[]> = {
    orders: () => [...list, fields],
    odd: () => ['query', select],
    unbalanced: ({ world }) => ['call', 'get_daily_close', `date=${world.unbalancedDay.date}`],
    page: () => [...list, 'limit=2'],
    report: () => ['call', 'get_daily_close', 'date=yesterday'],
    empty: () => ['query', 'SELECT id, name FROM shops WHERE id = 0'],
  };
  const printed: Record<string, Ended> = {};

  // The office takes seconds to start: it opens all of them at once.
  beforeAll(async () => {
    for (const [name, args] of Object.entries(books))
      printed[name] = await run(name, ...args(sandbox));
    const allSheets =
      'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1';
    const settings = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
    const args = [settings, '--headless', '--convert-to', allSheets, '--outdir', folder];
    const paths = Object.keys(books).map((name) => join(folder, `${name}.xlsx`));
    execFileSync('soffice', [...args, ...paths], { stdio: 'ignore' });
  }, 180_000);

  /** A sheet of a workbook as LibreOffice shows it: rows of cells. */
  async function sheet(book: string, name: string): Promise<string[][]> {
    const text = await readFile(join(folder, `${book}-${name}.csv`), 'utf8');
    return parse(text, { relax_column_count: true });
  }

  test('a workbook holds every row that was read, with dates, amounts and names, and says what it is', async () => {
    const { code, stdout, stderr = '' } = printed.orders ?? {};
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const [, rows = ''] = /Written: .*orders\.xlsx, (\d+) rows$/m.exec(stderr) ?? [];
    expect(stderr).toContain('source: sandbox, invented figures');
    const [titles, ...orders] = await sheet('orders', 'list_orders');
    expect(titles).toEqual([
      ...['id', 'shop_id', 'shop_name', 'status', 'total_wt', 'date_created'],
    ]);
    expect(orders).toHaveLength(Number(rows));
    for (const [id, shop, name, , amount, created] of orders) {
      expect([id, shop].join()).toMatch(/^\d+,\d+$/);
      expect(name).toMatch(/^[A-Z]/);
      expect(amount).toMatch(/^-?\d+(\.\d{1,2})?$/);
      expect(created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    }
    expect(Object.fromEntries(await sheet('orders', 'About'))).toMatchObject({
      Asked: 'list_orders',
      'Asked, all': 'true',
      Days: expect.stringMatching(/^\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/),
      Read: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      From: 'the sandbox: every figure is invented',
      Rows: rows,
      Complete: 'yes',
    });
  });

  test('a workbook keeps formulas, codes and moments that spreadsheets change in CSV', async () => {
    const [, row = []] = await sheet('odd', 'query');
    expect(row.slice(0, 6)).toEqual([
      ...['=1+1', '0031', '1234567890123456'],
      ...['2026-10-25 02:30:00', '2026-10-25 02:30:00', '12.345'],
    ]);
    expect(row[6]).toMatch(/^x{32766}…$/);
    expect(row[7]).toContain('<&>"');
    expect(row[8]).toBe('\uFFFD');
    expect(await sheet('odd', 'About')).toContainEqual(['Asked, sql', select]);
  });

  test.each([
    ['unbalanced', 'Warning', 'balance'],
    ['page', 'Complete', /^Not read whole: 2 rows were read, \d+ exist/],
    ['unbalanced', 'Days', /^\d{4}-\d\d-\d\d$/],
  ])('the sheet About of the workbook %s has the line %s', async (book, line, says) => {
    const found = (await sheet(book, 'About')).filter(([name]) => name === line);
    expect(found).toContainEqual([line, expect.stringMatching(says)]);
  });

  test('a workbook has a report as its facts, amounts with two decimals beside counts without', async () => {
    const [titles = [], ...rows] = await sheet('report', 'get_daily_close');
    const [measure, value] = ['measure', 'value'].map((it) => titles.indexOf(it));
    const of = (name: string) => rows.find((row) => row[measure ?? -1] === name)?.[value ?? -1];
    expect(of('turnover_wt')).toMatch(/^\d+\.\d\d$/);
    expect(of('order_count')).toMatch(/^\d+$/);
  });

  test('a workbook without rows has its header', async () => {
    expect(await sheet('empty', 'query')).toEqual([['id', 'name']]);
  });
});

test('a call that fails leaves the workbook that was there, and one that succeeds replaces it', async () => {
  const path = join(folder, 'answer.xlsx');
  await writeFile(path, 'mine');
  const failed = await run('answer', 'call', 'list_shops', 'fields=nam');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('name')]);
  expect(await readFile(path, 'utf8')).toBe('mine');
  await run('answer', 'call', 'list_shops');
  expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
});
