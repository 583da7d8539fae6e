import { randomUUID } from 'node:crypto';
import { QueryEngine } from '../src/query/engine.ts';

let shared: QueryEngine | undefined;

/**
 * An engine for one server: the processes behind it serve all servers of this worker, each a caller of its
 * own, for to start one costs half a second. A server whose settings are about the engine gets none, and
 * makes its own.
 */
export function engineFor(settings: Record<string, string>): { queryEngine?: QueryEngine } {
  if (Object.keys(settings).some((name) => name.startsWith('COMMERCE_QUERY_'))) return {};
  shared ??= new QueryEngine({ idleMs: 600_000 });
  const { run, processIds } = shared;
  const server = randomUUID();
  return {
    queryEngine: {
      run: (statement) => run({ ...statement, caller: `${server} ${statement.caller}` }),
      processIds,
      close: async () => {},
    },
  };
}
