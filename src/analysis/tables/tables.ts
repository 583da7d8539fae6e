import { bucketOf, buckets, weekdayOf } from '../../core/calendar.ts';
import { nest } from '../../core/column-name.ts';
import { type FieldTypes, mergeColumns } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { holidaysIn } from '../../core/holidays.ts';
import { groupBy } from '../../core/json.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { documentedColumns, isOutputArgument, isReport } from '../../endpoints/define.ts';
import type { CallsKind, StatementShape, TableCall, TableKind } from '../../query/provider.ts';
import { isTableTool, type TableTool, type ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services, Survey, ToolColumns } from '../services.ts';
import { enoughRows } from '../shape/shape.ts';
import { behaviourOf } from '../survey/behaviour.ts';
import { tableMessages } from './messages.ts';
import type { TableReport } from './table-reads.ts';
import { columnFacts, factColumns, measuredReport } from './table-rows.ts';
import { describeTool, type TableReader, type TableTexts, tableNotation } from './table-texts.ts';

/** A table that a statement can name: a view, or one whose rows are given by `tool` or by `read`. */
export interface StatementTable {
  kind: TableKind;
  describe(reader: Pick<TableReader, 'isAlone'>): TableTexts;
  tool?: TableTool;
  read?(args: TableCall['args'], reading: Reading): ReadRows | Promise<ReadRows>;
  /** The tables that a view reads: a caller who lacks one of them does not have the view. */
  reads?: readonly string[];
}

/** The statement whose table is read. */
interface Reading {
  services: Services;
  shape: StatementShape;
  nowMs: number;
  maxCalls: number;
  signal: AbortSignal;
}

interface ReadRows {
  rows: readonly Row[];
  report?: TableReport;
}

/**
 * The tables of a caller by name. A reference list has two names; the plain one comes last.
 * @param views for the definitions of views: `read` accepts any column of a tool that describes none; `check` refuses
 * columns that no answer had
 */
