import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A file that the build makes beside the bundle, or undefined when it was not built. Run from the
 * sources, it lies in `dist/`, or in the folder that BUILD_FOLDER names: each run of the tests builds
 * into its own.
 * @param base where the part of this program lies that asks, its `import.meta.url`
 */
export function builtFile(name: string, base: string): string | undefined {
  const { BUILD_FOLDER } = process.env;
  const places = [
    new URL('./', base),
    new URL('../', base),
    BUILD_FOLDER ? new URL(`file://${BUILD_FOLDER}/`) : new URL('../../dist/', import.meta.url),
  ];
  return places
    .map((place) => fileURLToPath(new URL(name, place)))
    .find((path) => existsSync(path));
}
