// Bundles the command line into dist/, or the folder that is named: fewer and smaller files to load
// is most of what start-up costs.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildView } from './build-view.mjs';
import { leaveOut } from './leave-out.mjs';
import { writeLicences } from './licences.mjs';

const outdir = process.argv[2] ?? 'dist';

/**
 * The engine's library stays outside of the bundle, with its native part, and is loaded as the CommonJS
 * that it is: imported, Node parses its 181 files for their names, which takes longer than all the rest.
 */
const requireEngine = {
  name: 'require-engine',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@duckdb\/node-api$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  // What runs in a process of its own is an entry; the engine's native part stays outside of the bundle.
  entryPoints: {
    cli: 'src/cli/main.ts',
    'query-engine': 'src/query/process/main.ts',
    'order-lines': 'src/lines/process/main.ts',
  },
  outdir,
  bundle: true,
  metafile: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names stay: whoever reads a stack trace should recognise them.
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Its other form asks for its own parts in a way that no bundler follows.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [leaveOut, requireEngine],
  // CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
const inputsOfView = await buildView(`${outdir}/figure.html`);
writeLicences([...Object.keys(metafile.inputs), ...inputsOfView], `${outdir}/THIRD-PARTY-LICENSES`);
