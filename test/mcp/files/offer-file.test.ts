import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { periodOf } from '../../../src/core/periods.ts';
import { fileNameOf } from '../../../src/mcp/files/offer-file.ts';
import { describedAs, now, serverOver } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';

describe('the name of a file', () => {
  const named = (tool: string, days?: [string, string], title?: string) => {
    const period = days && periodOf({ from: days[0], to: days[1] });
    const context = { endpoint: tool, source: 'live', as_of: '', period } as const;
    return fileNameOf(
      { toolCall: { tool, arguments: {} }, context },
      { format: 'xlsx', title },
      now,
    );
  };

  test.each([
    ['orders-2026-10.xlsx', named('list_orders', ['2026-10-01', '2026-10-31'])],
    ['compare-turnover-2026.xlsx', named('compare_turnover', ['2026-01-01', '2026-12-31'])],
    ['product-sales-2026-10-05.xlsx', named('get_product_sales', ['2026-10-05', '2026-10-05'])],
    ['orders-2026-10-05_2026-10-11.xlsx', named('list_orders', ['2026-10-05', '2026-10-11'])],
    ['stock-2026-11-20.xlsx', named('list_stock')],
    ['omzet-café-perron-2026-11-20.xlsx', named('query', undefined, 'Omzet: Café "Perron"')],
    ['etc-passwd-2026-11-20.xlsx', named('query', undefined, '../../etc/passwd\u0000')],
    ['query-2026-11-20.xlsx', named('query', undefined, '///')],
  ])('the name of a file is %s', (name, given) => {
    expect(given).toBe(name);
  });

  test('the name of a file of a statement is that of the only table of days that it read', () => {
    const period = periodOf({ from: '2026-10-01', to: '2026-10-31' });
    const table = { tool: 'list_orders', table: 'list_orders', arguments: {}, rows: 1, calls: 1 };
    const use = { ...table, as_of: '', complete: true, period };
    const shops = { ...use, tool: 'list_shops', table: 'shops', period: undefined };
    const tables = [shops, use];
    const context = { endpoint: 'query', source: 'live', as_of: '', tables } as const;
    const toolCall = { tool: 'query', arguments: {} };
    expect(fileNameOf({ toolCall, context }, { format: 'csv' }, now)).toBe('orders-2026-10.csv');
  });
});

describe.each(describedAs)('export_rows over a %s description', (description) => {
  test('writes all rows of an earlier answer, and says where, of which days and what they are', async () => {
    const folder = folderWith();
    const { ask } = await serverOver('memory', {
      description,
      settings: { COMMERCE_FILES_DIR: folder },
    });
    const list = await ask('list_orders', { period: 'last_month', all: true });
    const { id, rows } = Object(list.context.result);
    expect(list.text).toContain(`as a file: export_rows {"result_id":"${id}"}`);
    const path = join(folder, 'orders-2026-10.csv');
    const { body, text } = await ask('export_rows', { result_id: id, format: 'csv' });
    expect(body).toMatchObject({ name: 'orders-2026-10.csv', rows, path });
    expect(body.context).toMatchObject({ complete: true, source: 'sandbox' });
    expect(text).toMatch(/^export_rows: [\d,]+ rows; 2026-10-01 to 2026-10-31 .*source: sandbox/);
    expect(text).toContain(`# Written: ${path}`);
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(rows + 1);
    const again = await ask('export_rows', { result_id: id });
    expect(again.body.path).toBe(join(folder, 'orders-2026-10.xlsx'));
    expect((await readdir(folder)).sort()).toEqual(['orders-2026-10.csv', 'orders-2026-10.xlsx']);
  });

  test('writes the rows of a statement, in which no spreadsheet finds a formula', async () => {
    const folder = folderWith();
    const settings = { COMMERCE_FILES_DIR: folder };
    const { ask } = await serverOver('memory', { description, settings });
    const sql = "SELECT '=1+1' AS a, '@b' AS b, '-c' AS c, '+d' AS d";
    const { body } = await ask('export_rows', { sql, format: 'csv', title: 'Odd' });
    expect(body.name).toBe('odd-2026-11-20.csv');
    expect(await readFile(String(body.path), 'utf8')).toBe("a,b,c,d\n'=1+1,'@b,'-c,'+d\n");
  });
});

test.each([
  ['neither sql nor result_id', {}, 'bad_input'],
  ['both of them', { sql: 'SELECT 1', result_id: 'r_0' }, 'bad_input'],
  ['a result that is gone', { result_id: 'r_0000000000' }, 'result_gone'],
])('export_rows is refused with %s', async (_, input, code) => {
  const { ask } = await serverOver('memory');
  const { failure } = await ask('export_rows', input);
  expect(failure).toMatchObject({ code });
});

test('export_rows says that rows are missing where the platform has more', async () => {
  const { ask } = await serverOver('memory', { settings: { COMMERCE_FILES_DIR: folderWith() } });
  const sql = "SELECT * FROM list_orders(period := 'last_week') LIMIT 3";
  const { text, context } = await ask('export_rows', { sql, format: 'csv' });
  expect({ text, complete: context.complete }).toMatchObject({ complete: true });
});

test('export_rows over stdio reports a home without a download folder, and how to name one', async () => {
  const { ask } = await serverOver('stdio', { settings: { COMMERCE_FILES_DIR: '' } });
  const { isError, text } = await ask('export_rows', { sql: 'SELECT 1 AS a' });
  expect({ isError, text }).toEqual({
    isError: true,
    text: expect.stringContaining('Set COMMERCE_FILES_DIR'),
  });
});
