import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, inject } from 'vitest';
import { closeAll } from './closing.ts';

/** Property tests run the same cases each time; PROPERTY_SEED, from vitest.config.ts, brings others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED) });

/** What runs from the sources takes what is built from the build of this run. */
process.env.BUILD_FOLDER = join(inject('packageFolder'), 'dist');

afterAll(closeAll);
