import { closeSync, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { access, chmod, constants, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

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
 * @throws Error for one that cannot be read, is no plain file, or has more bytes
 */
export function readPlainText(path: string, mostBytes: number): string {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const found = fstatSync(file);
    const code = found.isDirectory() ? 'EISDIR' : 'EINVAL';
    if (!found.isFile()) throw Object.assign(new Error('It is no plain file.'), { code });
    if (found.size > mostBytes)
      throw new Error(`It has ${found.size} bytes; ${mostBytes} is the most.`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/**
 * A file within a folder: where it is once links are followed, and its text.
 * @param file its path within the folder
 * @throws Error for one that lies elsewhere, or as {@link readPlainText}
 */
export function readPlainFile(folder: string, file: string, mostBytes: number) {
  const path = realpathSync(resolve(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw new Error('It lies outside the folder.');
  return { path, text: readPlainText(path, mostBytes) };
}

/**
 * Makes a folder where it is missing, and keeps others out of it.
 * @throws Error for a link, another's folder, or one that others may put another in place of
 */
export async function claimFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const found = await lstat(path);
  // Windows has no ids of users here.
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid()))
    throw new Error(
      `${path} is no folder of the user that this process runs as: it is a link or belongs to another user, who could read or replace what is in it. Remove it and try again.`,
    );
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  await assertGuarded(dirname(path));
}

/** @throws Error for a folder in which any user may replace what is there */
async function assertGuarded(path: string): Promise<void> {
  const { mode } = await stat(path);
  // In a sticky one, such as /tmp, each replaces their own alone. Windows has no such modes.
  if (process.getuid && (mode & 0o1002) === 0o002)
    throw new Error(`others may write to ${path}: take that from them (chmod o-w) or name another`);
}

/**
 * Looks whether files can be written to a folder and not by others, or where it is missing whether it can be made.
 * @param place the folder itself, or the nearest above it that is there
 * @throws Error that names both and why not
 */
export async function assertWritable(path: string, place = path): Promise<void> {
  const accessible = access(place, constants.W_OK | constants.X_OK);
  const code = await accessible.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (code === 'ENOENT') return assertWritable(path, dirname(place));
  if (code !== undefined) throw new Error(`${path} cannot be written: ${code} at ${place}`);
  await assertGuarded(place);
}
