import { parse } from 'node:path';
import { amsterdamIso } from '../../core/calendar.ts';
import { distinctWarnings, isMessageOf } from '../../core/message.ts';
import { toolsets } from '../../endpoints/define.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { QueryResult, SqlEngine } from '../../query/engine.ts';
import { QueryError, queryMessages } from '../../query/messages.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { NotedDays, Services, StatementResult, Statements, Survey } from '../services.ts';
import type { AccountSurvey } from '../survey/survey.ts';
import {
  type DefinitionProblem,
  type Definitions,
  readDays,
  readDefinitions,
  tableReader,
} from './definitions.ts';
import { tableMessages } from './messages.ts';
import { StatementTables } from './statement-tables.ts';
import type { TableReport } from './table-reads.ts';
import { lookAtTables, lookAtViews, type StatementTable, tablesOf, unseenTools } from './tables.ts';

interface StatementSettings extends EngineBounds {
  /** Bound for the requests of a statement without `max_calls`. */
  queryMaxCalls: number;
  /** The folder of the business's definitions. */
  definitions?: string | undefined;
  isShared: boolean;
  /** @default an engine of its own; one that is passed in is closed by the caller */
  engine?: SqlEngine | undefined;
  survey: AccountSurvey;
  /** The tools that definitions may read. */
  tools: readonly ToolDefinition[];
  /** Called for each problem when the definitions are first read. */
  onProblem(problem: DefinitionProblem): void;
}

/** Runs statements of all callers on one engine, which the first statement starts. */
export class StatementRuntime {
  readonly #settings: StatementSettings;
  readonly #readTable = tableReader();
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

