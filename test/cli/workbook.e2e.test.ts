import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { addTo } from '../../src/core/calendar.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { closeAfterwards } from '../setup/closing.ts';
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
  sandbox = await startSandbox();
  closeAfterwards(sandbox.close);
  folder = folderWith();
});

/** Runs a command that writes a workbook of this name. */
function run(name: string, ...args: string[]) {
  return runHere([...args, '--xlsx', join(folder, `${name}.xlsx`)], account(sandbox));
}

describe.skipIf(missingOffice)('a workbook opened by LibreOffice', () => {
  const select =
    "SELECT '=1+1' AS formula, '0031' AS code, '1234567890123456' AS long, TIMESTAMPTZ '2026-10-25 00:30:00Z' AS summer, TIMESTAMPTZ '2026-10-25 01:30:00Z' AS winter, 12.345 AS rate, repeat('x', 40000) AS text, chr(7) || '<&>\"' AS odd, chr(65534) || '_x000D_' AS mark";
  const fields = 'fields=id,shop_id,status,total_wt,date_created';
  const list = ['call', 'list_orders', 'period=last_week'];
  const books: Record<string, (sandbox: Sandbox) => string[]> = {
    orders: () => [...list, 'all=true', fields],
    odd: () => ['query', select],
    unbalanced: ({ world }) => ['call', 'get_daily_close', `date=${world.unbalancedDay.date}`],
    page: () => [...list, 'limit=2'],
    shops: () => ['call', 'compare_turnover', 'period=last_week', 'by=shop'],
    explained: () => ['call', 'compare_turnover', 'period=last_week', 'explain=true'],
    trend: ({ world }) => {
      const day = addTo(world.closedDay, { days: 7 });
      return ['call', 'turnover_trend', `from=${day}`, `to=${day}`, 'expected=true'];
    },
    report: () => ['call', 'get_financial_report', 'period=last_week'],
    closed: ({ world }) => ['call', 'get_daily_close', `date=${world.closedDay}`],
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
  });

  /** A sheet of a workbook as LibreOffice shows it: rows of cells. */
  async function sheet(book: string, name: string): Promise<string[][]> {
    const text = await readFile(join(folder, `${book}-${name}.csv`), 'utf8');
    return parse(text, { relax_column_count: true });
  }

  test('holds every row that was read, with dates, amounts and names, and says what it is', async () => {
    const { code, stdout, stderr = '' } = printed.orders ?? {};
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const [, rows = ''] = /Written: .*orders\.xlsx, (\d+) rows$/m.exec(stderr) ?? [];
    expect(stderr).toContain('source: sandbox, invented figures');
    const [titles, ...orders] = await sheet('orders', 'list_orders');
    expect(titles).toEqual([
      ...['Id', 'Shop id', 'Shop name', 'Status', 'Total incl. VAT, EUR', 'Date created'],
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
      From: 'sandbox, invented figures, GET /api/order',
      'Period, as asked': 'last_week',
      'Period, first day': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      Read: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      Rows: rows,
      Complete: 'yes: all orders that were asked for',
    });
  });

  test('holds what spreadsheets change in CSV as it is', async () => {
    expect(printed.odd?.stderr).toContain('1 text cut after 32,767 characters');
    const [, row = []] = await sheet('odd', 'query');
    expect(row.slice(0, 6)).toEqual([
      ...['=1+1', '0031', '1234567890123456'],
      ...['2026-10-25 02:30:00', '2026-10-25 02:30:00', '12.345'],
    ]);
    expect(row[6]).toHaveLength(32_767);
    expect(row[7]).toContain('<&>"');
    expect(row[8]).toBe('\uFFFD_x000D_');
    const about = await sheet('odd', 'About');
    expect(about).toContainEqual(['Not whole', '1 text cut after 32,767 characters']);
    expect(about).toContainEqual(['Asked, sql', select]);
  });

  test.each([
    ['unbalanced', 'Warning', 'balance'],
    ['page', 'Complete', /^no: these are 2 of \d+ orders/],
  ])('says of %s what it lacks, and which warnings there are', async (book, line, says) => {
    const found = (await sheet(book, 'About')).filter(([name]) => name === line);
    expect(found).toContainEqual([line, expect.stringMatching(says)]);
  });

  /** The cells of a sheet's rows by their titles. */
  async function cells(book: string, name: string) {
    const [titles = [], ...rows] = await sheet(book, name);
    return rows.map((row) => Object.fromEntries(titles.map((title, at) => [title, row[at] ?? ''])));
  }
  const cents = (text = '') => Math.round(Number(text) * 100);

  test('has a row for each shop with its measures side by side, and their total', async () => {
    const rows = await cells('shops', 'compare_turnover');
    const total = rows.pop();
    const wt = 'Turnover incl. VAT, EUR';
    const sum = rows.reduce((all, row) => all + cents(row[wt]), 0);
    expect(new Set(rows.map(({ Name }) => Name)).size).toBe(rows.length);
    expect([total?.Name, cents(total?.[wt])]).toEqual(['Total', sum]);
    expect(Object.keys(total ?? {})).toEqual([
      ...['Id', 'Name', 'Turnover excl. VAT, EUR', 'Reference: turnover excl. VAT, EUR'],
      ...['Difference: turnover excl. VAT, EUR', 'Change: turnover excl. VAT, %'],
      ...['Turnover incl. VAT, EUR', 'Reference: turnover incl. VAT, EUR'],
      ...['Difference: turnover incl. VAT, EUR', 'Change: turnover incl. VAT, %'],
    ]);
    expect(Object.fromEntries(await sheet('shops', 'About'))).toMatchObject({
      'Called "Turnover incl. VAT, EUR"': 'turnover_by_group.shop_totals.turnover_wt',
    });
  });

  test('holds the parts of a difference, which add up to it, and says what they come to', async () => {
    const totals = await cells('explained', 'compare_turnover');
    const [, , difference] = totals.map((row) => row['Total turnover incl. VAT, EUR']);
    const figures = ['Current', 'Reference', 'Difference', 'Change, %'];
    expect(totals.map(({ What }) => What)).toEqual(figures);
    const parts = await cells('explained', 'Explained');
    for (const view of ['orders_and_value', 'shop', 'turnover_group']) {
      const own = parts.filter(({ View }) => View === view);
      const sum = own.reduce((all, it) => all + cents(it['Difference, EUR']), 0);
      expect([view, sum]).toEqual([view, cents(difference)]);
    }
    const about = await sheet('explained', 'About');
    expect(about).toContainEqual(['Summary', expect.stringMatching(/^[+-][\d,.]+ against /)]);
  });

  test('says what a course comes to, and which earlier days do not count', async () => {
    const said = (await sheet('trend', 'About')).filter(([what]) => what === 'Summary');
    expect(said).toEqual([
      ['Summary', expect.stringContaining('low to high')],
      ['Summary', `Not counted: ${sandbox.world.closedDay} (no trade).`],
    ]);
  });

  test('lays a report out as one, each side of VAT in columns of its own', async () => {
    const rows = await sheet('report', 'get_financial_report');
    const [titles = []] = rows;
    expect(titles.filter((it) => it !== '')).toEqual([
      ...['What', 'Value', 'Excl. VAT, EUR', 'Incl. VAT, EUR', 'EUR'],
    ]);
    const [ex = -1, wt = -1] = ['Excl. VAT, EUR', 'Incl. VAT, EUR'].map((it) => titles.indexOf(it));
    const turnover = rows.find(([first]) => first === 'Revenue: total turnover') ?? [];
    expect(Number(turnover[wt])).toBeGreaterThan(Number(turnover[ex]));
    const headers = rows.filter((row) => row.some((cell) => cell.endsWith('VAT, EUR')));
    expect(headers.length).toBeGreaterThan(4);
    for (const header of headers) {
      expect([header[ex], header[wt]].join()).toMatch(/^(.*excl\. VAT, EUR)?,.*incl\. VAT, EUR$/i);
    }
    expect(rows.map(([first]) => first)).toContain('Turnover by group: groups: shops');
  });

  test('has amounts of whole euros on their side of VAT too, as of a day without trade', async () => {
    const [titles = [], ...rows] = await sheet('closed', 'get_daily_close');
    const turnover = rows.filter(([what = '']) => what.startsWith('Turnover'));
    const sides = ['Value', 'Excl. VAT, EUR', 'Incl. VAT, EUR'].map((it) => titles.indexOf(it));
    expect(turnover.map((row) => sides.map((at) => row[at]))).toEqual([['', '0', '0']]);
  });

  test('has its header where there are no rows', async () => {
    expect(await sheet('empty', 'query')).toEqual([['id', 'name']]);
  });
});

describe('--xlsx', () => {
  test('writes a whole file or none', async () => {
    const path = join(folder, 'whole', 'answer.xlsx');
    await mkdir(join(folder, 'whole'));
    await writeFile(path, 'mine');
    const failed = await run('whole/answer', 'call', 'list_shops', 'fields=nam');
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('name')]);
    expect(await readFile(path, 'utf8')).toBe('mine');
    await run('whole/answer', 'call', 'list_shops');
    expect((await readFile(path)).subarray(0, 2).toString()).toBe('PK');
    expect(await readdir(join(folder, 'whole'))).toEqual(['answer.xlsx']);
    const { code, stderr } = await run('nowhere/answer', 'call', 'list_shops');
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOENT')]);
  });

  test.each(['--csv', '--json', '--excel', '--html=x'])(
    'cannot be combined with %s',
    async (flag) => {
      const { code, stderr } = await run('other', 'call', 'list_shops', flag);
      expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be used with option')]);
    },
  );
});
