import { LRUCache } from 'lru-cache';
import type { Services, Statements } from '../../analysis/services.ts';
import {
  type DefinitionProblem,
  type Definitions,
  readDefinitions,
} from '../../analysis/tables/definitions.ts';
import { createStatements } from '../../analysis/tables/run-statements.ts';
import type { StatementParts } from '../../analysis/tables/statement-tables.ts';
import { tablesOf } from '../../analysis/tables/tables.ts';
import type { Config } from '../../config.ts';
import { toolsets } from '../../endpoints/define.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type DescribedColumn, pathKey, responseColumns } from '../../endpoints/openapi.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { readArguments } from '../tools/arguments.ts';
import { Catalogue } from '../tools/catalogue.ts';

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export class StatementRoom implements StatementParts {
  readonly kept = new LRUCache<string, string>({ max: 500 });
  readonly readArguments = readArguments;
  readonly maxCalls: number;
  readonly #config: Config;
  readonly #openapi: unknown;
  readonly #given: SqlEngine | undefined;
  readonly #onProblem: (problem: DefinitionProblem) => void;
  #engine: Promise<SqlEngine> | undefined;
  #described: ReadonlyMap<string, readonly DescribedColumn[]> | undefined;
  #definitions: Promise<Definitions> | undefined;

  /**
   * @param openapi the platform's own description, where it could be read
   * @param given an engine that its maker closes
   * @param onProblem is told of each definition that is broken, when they are first read
   */
  constructor(
    config: Config,
    openapi?: unknown,
    given?: SqlEngine,
    onProblem: (problem: DefinitionProblem) => void = () => {},
  ) {
    this.#config = config;
    this.#openapi = openapi;
    this.#given = given;
    this.#onProblem = onProblem;
    this.maxCalls = config.queryMaxCalls;
  }

  get described(): ReadonlyMap<string, readonly DescribedColumn[]> {
    if (this.#described !== undefined) return this.#described;
    const columns = responseColumns(this.#openapi);
    const ofTools = endpoints.map(({ path, tool }) => [tool, columns.get(pathKey(path))] as const);
    this.#described = new Map(ofTools.flatMap(([tool, found]) => (found ? [[tool, found]] : [])));
    return this.#described;
  }

  /** The statements of one caller, over the tools that their catalogue has. */
  statementsOf(
    services: Omit<Services, 'statements'>,
    catalogue: Catalogue,
    caller: string,
  ): Statements {
    return createStatements(this, services, catalogue.list(), caller);
  }

  engine(): Promise<SqlEngine> {
    this.#engine ??= this.#given ? Promise.resolve(this.#given) : this.#start();
    return this.#engine;
  }

  definitions(): Promise<Definitions> {
    this.#definitions ??= this.#readDefinitions().then((read) => {
      for (const problem of read.problems) this.#onProblem(problem);
      return read;
    });
    return this.#definitions;
  }

  async close(): Promise<void> {
    if (this.#given === undefined) await (await this.#engine)?.close();
  }

  async #start(): Promise<SqlEngine> {
    const {
      queryMs,
      queryMemoryMb: memoryMb,
      httpTokens,
      httpTokensFile,
      oauthIssuer,
    } = this.#config;
    const { QueryEngine } = await import('../../query/engine.ts');
    const isShared = Boolean(httpTokens || httpTokensFile || oauthIssuer);
    return new QueryEngine({ seconds: queryMs / 1000, memoryMb, isShared });
  }

  async #readDefinitions(): Promise<Definitions> {
    const { definitions: folder } = this.#config;
    if (folder === undefined) return { tables: new Map(), problems: [] };
    const all = new Catalogue(toolsets).list();
    const tables = tablesOf(all, this.described, new Set(toolsets));
    return readDefinitions(folder, await this.engine(), tables);
  }
}
