import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The built binary, as users start it. */
export const ours = join(root, 'dist/cli.js');

/** The server of the baseline. */
export const bare = join(root, 'bench/bare-server.mjs');

/** The day so many days ago. */
export function daysBefore(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** The exports of a source file, such as `src/client/client.ts`. */
export { importTypeScript as load } from '../scripts/import-typescript.mjs';
