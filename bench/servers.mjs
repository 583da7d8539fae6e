import { join } from 'node:path';
import { root } from './bundle.mjs';

/** The built binary, as users start it. */
export const ours = join(root, 'dist/cli.js');

/** The server that it is held against. */
export const bare = join(root, 'bench/bare-server.mjs');
