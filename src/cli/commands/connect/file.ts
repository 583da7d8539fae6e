import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommerceError } from '../../../core/errors.ts';
import { inSettings, type Machine } from './clients.ts';

/** Read and written by its owner alone. */
const privateMode = 0o600;

/** The text of a file; undefined where there is none. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return fs.readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/**
 * Replaces the text of a file at once, so that a reader sees the old or the new one whole. A link stays a
 * link, and the old text goes into a copy in the same folder.
 *
 * @param before what the file held when it was read; undefined for one that was not there
 * @param mode who may read it @default as before
 * @returns the path of the copy, if there was something to copy
 * @throws {CommerceError} when another program has written the file since
 */
export async function replaceText(
  path: string,
  before: string | undefined,
  after: string,
  mode?: number,
): Promise<string | undefined> {
  const target = before === undefined ? path : await fs.realpath(path);
  await fs.mkdir(dirname(target), { recursive: true });
  if ((await readTextFile(target)) !== before)
    throw new CommerceError(
      'bad_config',
      `${path} was changed by another program meanwhile, and was left alone. Run it again.`,
    );
  if (before === undefined) {
    await writeAtOnce(target, after, privateMode);
    return undefined;
  }
  const copy = `${target}.${new Date().toISOString().replaceAll(/[-:.Z]/g, '')}.bak`;
  await fs.copyFile(target, copy, constants.COPYFILE_EXCL);
  await writeAtOnce(target, after, mode ?? (await fs.stat(target)).mode & 0o777);
  return copy;
}

/** Writes a whole file under another name first, and renames it. */
async function writeAtOnce(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await fs.writeFile(draft, text, { mode, flag: 'wx' });
    // The mask of the process may have taken bits away that the file had.
    await fs.chmod(draft, mode);
    await fs.rename(draft, path);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}

/** Where the secret of a key is kept: one file for each key, shared by its clients. */
export function secretFileOf(machine: Machine, clientId: string): string {
  return inSettings(machine, 'commerce-mcp', `${clientId.replaceAll(/[^\w.-]/g, '_')}.secret`);
}

/**
 * Keeps a secret in a file and a folder that only its owner reads.
 *
 * @throws {CommerceError} for a folder that is a link or belongs to another user
 */
export async function keepSecret(path: string, secret: string): Promise<void> {
  const folder = dirname(path);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await fs.lstat(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new CommerceError(
      'bad_config',
      `${folder} is a link or belongs to another user, who could read or replace a secret in it. Remove it and run this again.`,
    );
  if ((found.mode & 0o077) !== 0) await fs.chmod(folder, 0o700);
  await writeAtOnce(path, `${secret}\n`, privateMode);
}

/**
 * Deletes a kept secret unless a configuration still names its file. A file outside the folder for
 * secrets is never deleted.
 *
 * @returns whether it was deleted
 */
export async function forgetSecret(
  machine: Machine,
  path: string,
  configurations: readonly string[],
): Promise<boolean> {
  const isKept = path === join(inSettings(machine, 'commerce-mcp'), basename(path));
  const names = [path, path.replaceAll('\\', '\\\\')];
  const isNamed = configurations.some((text) => names.some((name) => text.includes(name)));
  if (!isKept || !path.endsWith('.secret') || isNamed) return false;
  return fs.rm(path).then(
    () => true,
    () => false,
  );
}
