import { join } from 'node:path';
import { inject } from 'vitest';

/** The engine's process, as this run built it. */
export const queryEngine = join(inject('packageFolder'), 'dist/query-engine.js');
