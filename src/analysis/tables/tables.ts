/** The tables of a caller: each tool that answers with rows, a record or a report, what is kept, and days. */
import { bucketOf, buckets, weekdayOf } from '../../core/calendar.ts';
import { nest } from '../../core/column-name.ts';
import { type FieldTypes, mergeColumns } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { holidaysIn } from '../../core/holidays.ts';
import { groupBy } from '../../core/json.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { documentedColumns, isOutputArgument } from '../../endpoints/define.ts';
import type { StatementShape, TableCall, TableKind } from '../../query/provider.ts';
import { isTable, type TableTool, type ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Survey, ToolColumns } from '../shape/known-account.ts';
import { enoughRows } from '../shape/shape.ts';
import { behaviourOf } from '../survey/behaviour.ts';
import { tableMessages } from './messages.ts';
import type { OwnTable } from './own-tables.ts';
import { columnFacts, factColumns, isReport, measuredReport } from './table-rows.ts';
import { describeTool, type TableReader, type TableTexts, tableNotation } from './table-texts.ts';

/** What a name in FROM means. */
export interface StatementTable {
  /** As the engine takes it. */
  kind: TableKind;
  /** As `tables` shows it. */
  describe(reader: Pick<TableReader, 'isAlone'>): TableTexts;
  /** What gives its rows; undefined for kept rows, days, the tables themselves, and what a business defined. */
  tool?: TableTool;
  /** The tables that it is made from: a caller who lacks one of them does not have it. */
  reads?: readonly string[];
  /** The rows of a business's own table. */
  read?(): Promise<OwnTable>;
}

/**
 * The tables of a caller by their names, with what is known of them; a reference list has two, the plain one last.
 * @param use a view over rows that none has shown is not refused; where it is checked, those seen have no other columns
 */
export function tablesOf(
  tools: readonly ToolDefinition[],
  survey: Survey,
  use?: 'of views' | 'to check views',
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  for (const tool of tools.filter(isTable)) {
    const known = knownColumns(tool, survey);
    const isChecked = use === 'to check views';
    const isOpen = known.isOpen && !(isChecked && known.looked > 0);
    const isUnseen = use ? isOpen : known.isUnseen;
    const parameters = Object.keys(tool.input.shape).filter(
      (name) => !isOutputArgument(tool, name),
    );
    const behaviour = behaviourOf[tool.tool];
    tables.set(tool.tool, {
      kind: {
        kind: 'calls',
        arguments: parameters,
        columns: known.columns,
        documented: known.documented,
        isOpen,
        isUnseen,
        ...(known.looked >= enoughRows && { isShown: true }),
        facts: columnFacts(tool),
      },
      describe(reader) {
        const found = behaviour && survey.known(behaviour)?.text;
        return describeTool(tool, parameters, known, found, {
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
  for (const [name, { holds, parameters, columns }] of Object.entries(otherTables)) {
    const names = Object.keys(columns ?? {}).join(', ');
    const shown = name === 'tables' ? tableNotation : names;
    tables.set(name, {
      kind: { kind: 'calls', arguments: parameters, ...(columns && { columns }) },
      describe: () => ({ holds, arguments: parameters.join(', '), columns: shown }),
    });
  }
  return tables;
}

interface OtherTable {
  holds: string;
  parameters: string[];
  columns?: FieldTypes;
}

/** The tables that are no tool's. */
const otherTables: Readonly<Record<string, OtherTable>> = {
  calendar: {
    holds: 'A row a day; asks nothing.',
    parameters: ['period', 'from', 'to'],
    columns: { day: 'day', weekday: 'text', week: 'text', month: 'text', holiday: 'text' },
  },
  result: { holds: 'kept rows of an earlier answer', parameters: ['id'] },
  tables: {
    holds: 'this',
    parameters: [],
    columns: { name: 'text', holds: 'text', arguments: 'text', columns: 'text' },
  },
};

const maxDays = 20_000;

/**
 * The days of a period, or of each of several, once: what no list has a row for is joined with them. Weeks and months
 * are called as the buckets of turnover_trend are, Dutch holidays by name.
 * @throws {InputError} for what is no period
 */
export function calendarRows(
  { args }: Pick<TableCall, 'args'>,
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

/**
 * Looks at all that is said of tables.
 * @param names of some of them; of all where it is empty
 */
export async function lookAtTables(
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
  names: readonly string[],
  maxCalls: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const some = [...tables].filter(([name]) => names.length === 0 || names.includes(name));
  const tools = [...new Set(some.flatMap(([, { tool }]) => tool ?? []))];
  const shown = tools.map(columnsFrom);
  const looks = shown.filter((tool) => isUnseen(survey.columnsOf(tool))).length;
  if (looks > maxCalls)
    throw new InputError(tableMessages.too_many_looks({ looks, maxCalls }), 'max_calls');
  const behaviours = tools.flatMap(({ tool }) => behaviourOf[tool] ?? []);
  await Promise.all([
    survey.look(shown, signal),
    ...behaviours.map((name) => survey.behaviour(name, signal)),
  ]);
}

/** What to look at for a statement that needs the types of columns: tools of tables and views in its text, unseen so far. */
export function unseenTools(
  sql: string,
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
): string[] {
  const words = new Set(sql.toLowerCase().split(/\W+/));
  const named = [...tables].filter(([name]) => words.has(name));
  const read = new Set(named.flatMap(([name, { reads = [] }]) => [name, ...reads]));
  const tools = [...tables].flatMap(([name, { tool }]) => (tool && read.has(name) ? tool : []));
  return tools.map(columnsFrom).filter((tool) => {
    const known = survey.columnsOf(tool);
    return known.isOpen && isUnseen(known);
  });
}

function knownColumns(tool: TableTool, survey: Survey): ToolColumns {
  const { columns, ...known } = survey.columnsOf(columnsFrom(tool));
  if (isReport(tool)) {
    const ofFacts = factColumns(tool);
    return { ...known, columns: ofFacts, documented: ofFacts, isOpen: !('line' in ofFacts) };
  }
  const documented = documentedColumns(tool.output);
  if (measuredReport(tool) === undefined)
    return {
      ...known,
      columns: nest(mergeColumns(documented, columns)),
      documented: nest(mergeColumns(documented, known.documented)),
    };
  const names = known.measures.flatMap((it) => it.names.map((name) => `${it.path}.${name}`));
  const measures = nest(Object.fromEntries(names.map((name) => [name, 'decimal' as const])));
  return {
    ...known,
    measures: [],
    columns: { ...documented, ...measures },
    documented,
    isOpen: true,
  };
}

/** The tool whose answers show the columns: a trend has the measures of its report. */
function columnsFrom(tool: TableTool): string {
  return measuredReport(tool) ?? tool.tool;
}

function isUnseen({ looked, failed }: ToolColumns): boolean {
  return looked === 0 && failed === undefined;
}
