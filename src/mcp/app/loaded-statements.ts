import type { Services } from '../../analysis/services.ts';
import type { Statements } from '../../analysis/statements.ts';
import { createColumnKnowledge } from '../../analysis/tables/columns/column-knowledge.ts';
import { createExplorer } from '../../analysis/tables/explore.ts';
import { createStatements, type StatementParts } from '../../analysis/tables/run-statements.ts';
import { createTableMemory } from '../../analysis/tables/table-memory.ts';
import type { Config } from '../../config.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type DescribedColumn, pathKey, responseColumns } from '../../endpoints/openapi.ts';
import type { QueryEngine } from '../../query/engine.ts';
import { readArguments } from '../tools/arguments.ts';
import type { Catalogue } from '../tools/catalogue.ts';

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export interface LoadedStatements {
  /** The statements of one caller, over the tools that their catalogue has. */
  statementsOf(
    services: Omit<Services, 'statements'>,
    catalogue: Catalogue,
    caller: string,
  ): Statements;
  close(): Promise<void>;
}

/** The settings that statements run by, and those by which callers are told apart. */
export type StatementSettings = Pick<
  Config,
  'queryMs' | 'queryMemoryMb' | 'queryMaxCalls' | 'httpTokens' | 'httpTokensFile' | 'oauthIssuer'
>;

/**
 * Makes it; nothing of an engine of its own is loaded yet.
 * @param description the platform's own description, as far as it has been read
 */
export function loadStatements(
  config: StatementSettings,
  description: () => unknown,
  given?: QueryEngine,
): LoadedStatements {
  let own: Promise<QueryEngine> | undefined;
  const knowledge = createColumnKnowledge(rememberLast(description, describedColumns));
  const parts: StatementParts = {
    async engine() {
      if (given !== undefined) return given;
      own ??= import('../../query/engine.ts').then(({ createQueryEngine }) =>
        createQueryEngine({
          seconds: config.queryMs / 1000,
          memoryMb: config.queryMemoryMb,
          isShared: [config.httpTokens, config.httpTokensFile, config.oauthIssuer].some(Boolean),
        }),
      );
      return own;
    },
    memory: createTableMemory(),
    knowledge,
    explorer: createExplorer(knowledge),
    readArguments,
    maxCalls: config.queryMaxCalls,
  };
  return {
    statementsOf: (services, catalogue, caller) =>
      createStatements(parts, {
        services,
        tools: () => catalogue.list(),
        learnPaging() {},
        caller,
      }),
    close: async () => (await own)?.close(),
  };
}

/** What is made of something, made again when that is another. */
function rememberLast<Given, Made>(read: () => Given, make: (given: Given) => Made): () => Made {
  let last: { given: Given; made: Made } | undefined;
  return () => {
    const given = read();
    if (last === undefined || last.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}

/** The columns that a description has, by tool. */
function describedColumns(openapi: unknown): Map<string, readonly DescribedColumn[]> {
  const columns = responseColumns(openapi);
  return new Map(
    endpoints.flatMap(({ path, tool }) => {
      const described = columns.get(pathKey(path));
      return described === undefined ? [] : [[tool, described]];
    }),
  );
}