  definitions(): Promise<Definitions> {
    this.#definitions ??= this.#readDefinitions('read').catch((error: unknown) => {
      // The next statement tries again.
      this.#definitions = undefined;
      throw error;
    });
    return this.#definitions;
  }

  /** The present definitions, read once answers have shown the columns that views need. */
  async checkedDefinitions(): Promise<Definitions> {
    const { tables } = await this.definitions();
    const { tools } = this.#settings;
    await lookAtViews(tables.values(), tablesOf(tools, this.#survey), this.#survey);
    return this.#readDefinitions('check');
  }

  async days(): Promise<NotedDays> {
    const { definitions } = this.#settings;
    return definitions === undefined ? { notes: [] } : readDays(definitions, this.#readTable);
  }

  /** @param tools those that the caller may use */
  forCaller(
    services: Omit<Services, 'statements'>,
    tools: readonly ToolDefinition[],
    caller: string,
  ): Statements {
    return statementsOf(this, this.#settings.queryMaxCalls, services, tools, caller);
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
  }

  /** Knows all tools, whatever a caller may use. */
  get #survey(): Survey {
    return this.#settings.survey.forCaller(new Set(toolsets));
  }

  async #readDefinitions(views: 'read' | 'check'): Promise<Definitions> {
    const { definitions: folder, onProblem, tools } = this.#settings;
    if (folder === undefined) return { tables: new Map(), problems: [] };
    const tables = tablesOf(tools, this.#survey, views);
    const definitions = await readDefinitions(folder, await this.engine(), tables, this.#readTable);
    if (views === 'read') definitions.problems.forEach(onProblem);
    return definitions;
  }
}

const maxRows = 100_000;

function statementsOf(
  runtime: StatementRuntime,
  maxCalls: number,
  others: Omit<Services, 'statements'>,
  tools: readonly ToolDefinition[],
  caller: string,
): Statements {
  const { survey, orderLines } = others;
  const allTables = (definitions: Definitions) =>
    addDefinitions(definitions, tablesOf(tools, survey));
  const statements: Statements = {
    maxCalls,
    days: () => runtime.days(),

    async tables(signal, names = [], max = Number.POSITIVE_INFINITY) {
      await lookAtTables(tablesOf(tools, survey), survey, names, max, signal);
      const definitions = await runtime.checkedDefinitions();
      const days = await orderLines?.keptDays();
      // A reference list has two names; the later one, `shops`, stays.
      const nameOf = new Map([...allTables(definitions)].map(([name, table]) => [table, name]));
      const rows = [...nameOf].map(([table, name]) => {
        const texts = table.describe({ isAlone: names.length > 0 });
        const hasKept = days !== undefined && table.tool?.tool === listOrderItems.tool;
        const holds = hasKept ? `${texts.holds} Kept for ${days}.` : texts.holds;
        return { name, ...texts, holds };
      });
      return [...brokenRows(definitions), ...rows];
    },

    run: (sql, call, max = maxCalls) =>
      runOnce(sql, call, max).catch(async (error: unknown) => {
        const code = error instanceof QueryError ? error.reason.code : '';
        if (code !== 'unknown_column' && code !== 'engine_refuses') throw error;
        const tools = unseenTools(sql, allTables(await runtime.definitions()), survey);
        if (tools.length === 0) throw error;
        // Calls without rows show no columns; other answers may. Rows that were read are cached.
        await survey.look(tools, call.signal);
        return runOnce(sql, call, max);
      }),
  };
  const services: Services = { ...others, statements };

  async function runOnce(sql: string, call: Call, max: number): Promise<StatementResult> {
    const definitions = await runtime.definitions();
    const provider = new StatementTables(services, allTables(definitions), call, max);
    const { signal = new AbortController().signal } = call;
    const engine = await runtime.engine();
    call.onProgress?.({ done: 0, message: 'computing' });
    const running = engine.run({ sql, caller, provider, maxRows, signal });
    const result = await running.catch((error: unknown) => {
      throw brokenTable(error, definitions) ?? error;
    });
    return resultOf(result, provider, await provider.reports());
  }

  return statements;
}

/** Puts definitions before the tables of tools, except those that read a table which the caller lacks. */
function addDefinitions({ tables }: Definitions, toolTables: ReadonlyMap<string, StatementTable>) {
  const all = new Map([...tables, ...toolTables]);
  for (const [name, { reads = [] }] of all)
    if (!reads.every((table) => all.has(table))) all.delete(name);
  return all;
}

function brokenRows({ problems }: Definitions) {
  return problems.flatMap(({ file = '', reason }) => {
    const holds = tableMessages.broken_table({ table: parse(file).name }).text;
    // Callers cannot mend unknown columns; doctor reports them.
    const isLeftOut = file !== '' && !/^(rows_unread|unknown_column)$/.test(reason.code);
    return isLeftOut ? [{ name: file, holds, arguments: '', columns: '' }] : [];
  });
}

function brokenTable(error: unknown, { problems }: Definitions): QueryError | undefined {
  const reason = error instanceof QueryError ? error.reason : undefined;
  if (!isMessageOf(queryMessages, reason) || reason.code !== 'unknown_table') return undefined;
  const { name: table } = reason;
  const isBroken = problems.some(({ file = '' }) => parse(file).name === table);
  return isBroken ? new QueryError(tableMessages.broken_table({ table })) : undefined;
}

function resultOf(
  { rows, more, hints, ...about }: QueryResult,
  { nowMs }: StatementTables,
  reports: readonly TableReport[],
): StatementResult {
  const { columns, limit, shape, isOrdered } = about;
  // Rows cut by the statement's own LIMIT are complete; a sum over rows that an inner LIMIT cuts is not.
  const isOwnLimit =
    limit !== undefined && columns.every(({ kind }) => kind === 'column' || kind === 'other');
  const uses = reports.flatMap(({ use }) => use ?? []);
  const cut = reports.filter(({ cutBy }) => cutBy && !(cutBy === 'limit' && isOwnLimit));
  const tables = cut.flatMap(({ use }) => (use ? [{ table: use.table, rows: use.rows }] : []));
  const isComplete = cut.length === 0;
  const cutWarnings = isComplete ? [] : [tableMessages.not_whole({ why: 'table_cut', tables })];
  const context = {
    as_of: uses.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(nowMs),
    cached: uses.some(({ cached }) => cached) ? (true as const) : undefined,
    tables: uses,
    warnings: distinctWarnings([
      ...cutWarnings,
      ...reports.flatMap(({ warnings }) => warnings),
      ...hints,
    ]),
  };
  const rest = more || !isComplete ? {} : undefined;
  const found = { payload: { count: rows.length }, rows, noun: 'rows', rest };
  return { columns, isOrdered, limit, shape, found, context };
}

interface EngineBounds {
  queryMs: number;
  queryMemoryMb: number;
}

/** @param isShared whether callers are distinguished */
export async function openEngine(
  { queryMs, queryMemoryMb: memoryMb }: EngineBounds,
  isShared: boolean,
): Promise<SqlEngine> {
  const { QueryEngine } = await import('../../query/engine.ts');
  return new QueryEngine({ seconds: queryMs / 1000, memoryMb, isShared });
}