export function tablesOf(
  tools: readonly ToolDefinition[],
  survey: Survey,
  views?: 'read' | 'check',
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  for (const tool of tools.filter(isTableTool)) {
    const findings = columnsFor(tool, survey);
    const parameters = Object.keys(tool.input.shape).filter(
      (name) => !isOutputArgument(tool, name),
    );
    const behaviour = behaviourOf[tool.tool];
    tables.set(tool.tool, {
      kind: {
        kind: 'calls',
        arguments: parameters,
        columns: findings.columns,
        documented: findings.documented,
        knownColumns: knownColumns(findings, views),
        facts: columnFacts(tool),
      },
      describe(reader) {
        const text = behaviour && survey.known(behaviour)?.text;
        return describeTool(tool, parameters, findings, text, {
          ...reader,
          isTable: (name) => tables.has(name),
        });
      },
      tool,
    });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  for (const [name, { holds, parameters, columns, read }] of Object.entries(otherTables)) {
    const text = name === 'tables' ? tableNotation : Object.keys(columns ?? {}).join(', ');
    const known = columns ? { columns } : ({ knownColumns: 'some' } as const);
    tables.set(name, {
      kind: { kind: 'calls', arguments: parameters, ...known },
      describe: () => ({ holds, arguments: parameters.join(', '), columns: text }),
      read,
    });
  }
  return tables;
}

function knownColumns(
  { isOpen, isUnseen, rowCount }: ToolColumns,
  views: Parameters<typeof tablesOf>[2],
): NonNullable<CallsKind['knownColumns']> {
  const isClosed = !isOpen || (views === 'check' && rowCount > 0);
  if (isClosed) return rowCount >= enoughRows ? 'all' : 'described';
  if (views || isUnseen) return 'none';
  return rowCount >= enoughRows ? 'most' : 'some';
}

interface OtherTable extends Required<Pick<StatementTable, 'read'>> {
  holds: string;
  parameters: string[];
  columns?: FieldTypes;
}

/** Tables without a tool. */
const otherTables: Readonly<Record<string, OtherTable>> = {
  calendar: {
    holds: 'A row a day; makes no request.',
    parameters: ['period', 'from', 'to'],
    columns: { day: 'day', weekday: 'text', week: 'text', month: 'text', holiday: 'text' },
    read: (args, { shape, nowMs }) => ({ rows: calendarRows(args, shape, nowMs) }),
  },
  result: {
    holds: 'kept rows of an earlier answer',
    parameters: ['id'],
    read: ({ id }, { services }) => keptRows(id, services),
  },
  tables: {
    holds: 'these descriptions',
    parameters: [],
    columns: { name: 'text', holds: 'text', arguments: 'text', columns: 'text' },
    async read(_, { services, shape, maxCalls, signal }) {
      const names = shape.tables.length === 1 ? (shape.equalTo.get('name') ?? []) : [];
      return { rows: await services.statements.tables(signal, names, maxCalls) };
    },
  },
};

async function keptRows(given: unknown, { results }: Services): Promise<ReadRows> {
  if (typeof given !== 'string') throw new InputError(tableMessages.kept_rows_take_id());
  const { id, rows, rest, context, ...toolCall } = await results.get(given);
  const { period, as_of, warnings = [] } = context;
  const use = {
    table: 'result',
    tool: toolCall.tool,
    arguments: toolCall.arguments,
    period,
    as_of,
    complete: rest === undefined,
    rows: rows.length,
    calls: 0,
    cached: true as const,
    result: id,
  };
  return { rows, report: { use, warnings, cutBy: rest && 'bound' } };
}

const maxDays = 20_000;

/**
 * The days of one or several periods, each once, to join with lists that lack rows for some days. Weeks and months have
 * the labels of turnover_trend's buckets.
 * @throws {InputError} for a wrong period
 */
function calendarRows(
  args: TableCall['args'],
  { comparedWith }: Pick<StatementShape, 'comparedWith'>,
  nowMs: number,
): Row[] {
  const [from, to] = [args.from, args.to].map(textOf);
  const days = new Set<string>();
  try {
    for (const word of [args.period].flat()) {
      const period = resolvePeriod({ period: textOf(word), from, to }, nowMs);
      for (const { bucket } of buckets(period, 'day', maxDays)) days.add(bucket);
      if (days.size > maxDays)
        throw new InputError(tableMessages.calendar_too_long({ max: maxDays }));
    }
  } catch (error) {
    if (!(error instanceof InputError) || Object.keys(args).length > 0) throw error;
    const call = { table: 'calendar', argument: 'period', value: comparedWith.get('period')?.[0] };
    throw new InputError(tableMessages.table_failed({ reason: error.reason.text, call }));
  }
  const sorted = [...days].sort();
  const all = { from: sorted[0] ?? '', to: sorted.at(-1) ?? '' };
  const holidays = groupBy(holidaysIn(all), ({ day }) => day);
  return sorted.map((day) => ({
    day,
    weekday: weekdayOf(day),
    week: bucketOf(day, 'week'),
    month: bucketOf(day, 'month'),
    holiday:
      holidays
        .get(day)
        ?.map(({ name }) => name)
        .join(', ') ?? null,
  }));
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Asks for the answers that descriptions of tables need. @param names the tables; empty for all */
export async function lookAtTables(
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
  names: readonly string[],
  maxCalls: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const chosen = [...tables].filter(([name]) => names.length === 0 || names.includes(name));
  const tools = [...new Set(chosen.flatMap(([, { tool }]) => tool ?? []))];
  const sources = tools.map(columnSource);
  const looks = sources.filter((tool) => isUnseen(survey.columnsOf(tool))).length;
  if (looks > maxCalls)
    throw new InputError(tableMessages.too_many_looks({ looks, maxCalls }), 'max_calls');
  const behaviours = tools.flatMap(({ tool }) => behaviourOf[tool] ?? []);
  await Promise.all([
    survey.look(sources, signal),
    ...behaviours.map((name) => survey.behaviour(name, signal)),
  ]);
}

/** Asks for answers that show the columns of views. */
export function lookAtViews(
  views: Iterable<StatementTable>,
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
): Promise<void> {
  const names = [...views].flatMap(({ reads = [] }) => reads);
  return survey.look(names.flatMap((name) => tables.get(name)?.tool ?? []).map(columnSource));
}

/** The tools of the tables and views in a statement's text whose columns no answer has shown. */
export function unseenTools(
  sql: string,
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
): string[] {
  const words = new Set(sql.toLowerCase().split(/\W+/));
  const named = [...tables].filter(([name]) => words.has(name));
  const names = named.flatMap(([name, { reads = [] }]) => [name, ...reads]);
  const tools = names.flatMap((name) => tables.get(name)?.tool ?? []).map(columnSource);
  const findings = new Map(tools.map((tool) => [tool, survey.columnsOf(tool)]));
  return [...findings].filter(([, each]) => each.isOpen && isUnseen(each)).map(([tool]) => tool);
}

function columnsFor(tool: TableTool, survey: Survey): ToolColumns {
  const { columns, ...findings } = survey.columnsOf(columnSource(tool));
  if (isReport(tool)) {
    const facts = factColumns(tool);
    return { ...findings, columns: facts, documented: facts, isOpen: !('line' in facts) };
  }
  const documented = documentedColumns(tool.output);
  if (measuredReport(tool) === undefined)
    return {
      ...findings,
      columns: nest(mergeColumns(documented, columns)),
      documented: nest(mergeColumns(documented, findings.documented)),
    };
  const paths = findings.measures.flatMap(({ path, names }) =>
    names.map((name) => `${path}.${name}`),
  );
  const measures = nest(Object.fromEntries(paths.map((path) => [path, 'decimal' as const])));
  return {
    ...findings,
    measures: [],
    columns: { ...documented, ...measures },
    documented,
    isOpen: true,
  };
}

/** The tool whose answers show the columns; for a trend its report. */
function columnSource(tool: TableTool): string {
  return measuredReport(tool) ?? tool.tool;
}

function isUnseen({ rowCount, failed }: ToolColumns): boolean {
  return rowCount === 0 && failed === undefined;
}
