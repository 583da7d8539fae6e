// Node 20 reads no TypeScript: a module of ours is bundled beside the libraries and imported from there.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What a TypeScript module exports; its libraries are taken as they are installed.
 * @param {string} source by its place in the project, such as `src/client/client.ts`
 */
export async function importTypeScript(source) {
  // Within the project, so that Node finds the libraries from there.
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
