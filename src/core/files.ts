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
  /** `place`: the nearest folder above that is there. */
  not_writable: ({ path, place, error }: { path: string; place: string; error: string }) =>
    `${path} cannot be written: ${error} at ${place}`,
});

/**
 * A file that the build puts next to the bundle, or undefined when it was not built. Run from the
 * sources, it lies in `dist/`, or in the folder that BUILD_FOLDER names: each run of the tests builds
 * into its own.
 */
export function builtFile(name: string): string | undefined {
  const { BUILD_FOLDER } = process.env;
  const folders = ['./', '../', BUILD_FOLDER ? `file://${BUILD_FOLDER}/` : '../../dist/'];
  return folders
    .map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)))
    .find((path) => existsSync(path));
}

/**
 * The text of a plain file. A FIFO, which may never end, is not waited for.
 * @throws CommerceError for one that cannot be read, is no plain file, or has more bytes
 */
export function readPlainText(path: string, maxBytes: number): string {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw failure(fileMessages.not_a_plain_file());
    if (found.size > maxBytes)
      throw failure(fileMessages.too_many_bytes({ bytes: found.size, max: maxBytes }));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * A file within a folder: where it is once links are followed, and its text.
 * @param file its path within the folder
 * @throws CommerceError for one that lies elsewhere, or as {@link readPlainText}
 */
export function readPlainFile(folder: string, file: string, maxBytes: number) {
  const path = realpathSync(resolve(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw failure(fileMessages.outside_folder());
  return { path, text: readPlainText(path, maxBytes) };
}

/**
 * Remembers what was read of each file until that file changes.
 * @param read may give a promise; what it throws is not remembered
 */
export function rememberFiles<Value>(read: (path: string) => Value): (path: string) => Value {
  const known = new Map<string, { stamp: string; value: Value }>();
  return (path) => {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    const stamp = [mtimeMs, ctimeMs, size, ino].join();
    const held = known.get(path);
    if (held?.stamp === stamp) return held.value;
    known.delete(path);
    const value = read(path);
    known.set(path, { stamp, value });
    return value;
  };
}

/** Calls back whenever a file of a folder changes; never without the folder, or where the system has no watch left. */
export async function followFolder(path: string, onChange: () => void, closing: AbortSignal) {
  try {
    for await (const _ of watch(path, { persistent: false, signal: closing })) onChange();
  } catch {}
}

/**
 * Makes a folder where it is missing, and keeps others out of it.
 * @throws CommerceError for a link, another's folder, or one that others may put another in place of
 */
export async function claimFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  // Windows has no ids of users here.
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw failure(fileMessages.folder_of_another({ path }));
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  await assertGuarded(dirname(path));
}

/** @throws CommerceError for a folder in which any user may replace what is there */
async function assertGuarded(path: string): Promise<void> {
  const { mode } = await stat(path);
  // In a sticky one, such as /tmp, each replaces their own alone. Windows has no such modes.
  if (process.getuid && (mode & 0o1002) === 0o002)
    throw failure(fileMessages.folder_open_to_others({ path }));
}

/**
 * Looks whether files can be written to a folder and not by others, or where it is missing whether it can be made.
 * @param place the folder itself, or the nearest above it that is there
 * @throws CommerceError that names both and why not
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
