import { execFileSync } from 'node:child_process';
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile as write,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeWhole } from '../../src/cli/write-whole.ts';
import { folderWith } from '../setup/folder.ts';

let folder: string;

beforeEach(() => {
  folder = folderWith();
});

const at = (...names: string[]) => join(folder, ...names);

test('a file that is written whole replaces an older one behind a link, and keeps its mode', async () => {
  await mkdir(at('inner'));
  await write(at('inner/old.html'), 'old', { mode: 0o600 });
  await symlink(at('inner/old.html'), at('link.html'));
  await writeWhole(at('link.html'), 'new');
  expect(await readFile(at('inner/old.html'), 'utf8')).toBe('new');
  expect((await lstat(at('link.html'))).isSymbolicLink()).toBe(true);
  expect(await readdir(at('inner'))).toEqual(['old.html']);
  if (process.platform !== 'win32')
    expect((await stat(at('inner/old.html'))).mode & 0o777).toBe(0o600);
});

test('a file is refused in place of a folder or a pipe, and in a folder that is not there', async () => {
  await expect(writeWhole(folder, '')).rejects.toThrow(/not_a_file/);
  await expect(writeWhole(at('nowhere/a'), '')).rejects.toThrow(/not_written .*ENOENT/);
  if (process.platform === 'win32') return;
  execFileSync('mkfifo', [at('pipe')]);
  await expect(writeWhole(at('pipe'), '')).rejects.toThrow(/not_a_file/);
});
