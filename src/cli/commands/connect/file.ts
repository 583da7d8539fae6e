import { randomUUID } from 'node:crypto';
import {
  chmod,
  constants,
  copyFile,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommerceError } from '../../../core/errors.ts';

/** Only its owner reads it. */
export const privateMode = 0o600;

/** The text of a file; undefined where there is none. */
export async function readTextFile(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** Whether a file or folder is there. */
export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Puts a text in the place of another at once: whoever reads the file finds the old or the new one whole.
 * A link stays a link, the mode of the file stays, and its old text goes into a copy beside it.
 *
 * @param before what the file held when it was read; undefined for one that was not there.
 * @returns the path of the copy, where there was something to copy.
 * @throws {CommerceError} when somebody else has written the file meanwhile.
 */
export async function replaceText(
  path: string,
  { before, after, now }: { before: string | undefined; after: string; now: Date },
): Promise<string | undefined> {
  const target = before === undefined ? path : await realpath(path);
  await mkdir(dirname(target), { recursive: true });
  if ((await readTextFile(target)) !== before)
    throw new CommerceError(
      'bad_config',
      `${path} was changed by another program meanwhile, and was left alone. Run it again.`,
    );
  const mode = before === undefined ? privateMode : (await stat(target)).mode & 0o777;
  const copy = before === undefined ? undefined : `${target}.${stamp(now)}.bak`;
  if (copy !== undefined) await copyFile(target, copy, constants.COPYFILE_EXCL);
  await writeAtOnce(target, after, mode);
  return copy;
}

/** Writes a whole file under another name first, and renames it. */
export async function writeAtOnce(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode, flag: 'wx' });
    // The mask of the process may have taken bits away that the file had.
    await chmod(draft, mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A moment as a part of a file name, such as `20261122T091500123`. */
function stamp(now: Date): string {
  return now.toISOString().replaceAll(/[-:.Z]/g, '');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
