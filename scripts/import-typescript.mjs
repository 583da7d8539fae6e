// Node 20 reads no TypeScript: a module of ours is bundled beside the libraries and imported from there.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** What a TypeScript module exports; its libraries are taken as they are installed. */
export async function importTypeScript(entry) {
  // Within the project, so that Node finds the libraries from there.
  const cache = join('node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'script-'));
  try {
    const outfile = join(folder, 'script.mjs');
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile));
  } finally {
    await rm(folder, { recursive: true });
  }
}
