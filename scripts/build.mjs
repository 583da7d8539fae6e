// Bundles the command line into dist/, or the folder that is named: fewer and smaller files to load
// is most of what start-up costs.
import { copyFile, rm } from 'node:fs/promises';
import { build } from 'rolldown';
import { buildView } from './build-view.mjs';
import { leaveOut } from './leave-out.mjs';
import { writeLicences } from './licences.mjs';

const outdir = process.argv[2] ?? 'dist';

/**
 * The engine's library stays outside of the bundle, with its native part, and is loaded as the CommonJS
 * that it is: imported, Node parses its 181 files for their names, which takes longer than all the rest.
 */
const engine = '@duckdb/node-api';
const required = `\0${engine}`;
const requireEngine = {
  name: 'require-engine',
  resolveId(id, importer) {
    if (id === engine) return importer === required ? { id, external: true } : required;
  },
  load: (id) => (id === required ? `module.exports = require('${engine}');` : undefined),
};

/**
 * A program in a folder of its own chunks. Names of functions stay, so that a stack trace can be read. Shorter
 * ones within them, and text in ASCII, which V8 keeps as one byte a character, are read faster.
 */
const program = (input, output) => ({
  input,
  platform: 'node',
  transform: { target: 'node20.19' },
  // Its other form asks for its own parts in a way that no bundler follows.
  resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
  plugins: [leaveOut, requireEngine],
  moduleTypes: { '.html': 'text' },
  output: {
    dir: outdir,
    // For stacks at the log level debug, by src/cli/cli.js. Packages leave them out: 3.6 MB.
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: {
      // oidc-provider knows its models by the names of their classes.
      compress: { keepNames: { function: false, class: true } },
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true, asciiOnly: true },
    },
    comments: { legal: false },
    ...output,
  },
});

await rm(outdir, { recursive: true, force: true });
const bundles = await build([
  program(
    { main: 'src/cli/main.ts' },
    {
      chunkFileNames: 'chunks/[name]-[hash].js',
      // One file for all that every command loads, and one for all that a server loads at its start: some fifty files
      // would take a quarter of the start to find.
      codeSplitting: {
        groups: [
          { name: 'command-line', test: /src\/cli\/run-command-line\.ts$/, priority: 2 },
          {
            name: 'server',
            test: /src\/(cli\/commands\/stdio|mcp\/stdio\/serve|client\/transport\/agent)\.ts$/,
            priority: 1,
          },
        ],
      },
    },
  ),
  // A program for a process or a thread of its own is one file.
  program({ 'query-engine': 'src/query/process/main.ts' }, { codeSplitting: false }),
  program({ 'order-lines': 'src/lines/process.ts' }, { codeSplitting: false }),
  program({ 'workbook-thread': 'src/mcp/files/workbook-thread.ts' }, { codeSplitting: false }),
]);
// As it is: an older Node reads it too.
await copyFile('src/cli/cli.js', `${outdir}/cli.js`);
const inputsOfView = await buildView(`${outdir}/figure.html`);
const inputs = bundles.flatMap(({ output }) => output.flatMap(({ moduleIds = [] }) => moduleIds));
writeLicences([...inputs, ...inputsOfView], `${outdir}/THIRD-PARTY-LICENSES`);
