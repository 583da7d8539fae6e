import { toolsets } from '../../endpoints/define.ts';
import type { SqlEngine } from '../../query/engine.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { NotedDays, Services, Statements } from '../services.ts';
import type { AccountSurvey } from '../survey/survey.ts';
import { asStatementError, CallerStatements } from './caller-statements.ts';
import {
  type DefinitionProblem,
  type Definitions,
  readDays,
  readDefinitions,
} from './definitions.ts';
import { tablesOf, unseenTools } from './tables.ts';

/** What statements of all callers share, with the bounds of the configuration. */
interface StatementSettings extends EngineBounds {
  /** Most requests that a statement may need unless it says otherwise. */
  queryMaxCalls: number;
  /** The folder of what the business defined. */
  definitions?: string | undefined;
  isShared: boolean;
  /** An engine that its maker closes. @default one of its own */
  engine?: SqlEngine | undefined;
  survey: AccountSurvey;
  /** What a definition may read. */
  tools: readonly ToolDefinition[];
  /** Receives each definition that is broken, when they are first read. */
  onProblem(problem: DefinitionProblem): void;
}

/** Runs statements of all callers on one engine, which the first of them starts. */
export class StatementRuntime {
  readonly #settings: StatementSettings;
  #engine: Promise<SqlEngine> | undefined;
  #definitions: Promise<Definitions> | undefined;

  constructor(settings: StatementSettings) {
    this.#settings = settings;
  }

  async engine(): Promise<SqlEngine> {
    const { engine, isShared } = this.#settings;
    if (engine) return engine;
    this.#engine ??= openEngine(this.#settings, isShared);
    return this.#engine;
  }

  /** What the business defined; checked over columns that looks find. */
  definitions(isChecked = false): Promise<Definitions> {
    if (isChecked) return this.#readDefinitions(true);
    this.#definitions ??= this.#readDefinitions(false).catch((error: unknown) => {
      // The next statement tries again.
      this.#definitions = undefined;
      throw error;
    });
    return this.#definitions;
  }

  async days(): Promise<NotedDays> {
    const { definitions } = this.#settings;
    return definitions === undefined ? { notes: [] } : readDays(definitions);
  }

  /** The statements of one caller, over the tools that they may use; `caller` tells callers apart. */
  for(
    services: Omit<Services, 'statements'>,
    tools: readonly ToolDefinition[],
    caller: string,
  ): Statements {
    return new CallerStatements(this, this.#settings.queryMaxCalls, services, tools, caller);
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
  }

  async #readDefinitions(isChecked: boolean): Promise<Definitions> {
    const { definitions: folder, onProblem, survey, tools } = this.#settings;
    if (folder === undefined) return { tables: new Map(), problems: [] };
    const whole = survey.forCaller(new Set(toolsets));
    const engine = await this.engine();
    const read = () => {
      const reading = readDefinitions(folder, engine, tablesOf(tools, whole, isChecked));
      return reading.catch((error: unknown) => {
        throw asStatementError(error);
      });
    };
    let definitions = await read();
    if (isChecked) {
      const kinds = [...definitions.tables.values()].map(({ kind }) => kind);
      const sql = kinds.map((kind) => (kind.kind === 'view' ? kind.sql : '')).join(' ');
      const unseen = unseenTools(sql, tablesOf(tools, whole), whole);
      if (unseen.length > 0) {
        await whole.look(unseen);
        definitions = await read();
      }
    }
    if (!isChecked) definitions.problems.forEach(onProblem);
    return definitions;
  }
}

interface EngineBounds {
  queryMs: number;
  queryMemoryMb: number;
}

/** An engine with the bounds of a configuration. @param isShared whether callers are distinguished */
export async function openEngine(
  { queryMs, queryMemoryMb: memoryMb }: EngineBounds,
  isShared: boolean,
): Promise<SqlEngine> {
  const { QueryEngine } = await import('../../query/engine.ts');
  return new QueryEngine({ seconds: queryMs / 1000, memoryMb, isShared });
}
