import { createRequire } from 'node:module';
import { queryMessages } from './messages.ts';

const library = '@duckdb/node-api';
const bindings = '@duckdb/node-bindings';

/**
 * Tells why the engine cannot run in this installation, from the files of its library; it loads none.
 * @param base the place of this program
 */
export function engineProblem(
  base: string = import.meta.url,
): ReturnType<typeof queryMessages.engine_not_installed> | undefined {
  const platform = `${process.platform}-${process.arch}`;
  const libraryPath = resolve(base, library);
  const bindingsPath = libraryPath && resolve(libraryPath, bindings);
  if (bindingsPath === undefined) return queryMessages.engine_not_installed({ library });
  const names = [`${bindings}-${platform}`, `${bindings}-${platform}-musl`];
  if (names.some((name) => resolve(bindingsPath, `${name}/duckdb.node`))) return undefined;
  return queryMessages.engine_not_installed({ library, platform });
}

function resolve(base: string, name: string): string | undefined {
  try {
    return createRequire(base).resolve(name);
  } catch {
    return undefined;
  }
}
