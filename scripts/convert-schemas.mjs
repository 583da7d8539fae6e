import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Fills src/mcp/tools/prebuilt-schemas.ts with the JSON Schemas of the documented tools: converting them
 * takes longer than anything else between a server's start and its first `tools/list`.
 */
export const convertSchemas = {
  name: 'convert-schemas',
  setup({ onLoad, onEnd }) {
    let isFilled = false;
    // Without it everything still answers, only later: nothing else would tell that the file moved.
    onEnd(() => (isFilled ? {} : { errors: [{ text: 'prebuilt-schemas.ts was not found' }] }));
    onLoad({ filter: /mcp[\\/]tools[\\/]prebuilt-schemas\.ts$/ }, async () => {
      isFilled = true;
      const schemas = JSON.stringify(await convert());
      // Parsed when loaded: a string is read faster than an object literal of that size.
      return {
        contents: `export const prebuiltSchemas = JSON.parse(${JSON.stringify(schemas)});`,
      };
    });
  },
};

async function convert() {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-schemas-'));
  const outfile = join(folder, 'catalogue.mjs');
  try {
    await build({
      stdin: {
        contents: `
          export { documentedCatalogue } from './src/mcp/tools/catalogue.ts';
          export { toolsets } from './src/endpoints/define.ts';
        `,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    });
    const { documentedCatalogue, toolsets } = await import(pathToFileURL(outfile));
    const tools = documentedCatalogue(toolsets).list();
    return Object.fromEntries(
      tools.map(({ tool, inputSchema, outputSchema }) => [tool, { inputSchema, outputSchema }]),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
