// Parts of src/ for the benchmark's own use: Node 20 reads no TypeScript.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The exports of a source file.
 * @param {string} source such as `src/client/client.ts`
 */
export async function load(source) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bench-'));
  const outfile = join(folder, 'bundle.mjs');
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile));
  } finally {
    await rm(folder, { recursive: true });
  }
}
