import { LRUCache } from 'lru-cache';
import type { AccountSurvey } from '../../analysis/survey/survey.ts';
import {
  type DefinitionProblem,
  type Definitions,
  hasDays,
  readDefinitions,
} from '../../analysis/tables/definitions.ts';
import type { StatementParts } from '../../analysis/tables/statement-tables.ts';
import { lookerAt, tablesOf } from '../../analysis/tables/tables.ts';
import type { Config } from '../../config.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { readArguments } from '../tools/arguments.ts';
import { Catalogue } from '../tools/catalogue.ts';

interface SqlSettings {
  config: Config;
  /** What is known of the account. */
  survey: AccountSurvey;
  /** An engine that its maker closes. @default one of its own */
  engine?: SqlEngine | undefined;
  /** Receives each definition that is broken, when they are first read. */
  onProblem(problem: DefinitionProblem): void;
}

/** What statements of all callers share: one engine, which the first of them starts, and what was read. */
export class SqlRuntime implements StatementParts {
  readonly kept = new LRUCache<string, string>({ max: 500 });
  readonly readArguments = readArguments;
  readonly maxCalls: number;
  readonly #settings: SqlSettings;
  #engine: Promise<SqlEngine> | undefined;
  #definitions: Promise<Definitions> | undefined;

  constructor(settings: SqlSettings) {
    this.#settings = settings;
    this.maxCalls = settings.config.queryMaxCalls;
  }

  async engine(): Promise<SqlEngine> {
    const { engine, config } = this.#settings;
    if (engine) return engine;
    const isShared = Boolean(config.httpTokens || config.httpTokensFile || config.oauthIssuer);
    this.#engine ??= openEngine(config, isShared);
    return this.#engine;
  }

  definitions(isChecked = false): Promise<Definitions> {
    if (isChecked) return this.#readDefinitions(true);
    this.#definitions ??= this.#readDefinitions(false);
    return this.#definitions;
  }

  async days(): Promise<Definitions['days']> {
    const { definitions = '' } = this.#settings.config;
    // Without this file there is nothing to start an engine for.
    return hasDays(definitions) ? (await this.definitions()).days : [];
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
  }

  async #readDefinitions(isChecked: boolean): Promise<Definitions> {
    const { config, onProblem, survey } = this.#settings;
    if (config.definitions === undefined) return { tables: new Map(), problems: [], days: [] };
    const whole = survey.forCaller(new Set(toolsets));
    const tables = tablesOf(new Catalogue(toolsets).list(), whole);
    const lookAt = isChecked ? lookerAt(tables, whole) : undefined;
    const read = await readDefinitions(config.definitions, await this.engine(), tables, lookAt);
    if (!isChecked) read.problems.forEach(onProblem);
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
