import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
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

const sql = 'SELECT name, id AS number FROM shops';
const call = (statement: string, ...args: string[]) =>
  runHere(['call', 'show_figure', `sql=${statement}`, ...args], account(sandbox));

describe('a figure from the command line', () => {
  test('is written as a page, with its answer printed all the same', async () => {
    const page = join(folder, 'shops.html');
    const { code, stdout, stderr } = await call(sql, '--html', page);
    expect([code, stderr]).toEqual([0, `Written: ${page}\n`]);
    expect(stdout).toMatch(/^show_figure: /);
    const inPage = /<script type="application\/json" id="figure">([^<]*)</;
    const [, json = ''] = inPage.exec(await readFile(page, 'utf8')) ?? [];
    const { axis } = readFigure(parseJson(json)) ?? expect.unreachable('the page has its figure');
    expect(axis.labels).toContain('Webshop');
  });

  test('is written in place of an older one, through a link too', async () => {
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await writeFile(join(inner, 'old.html'), 'old', { mode: 0o600 });
    await symlink(join(inner, 'old.html'), join(folder, 'link.html'));
    expect(await call(sql, '--html', join(folder, 'link.html'))).toMatchObject({ code: 0 });
    expect(await readFile(join(inner, 'old.html'), 'utf8')).toMatch(/^<!doctype html>/);
    expect(await readdir(inner)).toEqual(['old.html']);
    // What was for its owner's eyes only still is.
    if (process.platform !== 'win32')
      expect((await stat(join(inner, 'old.html'))).mode & 0o777).toBe(0o600);
  });

  test.each<[place: () => string, says: string]>([
    [() => folder, 'cannot be written: it is no file.'],
    [() => join(folder, 'nowhere', 'a.html'), 'cannot be written: ENOENT'],
    [() => pipe(join(folder, 'pipe')), 'cannot be written: it is no file.'],
  ])('fails where no file can be', async (place, says) => {
    const path = place();
    const { code, stderr } = await call(sql, '--html', path);
    expect(code).toBe(1);
    expect(stderr).toContain(`commerce-mcp: ${path} ${says}`);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('fails when there is none, and is written by the tool that has one alone', async () => {
    const path = join(folder, 'none.html');
    const { code, stdout, stderr } = await call('SELECT name FROM shops', '--html', path);
    expect(code).toBe(1);
    expect(stdout).toContain('There is nothing to draw');
    expect(stderr).toContain('No file was written');
    expect(await readdir(folder)).not.toContain('none.html');
    const other = await runHere(['call', 'list_shops', '--html', 'a.html'], account(sandbox));
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('--html writes the figure of show_figure');
  });
});

/** A named pipe of its own: a device of the machine would be lost if it were written over. */
function pipe(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}
