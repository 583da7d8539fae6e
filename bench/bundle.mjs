import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The exports of a source file, such as `src/client/client.ts`. */
export { importTypeScript as load } from '../scripts/import-typescript.mjs';
