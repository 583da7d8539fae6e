// Bundles and imports TypeScript modules, which Node 20 cannot read.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The exports of a TypeScript module, with libraries as installed.
 * @param {string} source by its place in the project, such as `src/client/client.ts`
 */
export async function importTypeScript(source) {
  // Inside the project, so that Node finds the libraries.
  const cache = join(root, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'script-'));
  try {
    const file = join(folder, 'script.mjs');
    await build({
      input: join(root, source),
      platform: 'node',
      external: /^[@a-z]/,
      output: { file, codeSplitting: false },
    });
    return await import(pathToFileURL(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}
