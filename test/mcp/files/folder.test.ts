import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasCode } from '../../../src/core/errors.ts';
import { downloadFolder, saveFile } from '../../../src/mcp/files/folder.ts';
import { reasonOf } from '../../reasons.ts';
import { folderWith } from '../../setup/folder.ts';

describe('downloadFolder', () => {
  const listed = (path: string) => `# of xdg-user-dirs\nXDG_DOWNLOAD_DIR="${path}"\n`;

  test.each<[string, NodeJS.Platform, Record<string, string>, string | undefined]>([
    ['of a Mac', 'darwin', { 'Downloads/a': '' }, 'Downloads'],
    ['of Windows', 'win32', { 'Downloads/a': '' }, 'Downloads'],
    [
      'of Linux, as its list names it',
      'linux',
      { '.config/user-dirs.dirs': listed('$HOME/Mijn \\"post\\"'), 'Mijn "post"/a': '' },
      'Mijn "post"',
    ],
    [
      'of Linux, where the list names one that is not there',
      'linux',
      { '.config/user-dirs.dirs': listed('$HOME/Weg'), 'Downloads/a': '' },
      'Downloads',
    ],
    [
      'of Linux, where the list names the home',
      'linux',
      { '.config/user-dirs.dirs': listed('$HOME/'), 'Downloads/a': '' },
      'Downloads',
    ],
    ['of a home where Downloads is a file', 'linux', { Downloads: '' }, undefined],
    ['of a home without one', 'linux', {}, undefined],
  ])('the download folder %s', (_, platform, files, folder) => {
    const home = folderWith(files);
    const find = () => downloadFolder({ platform, env: {}, home });
    if (folder === undefined) expect(find).toThrow(reasonOf({ code: 'no_download_folder', home }));
    else expect(find()).toBe(join(home, folder));
  });

  test('the download folder of Linux is read from an absolute path in a list elsewhere', () => {
    const elsewhere = folderWith({ 'files/a': '' });
    const lists = folderWith({ 'user-dirs.dirs': listed(join(elsewhere, 'files')) });
    const machine = { platform: 'linux' as const, env: { XDG_CONFIG_HOME: lists }, home: '/none' };
    expect(downloadFolder(machine)).toBe(join(elsewhere, 'files'));
  });
});

describe('saveFile', () => {
  const bytes = Buffer.from('rows');

  test('a saved file is for the eyes of its owner, and replaces no other, not even a link', async () => {
    const folder = join(folderWith(), 'made', 'here');
    const paths = [await saveFile(folder, 'a.b.csv', bytes)];
    await symlink('/nowhere', join(folder, 'a.b-2.csv'));
    paths.push(await saveFile(folder, 'a.b.csv', Buffer.from('newer')));
    expect(paths).toEqual([join(folder, 'a.b.csv'), join(folder, 'a.b-3.csv')]);
    const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    expect(texts).toEqual(['rows', 'newer']);
    const modes = await Promise.all(paths.map((path) => stat(path)));
    if (process.platform !== 'win32')
      expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o600]);
    expect((await readdir(folder)).sort()).toEqual(['a.b-2.csv', 'a.b-3.csv', 'a.b.csv']);
  });

  test('several files saved at once have names of their own', async () => {
    const folder = folderWith();
    const saving = Array.from({ length: 5 }, () => saveFile(folder, 'a.csv', bytes));
    expect(new Set(await Promise.all(saving)).size).toBe(5);
  });

  test.each([
    ['a file in place of the folder', async (folder: string) => join(folder, 'file')],
    [
      'a folder that may not be written',
      async (folder: string) => {
        await mkdir(join(folder, 'locked'));
        await chmod(join(folder, 'locked'), 0o500);
        return join(folder, 'locked');
      },
    ],
  ])('a file is refused with the name of the folder, which is %s', async (_, prepare) => {
    const folder = await prepare(folderWith({ file: '' }));
    // Modes do not bind the superuser.
    if (folder.endsWith('locked') && process.getuid?.() === 0) return;
    const error: unknown = await saveFile(folder, 'a.csv', bytes).catch((thrown) => thrown);
    expect(hasCode(error, 'bad_config') && error.reason).toMatchObject({
      code: 'file_not_written',
      folder,
    });
  });

  test('a file whose name is too long leaves nothing behind', async () => {
    const folder = folderWith();
    await expect(saveFile(folder, `${'x'.repeat(300)}.csv`, bytes)).rejects.toThrow(/ENAMETOOLONG/);
    expect(await readdir(folder)).toEqual([]);
  });
});
