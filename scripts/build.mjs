// Bundles the command line into dist/: fewer and smaller files to load is most of what start-up costs.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

/**
 * What a library brings that nothing here can reach, but a bundler cannot know: zod's error texts in
 * fifty languages, and undici beyond its connection pool.
 */
const leaveOut = {
  name: 'leave-out',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
    onLoad({ filter: /undici[\\/]index\.js$/ }, () => ({
      contents: `
        const Dispatcher = require('./lib/dispatcher/dispatcher');
        Object.assign(Dispatcher.prototype, require('./lib/api'));
        exports.Pool = require('./lib/dispatcher/pool');
      `,
    }));
  },
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { cli: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [leaveOut],
  // CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});
