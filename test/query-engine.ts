import { randomUUID } from 'node:crypto';
import { QueryEngine, type SqlEngine } from '../src/query/engine.ts';

let shared: QueryEngine | undefined;

/**
 * An engine for one server: the processes behind it serve all servers of this worker, each a caller of its
 * own, for to start one costs half a second. A server whose settings are about the engine gets none, and
 * makes its own.
 */
export function engineFor(settings: Record<string, string>): { queryEngine?: SqlEngine } {
  if (Object.keys(settings).some((name) => name.startsWith('COMMERCE_QUERY_'))) return {};
  shared ??= new QueryEngine({ idleMs: 600_000 });
  const engine = shared;
  const server = randomUUID();
  return {
    queryEngine: {
      run: (statement) => engine.run({ ...statement, caller: `${server} ${statement.caller}` }),
      close: async () => {},
    },
  };
}
