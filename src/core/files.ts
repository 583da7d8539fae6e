import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { access, chmod, constants, lstat, mkdir, stat, watch } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommerceError } from './errors.ts';
import { type Message, messagesOf } from './message.ts';

export const fileMessages = messagesOf({
  not_a_plain_file: 'It is no plain file.',
  too_many_bytes: ({ bytes, max }: { bytes: number; max: number }) =>
    `It has ${bytes} bytes; ${max} is the most.`,
  outside_folder: 'It lies outside the folder.',
  folder_of_another: ({ path }: { path: string }) =>
    `${path} is no folder of the user that this process runs as: it is a link or belongs to another user, who could read or replace what is in it. Remove it and try again.`,
  folder_open_to_others: ({ path }: { path: string }) =>
    `others may write to ${path}: take that from them (chmod o-w) or name another`,
  /** `place`: the nearest existing folder above. */
  not_writable: ({ path, place, error }: { path: string; place: string; error: string }) =>
    `${path} cannot be written: ${error} at ${place}`,
});

/**
 * The path of a file that the build puts next to the bundle; undefined before a build. From the sources it is looked
 * for in `dist/`, or in BUILD_FOLDER, since each run of the tests builds into a folder of its own.
 */
export function builtFile(name: string): string | undefined {
  const { BUILD_FOLDER } = process.env;
  const folders = ['./', '../', BUILD_FOLDER ? `file://${BUILD_FOLDER}/` : '../../dist/'];
  return folders
    .map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)))
    .find((path) => existsSync(path));
}

/**
 * Opens without blocking, since a FIFO would hold the process for good.
 * @throws CommerceError for a file that is no plain one or has more bytes, or the error of the system
 */
export function readPlainText(path: string, maxBytes: number): string {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw failure(fileMessages.not_a_plain_file());
    if (stats.size > maxBytes)
      throw failure(fileMessages.too_many_bytes({ bytes: stats.size, max: maxBytes }));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * The text of a file within a folder, and its path with links followed.
 * @throws CommerceError for a file outside of the folder, or as {@link readPlainText}
 */
export function readPlainFile(folder: string, file: string, maxBytes: number) {
  const path = realpathSync(resolve(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw failure(fileMessages.outside_folder());
  return { path, text: readPlainText(path, maxBytes) };
}

/**
 * Caches what `read` gives for each file until that file changes.
 * @param read may give a promise; errors that it throws are not cached
 */
export function rememberFiles<Value>(read: (path: string) => Value): (path: string) => Value {
  const cache = new Map<string, { stamp: string; value: Value }>();
  return (path) => {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    const stamp = [mtimeMs, ctimeMs, size, ino].join();
    const entry = cache.get(path);
    if (entry?.stamp === stamp) return entry.value;
    cache.delete(path);
    const value = read(path);
    cache.set(path, { stamp, value });
    return value;
  };
}

/** Calls back whenever a file of a folder changes. Does nothing where the folder cannot be watched. */
export async function followFolder(path: string, onChange: () => void, closing: AbortSignal) {
  try {
    for await (const _ of watch(path, { persistent: false, signal: closing })) onChange();
  } catch {}
}

/**
 * Makes a folder where it is missing, and takes away the rights of other users.
 * @throws CommerceError for a link, for the folder of another user, and where others could replace it
 */
export async function claimFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  // Windows has no user ids.
  if (!stats.isDirectory() || (process.getuid && stats.uid !== process.getuid()))
    throw failure(fileMessages.folder_of_another({ path }));
  if ((stats.mode & 0o077) !== 0) await chmod(path, 0o700);
  await assertGuarded(dirname(path));
}

/** @throws CommerceError for a folder in which any user may replace files */
async function assertGuarded(path: string): Promise<void> {
  const { mode } = await stat(path);
  // In a sticky folder such as /tmp, users replace only their own files. Windows has no such modes.
  if (process.getuid && (mode & 0o1002) === 0o002)
    throw failure(fileMessages.folder_open_to_others({ path }));
}

/**
 * Checks that we can write to a folder, or make it, and that others cannot.
 * @param place the nearest existing folder above
 * @throws CommerceError naming both folders and the reason
 */
export async function assertWritable(path: string, place = path): Promise<void> {
  const accessible = access(place, constants.W_OK | constants.X_OK);
  const code = await accessible.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === 'ENOENT') return assertWritable(path, dirname(place));
  if (code !== undefined) throw failure(fileMessages.not_writable({ path, place, error: code }));
  await assertGuarded(place);
}

function failure(reason: Message): CommerceError {
  return new CommerceError('bad_config', reason);
}
