import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the build puts the engine's process: beside the bundle, above its chunks, or from the sources. */
const places = ['./query-engine.js', '../query-engine.js', '../../../dist/query-engine.js'];

/** The file of the engine's process, or undefined when it was not built. */
export function engineEntry(base: string = import.meta.url): string | undefined {
  return places
    .map((place) => fileURLToPath(new URL(place, base)))
    .find((path) => existsSync(path));
}
