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

interface SqlSettings {
  config: Config;
  /** The platform's own description, where it could be read. */
  openapi?: unknown;
  /** An engine that its maker closes. @default one of its own */
  engine?: SqlEngine | undefined;
  /** Receives each definition that is broken, when they are first read. */
  onProblem?(problem: DefinitionProblem): void;
}

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export class SqlRuntime implements StatementParts {
  readonly kept = new LRUCache<string, string>({ max: 500 });
  readonly readArguments = readArguments;
  readonly maxCalls: number;
  readonly #settings: SqlSettings;
  #engine: Promise<SqlEngine> | undefined;
  #described: ReadonlyMap<string, readonly DescribedColumn[]> | undefined;
  #definitions: Promise<Definitions> | undefined;

  constructor(settings: SqlSettings) {
    this.#settings = settings;
    this.maxCalls = settings.config.queryMaxCalls;
  }

  get described(): ReadonlyMap<string, readonly DescribedColumn[]> {
    if (this.#described !== undefined) return this.#described;
    const columns = responseColumns(this.#settings.openapi);
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
    this.#engine ??= this.#openEngine();
    return this.#engine;
  }

  definitions(): Promise<Definitions> {
    this.#definitions ??= this.#readDefinitions();
    return this.#definitions;
  }

  async close(): Promise<void> {
    if (this.#settings.engine === undefined) await (await this.#engine)?.close();
  }

  async #openEngine(): Promise<SqlEngine> {
    const { engine, config } = this.#settings;
    const isShared = Boolean(config.httpTokens || config.httpTokensFile || config.oauthIssuer);
    return engine ?? openEngine(config, isShared);
  }

  async #readDefinitions(): Promise<Definitions> {
    const { config, onProblem } = this.#settings;
    if (config.definitions === undefined) return { tables: new Map(), problems: [] };
    const all = new Catalogue(toolsets).list();
    const tables = tablesOf(all, this.described, new Set(toolsets));
    const read = await readDefinitions(config.definitions, await this.engine(), tables);
    for (const problem of read.problems) onProblem?.(problem);
    return read;
  }
}

/** An engine with the bounds of a configuration. @param isShared whether callers are distinguished */
export async function openEngine(
  { queryMs, queryMemoryMb: memoryMb }: Pick<Config, 'queryMs' | 'queryMemoryMb'>,
  isShared: boolean,
): Promise<SqlEngine> {
  const { QueryEngine } = await import('../../query/engine.ts');
  return new QueryEngine({ seconds: queryMs / 1000, memoryMb, isShared });
}
