import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
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
 * A file within a folder: where it is once links are followed, and its text.
 * @param file its path within the folder
 * @throws Error for one that lies elsewhere, is no plain file (a FIFO would never end), or has more bytes
 */
export function readPlainFile(folder: string, file: string, mostBytes: number) {
  const path = realpathSync(resolve(folder, file));
  if (!path.startsWith(realpathSync(folder) + sep)) throw new Error('It lies outside the folder.');
  const found = statSync(path);
  if (!found.isFile()) throw new Error('It is no plain file.');
  if (found.size > mostBytes)
    throw new Error(`It has ${found.size} bytes; ${mostBytes} is the most.`);
  return { path, text: readFileSync(path, 'utf8') };
}
