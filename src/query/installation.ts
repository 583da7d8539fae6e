import { createRequire } from 'node:module';
import { queryMessages } from './messages.ts';

/** The engine's library, and the native part that it loads. */
const library = '@duckdb/node-api';
const bindings = '@duckdb/node-bindings';

/**
 * Why the engine cannot run in this installation; undefined where all its parts are there. It looks for files and
 * loads nothing.
 *
 * @param base where a part of this program lies
 */
export function engineProblem(
  base: string = import.meta.url,
): ReturnType<typeof queryMessages.engine_not_installed> | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const ofLibrary = resolve(base, library);
  const ofBindings = ofLibrary && resolve(ofLibrary, bindings);
  if (ofBindings === undefined) return queryMessages.engine_not_installed({ library });
  const names = [`${bindings}-${platform}`, `${bindings}-${platform}-musl`];
  if (names.some((name) => resolve(ofBindings, `${name}/duckdb.node`))) return undefined;
  return queryMessages.engine_not_installed({ library, platform });
}

function resolve(base: string, name: string): string | undefined {
  try {
    return createRequire(base).resolve(name);
  } catch {
    return undefined;
  }
}
