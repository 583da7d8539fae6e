import { existsSync } from 'node:fs';
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
