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

/** The settings that statements run by, and those by which callers are told apart. */
type StatementSettings = Pick<
  Config,
  | 'definitions'
  | 'queryMs'
  | 'queryMemoryMb'
  | 'queryMaxCalls'
  | 'httpTokens'
  | 'httpTokensFile'
  | 'oauthIssuer'
>;

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export class StatementRoom implements StatementParts {
  readonly memory = createTableMemory();
  readonly readArguments = readArguments;
  readonly #config: StatementSettings;
  readonly #openapi: unknown;
  readonly #given: SqlEngine | undefined;
  #engine: Promise<SqlEngine> | undefined;
  #described: ReadonlyMap<string, readonly DescribedColumn[]> | undefined;
  #definitions: Promise<Definitions> | undefined;

  /**
   * @param openapi the platform's own description, where it could be read
   * @param given an engine that whoever made it closes
   */
  constructor(config: StatementSettings, openapi?: unknown, given?: SqlEngine) {
    this.#config = config;
    this.#openapi = openapi;
    this.#given = given;
  }

  /** The statements of one caller, over the tools that their catalogue has. */
  statementsOf(
    services: Omit<Services, 'statements'>,
    catalogue: Catalogue,
    caller: string,
  ): Statements {
    return createStatements(this, { services, tools: catalogue.list(), caller });
  }

  get maxCalls(): number {
    return this.#config.queryMaxCalls;
  }

  get described(): ReadonlyMap<string, readonly DescribedColumn[]> {
    this.#described ??= describedColumns(this.#openapi);
    return this.#described;
  }

  engine(): Promise<SqlEngine> {
    const { queryMs, queryMemoryMb: memoryMb, ...callers } = this.#config;
    const isShared = Boolean(callers.httpTokens || callers.httpTokensFile || callers.oauthIssuer);
    this.#engine ??= this.#given
      ? Promise.resolve(this.#given)
      : import('../../query/engine.ts').then(
          ({ QueryEngine }) => new QueryEngine({ seconds: queryMs / 1000, memoryMb, isShared }),
        );
    return this.#engine;
  }

  async definitions(): Promise<Definitions | undefined> {
    const { definitions: folder } = this.#config;
    if (folder === undefined) return undefined;
    this.#definitions ??= this.#readDefinitions(folder);
    return this.#definitions;
  }

  /** What is wrong with the business's own definitions. */
  async problems(): Promise<readonly DefinitionProblem[]> {
    return (await this.definitions())?.problems ?? [];
  }

  async close(): Promise<void> {
    if (this.#given === undefined) await (await this.#engine)?.close();
  }

  async #readDefinitions(folder: string): Promise<Definitions> {
    const all = new Catalogue({ toolsets, endpoints }).list();
    const tables = namedTables(all, this.described, new Set(toolsets));
    const kinds = [...tables].map(([name, table]) => [name, tableKind(table)] as const);
    return readDefinitions(folder, await this.engine(), new Map(kinds));
  }
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
