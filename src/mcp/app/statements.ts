import type { Services } from '../../analysis/services.ts';
import type { Statements } from '../../analysis/statements.ts';
import { createColumnKnowledge } from '../../analysis/tables/column-knowledge.ts';
import { createExplorer } from '../../analysis/tables/explore.ts';
import { createStatements, type StatementParts } from '../../analysis/tables/run-statements.ts';
import { createTableMemory } from '../../analysis/tables/table-memory.ts';
import type { Config } from '../../config.ts';
import { endpoints } from '../../endpoints/index.ts';
import { pathKey } from '../../endpoints/openapi.ts';
import { responseColumns } from '../../endpoints/response-columns.ts';
import type { QueryEngine } from '../../query/engine.ts';
import { readArguments } from '../tools/arguments.ts';
import type { Catalogue } from '../tools/catalogue.ts';
import { inputSchema } from '../tools/json-schema.ts';

/** SQL for all callers: one engine, which the first statement starts, and what statements share. */
export interface StatementRoom {
  /** The statements of one caller, over the tools that their catalogue has. */
  statementsOf(
    services: Omit<Services, 'statements'>,
    catalogue: Catalogue,
    caller: string,
  ): Statements;
  /** Learns the columns that the platform's own description has. */
  describe(openapi: unknown): void;
  close(): Promise<void>;
}

/** Opens it; nothing of an engine of its own is loaded yet. */
export function openStatementRoom(
  config: Pick<Config, 'queryMs' | 'queryMemoryMb' | 'queryMaxCalls'>,
  given?: QueryEngine,
): StatementRoom {
  let own: Promise<QueryEngine> | undefined;
  const knowledge = createColumnKnowledge();
  const parts: StatementParts = {
    async engine() {
      if (given !== undefined) return given;
      own ??= import('../../query/engine.ts').then(({ createQueryEngine }) =>
        createQueryEngine({
          seconds: config.queryMs / 1000,
          memoryMb: config.queryMemoryMb,
        }),
      );
      return own;
    },
    memory: createTableMemory(),
    knowledge,
    explorer: createExplorer(knowledge),
    readArguments: (tool, given) =>
      readArguments({ ...tool, inputSchema: inputSchema(tool.input) }, given),
    maxCalls: config.queryMaxCalls,
  };
  return {
    statementsOf: (services, catalogue, caller) =>
      createStatements(parts, {
        services,
        tools: catalogue.list,
        learnPaging: catalogue.learnPaging,
        caller,
      }),
    describe(openapi) {
      knowledge.describe(() => {
        const columns = responseColumns(openapi);
        return new Map(
          endpoints.flatMap(({ path, tool }) => {
            const described = columns.get(pathKey(path));
            return described === undefined ? [] : [[tool, described]];
          }),
        );
      });
    },
    close: async () => (await own)?.close(),
  };
}
