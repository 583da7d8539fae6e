import { chmod, chown, lstat, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimFolder } from '../../src/core/files.ts';
import { folderWith } from '../setup/folder.ts';

let folder: string;
let place: string;

beforeEach(() => {
  folder = folderWith();
  place = join(folder, 'own');
});

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe.skipIf(process.platform === 'win32')('claimFolder', () => {
  test('closes a folder that is open to others', async () => {
    await mkdir(place);
    await chmod(place, 0o777);
    await claimFolder(place);
    expect(await modeOf(place)).toBe(0o700);
  });

  test('refuses a link, and the folder of another user', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere, { mode: 0o755 });
    await symlink(elsewhere, place);
    await expect(claimFolder(place)).rejects.toThrow(/folder_of_another/);
    expect([await modeOf(elsewhere), (await lstat(place)).isSymbolicLink()]).toEqual([0o755, true]);
    if (process.getuid?.() !== 0) return;
    await chown(elsewhere, 12_345, 12_345);
    await expect(claimFolder(elsewhere)).rejects.toThrow(/folder_of_another/);
  });

  test('refuses a place where others may write, unless each replaces their own files alone', async () => {
    await chmod(folder, 0o777);
    await expect(claimFolder(place)).rejects.toThrow(/folder_open_to_others/);
    await chmod(folder, 0o1777);
    await claimFolder(place);
    expect(await modeOf(place)).toBe(0o700);
  });
});
