import type { Services } from '../../analysis/services.ts';
import type { Statements } from '../../analysis/statements.ts';
import {
  type DefinitionProblem,
  type Definitions,
  readDefinitions,
} from '../../analysis/tables/definitions.ts';
import { createTableMemory } from '../../analysis/tables/load-tables.ts';
import { namedTables, tableKind } from '../../analysis/tables/named-tables.ts';
import { createStatements, type StatementParts } from '../../analysis/tables/run-statements.ts';
import type { Config } from '../../config.ts';
import { toolsets } from '../../endpoints/define.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type DescribedColumn, pathKey, responseColumns } from '../../endpoints/openapi.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { readArguments } from '../tools/arguments.ts';
import { Catalogue } from '../tools/catalogue.ts';

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export interface LoadedStatements {
  /** The statements of one caller, over the tools that their catalogue has. */
  statementsOf(
    services: Omit<Services, 'statements'>,
    catalogue: Catalogue,
    caller: string,
  ): Statements;
  /** What is wrong with the business's own definitions. */
  problems(): Promise<readonly DefinitionProblem[]>;
  close(): Promise<void>;
}

/** The settings that statements run by, and those by which callers are told apart. */
export type StatementSettings = Pick<
  Config,
  | 'definitions'
  | 'queryMs'
  | 'queryMemoryMb'
  | 'queryMaxCalls'
  | 'httpTokens'
  | 'httpTokensFile'
  | 'oauthIssuer'
>;

/**
 * Makes it; nothing of an engine of its own is loaded yet.
 * @param openapi the platform's own description, where it could be read
 */
export function loadStatements(
  config: StatementSettings,
  openapi: unknown,
  given?: SqlEngine,
): LoadedStatements {
  let own: Promise<SqlEngine> | undefined;
  const described = describedColumns(openapi);
  let defined: Promise<Definitions> | undefined;
  const { definitions: folder } = config;
  const definitionsOf = async () => {
    const all = new Catalogue({ toolsets, endpoints }).list();
    const tables = namedTables(all, described, new Set(toolsets));
    const kinds = [...tables].map(([name, table]) => [name, tableKind(table)] as const);
    return readDefinitions(folder ?? '', await parts.engine(), new Map(kinds));
  };
  const parts: StatementParts = {
    ...(folder !== undefined && {
      definitions() {
        defined ??= definitionsOf();
        return defined;
      },
    }),
    async engine() {
      if (given !== undefined) return given;
      own ??= import('../../query/engine.ts').then(
        ({ QueryEngine }) =>
          new QueryEngine({
            seconds: config.queryMs / 1000,
            memoryMb: config.queryMemoryMb,
            isShared: [config.httpTokens, config.httpTokensFile, config.oauthIssuer].some(Boolean),
          }),
      );
      return own;
    },
    memory: createTableMemory(),
    described,
    readArguments,
    maxCalls: config.queryMaxCalls,
  };
  return {
    statementsOf: (services, catalogue, caller) =>
      createStatements(parts, { services, tools: catalogue.list(), caller }),
    problems: async () => (await parts.definitions?.())?.problems ?? [],
    close: async () => (await own)?.close(),
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
