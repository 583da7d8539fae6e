import { randomUUID } from 'node:crypto';
import type { Warning } from '../src/core/message.ts';
import { QueryEngine, type SqlEngine } from '../src/query/engine.ts';

/** Statements of this worker that the engine warned of; a test empties it before its own. */
export const hinted: { sql: string; hints: readonly Warning[] }[] = [];

/** The engine of this worker. A second thread makes a statement over a few rows half as dear again. */
export const workerEngine = new QueryEngine({ threads: 1, idleMs: 600_000 });

/**
 * An engine for one server: the processes behind it serve all servers of this worker, each a caller of its
 * own. A server whose settings are about the engine gets none, and makes its own.
 */
export function engineFor(settings: Record<string, string>): { queryEngine?: SqlEngine } {
  if (Object.keys(settings).some((name) => name.startsWith('COMMERCE_QUERY_'))) return {};
  const server = randomUUID();
  return {
    queryEngine: {
      async run(statement) {
        const caller = `${server} ${statement.caller}`;
        const result = await workerEngine.run({ ...statement, caller });
        if (result.hints.length > 0) hinted.push({ sql: statement.sql, hints: result.hints });
        return result;
      },
      runInOneTurn: (statements, turn) =>
        workerEngine.runInOneTurn(statements, { ...turn, caller: `${server} ${turn.caller}` }),
      close: async () => {},
    },
  };
}
