import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';

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
