import { type ParsedPath, parse } from 'node:path';
import { amsterdamIso } from '../../core/calendar.ts';
import { type ErrorCode, messageOf } from '../../core/errors.ts';
import { distinctWarnings, type Warning } from '../../core/warning.ts';
import { toolsets } from '../../endpoints/define.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { QueryError, type QueryErrorCode } from '../../query/errors.ts';
import type { Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { ExplainedError } from '../errors/explain.ts';
import type { Row } from '../rows/rows.ts';
import type { Services, StatementResult, Statements } from '../services.ts';
import type { AccountSurvey } from '../survey/survey.ts';
import {
  type DefinitionProblem,
  type Definitions,
  hasDays,
  readDefinitions,
} from './definitions.ts';
import { openTables } from './statement-tables.ts';
import { type StatementTable, surveyAll, tablesOf, unseenTools } from './tables.ts';

const maxRows = 100_000;

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

  /** What it noted of days; the engine is started for them where there are any. */
  async days(): Promise<Definitions['days']> {
    return hasDays(this.#settings.definitions ?? '') ? (await this.definitions()).days : [];
  }

  /** The statements of one caller, over the tools that they may use; `caller` tells callers apart. */
  for(
    services: Omit<Services, 'statements'>,
    tools: readonly ToolDefinition[],
    caller: string,
  ): Statements {
    return createStatements(this, this.#settings.queryMaxCalls, services, tools, caller);
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
  }

  async #readDefinitions(isChecked: boolean): Promise<Definitions> {
    const { definitions: folder, onProblem, survey, tools } = this.#settings;
    if (folder === undefined) return { tables: new Map(), problems: [], days: [] };
    const whole = survey.forCaller(new Set(toolsets));
    const engine = await this.engine();
    const read = () => {
      const reading = readDefinitions(folder, engine, tablesOf(tools, whole, isChecked));
      return reading.catch((error: unknown) => {
        throw explainFailure(error);
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

/** How long a statement may compute, and in how much memory. */
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

function createStatements(
  runtime: StatementRuntime,
  queryMaxCalls: number,
  others: Omit<Services, 'statements'>,
  tools: readonly ToolDefinition[],
  caller: string,
): Statements {
  const services: Services = {
    ...others,
    statements: {
      ...{ maxCalls: queryMaxCalls, run, tables: describe },
      days: () => runtime.days(),
    },
  };

  /** What the business defined is first, and for callers who have all that it reads. */
  function tablesByName({ tables }: Definitions): ReadonlyMap<string, StatementTable> {
    const all = new Map([...tables, ...tablesOf(tools, services.survey)]);
    for (const [name, { reads = [] }] of all)
      if (!reads.every((it) => all.has(it))) all.delete(name);
    return all;
  }

  async function describe(
    signal?: AbortSignal,
    wanted: readonly string[] = [],
    most = Number.POSITIVE_INFINITY,
  ): Promise<Row[]> {
    const { survey } = services;
    await surveyAll(tablesOf(tools, survey), survey, wanted, most, signal);
    const definitions = await runtime.definitions(true);
    const files = definitions.problems.flatMap(({ file }) => (file === '' ? [] : [file]));
    const broken = files.map((file) => {
      return { name: file, holds: sayBroken(file), arguments: '', columns: '' };
    });
    // Of a list with two names, the plain one comes last.
    const names = new Map([...tablesByName(definitions)].map(([name, table]) => [table, name]));
    const { orderLines } = services;
    const days = names.size > 0 ? await orderLines?.keptDays() : undefined;
    const rows = [...names].map(([table, name]) => {
      const texts = table.describe(services.say);
      const hasKept = days !== undefined && table.tool?.tool === listOrderItems.tool;
      return {
        name,
        ...texts,
        ...(hasKept && { holds: `${texts.holds} Kept for ${services.say(days)}.` }),
      };
    });
    return [...broken, ...rows];
  }

  async function run(sql: string, call: Call, maxCalls = queryMaxCalls): Promise<StatementResult> {
    try {
      return await runOnce(sql, call, maxCalls);
    } catch (error) {
      const { survey } = services;
      const cause = error instanceof ExplainedError ? error.cause : undefined;
      const isRefused = cause instanceof QueryError && cause.code === 'bad_statement';
      const unseen = isRefused ? unseenTools(sql, tablesOf(tools, survey), survey) : [];
      if (unseen.length === 0) throw error;
      // A list or an object of which nothing is known can be used in few ways. What was read is cached.
      await survey.look(unseen, call.signal);
      return runOnce(sql, call, maxCalls);
    }
  }

  async function runOnce(sql: string, call: Call, maxCalls: number): Promise<StatementResult> {
    const definitions = await runtime.definitions();
    const { problems } = definitions;
    const tables = tablesByName(definitions);
    const { provider, tablesRead } = openTables(services, tables, { maxCalls, call });
    const { signal = new AbortController().signal } = call;
    const engine = await runtime.engine();
    const { more, hints, columns, rows, isOrdered, limit, shape } = await engine
      .run({ sql, caller, provider, maxRows, signal })
      .catch((error: unknown) => {
        const isMeant = ({ name }: ParsedPath) => messageOf(error).includes(`no table "${name}"`);
        const broken = problems.find(({ file }) => isMeant(parse(file)));
        throw explainFailure(error, broken && `${sayBroken(broken.file)}.`);
      });
    // Rows that the outer LIMIT cuts are a whole answer; a sum over rows that an inner one cuts is not.
    const isShown = limit !== undefined && columns.every(({ kind }) => /column|other/.test(kind));
    const uses = tablesRead.map(({ use }) => use);
    const warnings = tablesRead.flatMap((table) => table.warnings);
    const isWhole = tablesRead.every(({ cutBy }) => !cutBy || (cutBy === 'limit' && isShown));
    const context = {
      as_of: uses.map(({ as_of }) => as_of).sort()[0] ?? amsterdamIso(call.nowMs),
      ...(uses.some(({ cached }) => cached) && { cached: true as const }),
      tables: uses,
      warnings: distinctWarnings([...(isWhole ? [] : [notWhole]), ...warnings, ...hints]),
    };
    const rest = (more || !isWhole) && { rest: {} };
    const payload = { count: rows.length };
    const answer = { payload, rows, noun: 'rows', context, ...rest };
    return { columns, isOrdered, limit, shape, answer };
  }

  return services.statements;
}

/** All that a caller is told of a broken file: what is in it is not theirs to read. */
function sayBroken(file: string): string {
  return `${parse(file).name || 'The folder of definitions'} is broken; the log and \`doctor\` say why`;
}

const notWhole: Warning = {
  code: 'not_whole',
  text: 'Not every table was read whole (by a LIMIT inside the statement, or by a bound): sums and counts over it are not those of the whole.',
};

function explainFailure(error: unknown, message = messageOf(error)): unknown {
  if (!(error instanceof QueryError)) return error;
  const code = codes[error.code] ?? 'bad_input';
  return new ExplainedError(code, `query: ${message}`, { cause: error });
}

/** What the failures of a statement are called everywhere else. */
const codes: Partial<Record<QueryErrorCode, ErrorCode>> = {
  out_of_memory: 'too_large',
  output_too_large: 'too_large',
  out_of_time: 'timeout',
  overloaded: 'overloaded',
  cancelled: 'cancelled',
  engine_failed: 'upstream_failed',
  engine_unavailable: 'not_offered',
};
