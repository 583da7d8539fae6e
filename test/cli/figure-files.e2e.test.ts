import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readFigure } from '../../src/analysis/figure/figure.ts';
import { parseJson } from '../../src/core/json.ts';
import { startSandbox } from '../sandbox/start-sandbox.ts';
import { closeAfterwards } from '../setup/closing.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Sandbox } from '../spawn.ts';
import { runHere } from './run-here.ts';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  closeAfterwards(sandbox.close);
  folder = folderWith();
});

const sql = 'sql=SELECT name, id AS number FROM shops';
const call = (...args: string[]) => runHere(['call', ...args], account(sandbox));

describe('call with --html', () => {
  test('--html writes the figure as a page, and its answer is printed all the same', async () => {
    const page = join(folder, 'shops.html');
    const { code, stdout, stderr } = await call('show_figure', sql, '--html', page);
    expect([code, stderr]).toEqual([0, `Written: ${page}\n`]);
    expect(stdout).toMatch(/^show_figure: /);
    const inPage = /<script type="application\/json" id="figure">([^<]*)</;
    const [, json = ''] = inPage.exec(await readFile(page, 'utf8')) ?? [];
    const { axis } = readFigure(parseJson(json)) ?? expect.unreachable('the page has its figure');
    expect(axis.labels).toContain('Webshop');
  });

  test('--html fails where the answer has no figure, and where no file can be', async () => {
    const none = ['show_figure', 'sql=SELECT name FROM shops', '--html'];
    const { code, stdout, stderr } = await call(...none, join(folder, 'none.html'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('No file was written')]);
    expect(stdout).toContain('There is nothing to draw');
    expect(await readdir(folder)).not.toContain('none.html');
    const refused = await call('show_figure', sql, '--html', folder);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`commerce-mcp: ${folder} cannot be written: it is no file.`);
    expect(refused.stderr).not.toMatch(/\n\s+at /);
  });

  test('--html is refused for a tool without a figure', async () => {
    const { code, stderr } = await call('list_shops', '--html', 'a.html');
    expect([code, stderr]).toEqual([2, expect.stringContaining('the figure of show_figure')]);
  });
});
