import type { Statements } from '../../analysis/statements.ts';
import type { SqlEngine } from '../../query/engine.ts';
import type { LoadedStatements, StatementSettings } from './loaded-statements.ts';

/** SQL for all callers. */
export interface StatementRoom extends LoadedStatements {
  /** Learns the columns that the platform's own description has. */
  describe(openapi: unknown): void;
}

/** Opens it; nothing of it is loaded before the first statement. */
export function openStatementRoom(config: StatementSettings, given?: SqlEngine): StatementRoom {
  let description: unknown;
  let loaded: Promise<LoadedStatements> | undefined;
  const load = () => {
    loaded ??= import('./loaded-statements.ts').then(({ loadStatements }) =>
      loadStatements(config, description, given),
    );
    return loaded;
  };
  return {
    statementsOf(services, catalogue, caller) {
      let own: Promise<Statements> | undefined;
      const statements = () => {
        own ??= load().then((room) => room.statementsOf(services, catalogue, caller));
        return own;
      };
      return {
        run: async (...asked) => (await statements()).run(...asked),
        tables: async (call) => (await statements()).tables(call),
      };
    },
    describe(openapi) {
      description = openapi;
    },
    problems: async () => (await load()).problems(),
    close: async () => (await loaded)?.close(),
  };
}
