/** Property tests run the same cases each time; PROPERTY_SEED, from vitest.config.ts, brings others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED) });
