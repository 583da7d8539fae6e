/** Statements: what all callers share, which is an engine and the business's definitions, and those of each caller. */
import { parse } from 'node:path';
import { amsterdamIso } from '../../core/calendar.ts';
import { distinctWarnings, type Warning } from '../../core/message.ts';
import { toolsets } from '../../endpoints/define.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { QueryResult, SqlEngine } from '../../query/engine.ts';
import { QueryError } from '../../query/errors.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { NotedDays, Services, StatementResult, Statements } from '../services.ts';
import type { AccountSurvey } from '../survey/survey.ts';
import {
  type DefinitionProblem,
  type Definitions,
  readDays,
  readDefinitions,
} from './definitions.ts';
import { StatementTables } from './statement-tables.ts';
import { type StatementTable, surveyAll, tablesOf, unseenTools } from './tables.ts';

declare module '../../core/message.ts' {
  interface Messages {
    /** The column is empty in rows of totals. */
    rows_of_totals: object;
    /** A file of the business that callers do not get to see cannot be used. */
    broken_table: { table: string };
  }
}

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

const maxRows = 100_000;

class CallerStatements implements Statements {
  readonly maxCalls: number;
  readonly #runtime: StatementRuntime;
  readonly #services: Services;
  readonly #tools: readonly ToolDefinition[];
  /** Tells callers apart. */
  readonly #caller: string;

  constructor(
    runtime: StatementRuntime,
    maxCalls: number,
    services: Omit<Services, 'statements'>,
    tools: readonly ToolDefinition[],
    caller: string,
  ) {
    this.maxCalls = maxCalls;
    this.#runtime = runtime;
    this.#services = { ...services, statements: this };
    this.#tools = tools;
    this.#caller = caller;
  }

  days(): Promise<NotedDays> {
    return this.#runtime.days();
  }

  async tables(
    signal?: AbortSignal,
    wanted: readonly string[] = [],
    maxCalls = Number.POSITIVE_INFINITY,
  ): Promise<Row[]> {
    const { survey, orderLines, say } = this.#services;
    await surveyAll(tablesOf(this.#tools, survey), survey, wanted, maxCalls, signal);
    const definitions = await this.#runtime.definitions(true);
    const broken = definitions.problems.flatMap(({ file = '', reason }) => {
      const holds = `${parse(file).name} is broken; the log and \`doctor\` say why`;
      const isLeftOut = file !== '' && reason.code !== 'rows_unread';
      return isLeftOut ? [{ name: file, holds, arguments: '', columns: '' }] : [];
    });
    // Of a list with two names, the plain one comes last.
    const names = new Map(
      [...this.#tablesByName(definitions)].map(([name, table]) => [table, name]),
    );
    const days = names.size > 0 ? await orderLines?.keptDays() : undefined;
    const rows = [...names].map(([table, name]) => {
      const texts = table.describe({ say, isAlone: wanted.length > 0 });
      const hasKept = days !== undefined && table.tool?.tool === listOrderItems.tool;
      const holds = hasKept ? `${texts.holds} Kept for ${say(days)}.` : texts.holds;
      return { name, ...texts, holds };
    });
    return [...broken, ...rows];
  }

  async run(sql: string, call: Call, maxCalls = this.maxCalls): Promise<StatementResult> {
    try {
      return await this.#runOnce(sql, call, maxCalls);
    } catch (error) {
      const { survey } = this.#services;
      const cause = error instanceof ExplainedError ? error.cause : undefined;
      const isRefused =
        cause instanceof QueryError &&
        /^(engine_refuses|condition_unknown|unknown_column)$/.test(cause.reason.code);
      if (!isRefused) throw error;
      const tables = this.#tablesByName(await this.#runtime.definitions());
      const unseen = unseenTools(sql, tables, survey);
      if (unseen.length === 0) throw error;
      // What is in a list, an object or a whole row, its tree does not always tell. What was read is cached.
      await survey.look(unseen, call.signal);
      return this.#runOnce(sql, call, maxCalls);
    }
  }

  async #runOnce(sql: string, call: Call, maxCalls: number): Promise<StatementResult> {
    const definitions = await this.#runtime.definitions();
    const tables = this.#tablesByName(definitions);
    const provider = new StatementTables(this.#services, tables, { maxCalls, call });
    const { signal = new AbortController().signal } = call;
    const engine = await this.#runtime.engine();
    call.onProgress?.({ done: 0, message: 'computing' });
    const result = await engine
      .run({ sql, caller: this.#caller, provider, maxRows, signal })
      .catch((error: unknown) => {
        throw brokenTable(error, definitions) ?? asStatementError(error);
      });
    return resultOf(result, provider, call.nowMs);
  }

  /** What the business defined is first, and for callers who have all that it reads. */
  #tablesByName({ tables }: Definitions): ReadonlyMap<string, StatementTable> {
    const all = new Map([...tables, ...tablesOf(this.#tools, this.#services.survey)]);
    for (const [name, { reads = [] }] of all)
      if (!reads.every((it) => all.has(it))) all.delete(name);
    return all;
  }
}

function brokenTable(error: unknown, { problems }: Definitions): ExplainedError | undefined {
  const reason = error instanceof QueryError ? error.reason : undefined;
  const name = reason?.code === 'unknown_table' ? reason.name : undefined;
  const isBroken = problems.some(({ file = '' }) => parse(file).name === name);
  if (name === undefined || !isBroken) return undefined;
  return new ExplainedError('bad_input', { code: 'broken_table', table: name });
}

function resultOf(
  { rows, more, hints, ...about }: QueryResult,
  { reports, unread }: StatementTables,
  nowMs: number,
): StatementResult {
  const { columns, limit, shape, isOrdered } = about;
  // Rows that the outer LIMIT cuts are a whole answer; a sum over rows that an inner one cuts is not.
  const isShown = limit !== undefined && columns.every(({ kind }) => /column|other/.test(kind));
  const uses = reports.map(({ use }) => use);
  const warnings = [...reports.flatMap((report) => report.warnings), ...unread];
  const isWhole = reports.every(({ cutBy }) => !cutBy || (cutBy === 'limit' && isShown));
  const notWhole: Warning[] = isWhole ? [] : [{ code: 'not_whole', why: 'table_cut' }];
  const totals = shape.totalled.map((name) => [name, { code: 'rows_of_totals' } as const]);
  const context = {
    as_of: uses.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    ...(uses.some(({ cached }) => cached) && { cached: true as const }),
    tables: uses,
    ...(totals.length > 0 && { definitions: Object.fromEntries(totals) }),
    warnings: distinctWarnings([...notWhole, ...warnings, ...hints]),
  };
  const rest = more || !isWhole ? {} : undefined;
  const found = { payload: { count: rows.length }, rows, noun: 'rows', rest };
  return { columns, isOrdered, limit, shape, found, context };
}

function asStatementError(error: unknown): unknown {
  if (!(error instanceof QueryError)) return error;
  return new ExplainedError(error.code, error.reason, { cause: error });
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
