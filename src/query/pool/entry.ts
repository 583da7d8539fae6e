import { builtFile } from '../../core/built-file.ts';

/** The file of the engine's process, or undefined when it was not built. */
export function engineEntry(base: string = import.meta.url): string | undefined {
  return builtFile('query-engine.js', base);
}
