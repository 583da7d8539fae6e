import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readTextFile, replaceText } from '../../../../src/cli/commands/connect/file.ts';

const now = new Date('2026-11-22T09:15:00.123Z');

describe('a replaced file', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replaced-'));
    path = join(folder, 'settings.json');
  });

  afterEach(() => rm(folder, { recursive: true }));

  test('leaves its old text beside it, and keeps its mode', async () => {
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    const copy = await replaceText(path, { before: 'old', after: 'new', now });
    expect(copy).toBe(`${path}.20261122T091500123.bak`);
    expect(await readTextFile(copy ?? '')).toBe('old');
    expect(await readTextFile(path)).toBe('new');
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test('that was not there is made with its folder, for its owner alone', async () => {
    const deep = join(folder, 'a', 'b.json');
    expect(await replaceText(deep, { before: undefined, after: 'new', now })).toBeUndefined();
    expect(await readTextFile(deep)).toBe('new');
    expect((await stat(deep)).mode & 0o777).toBe(0o600);
  });

  test('stays a link where it was one', async () => {
    const real = join(folder, 'dotfiles.json');
    await writeFile(real, 'old');
    await symlink(real, path);
    await replaceText(path, { before: 'old', after: 'new', now });
    expect(await readFile(real, 'utf8')).toBe('new');
  });

  test('is left alone when somebody else wrote it meanwhile', async () => {
    await writeFile(path, 'newer');
    await expect(replaceText(path, { before: 'old', after: 'new', now })).rejects.toThrow(
      'changed by another program',
    );
    expect(await readTextFile(path)).toBe('newer');
    expect(await readdir(folder)).toEqual(['settings.json']);
  });
});
