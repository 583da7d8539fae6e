/** The tables of a caller: each tool that answers with rows, a record or a report, and what is kept. */
import { type FieldTypes, mergeColumns } from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { isOutputArgument } from '../../endpoints/define.ts';
import { documentedColumns } from '../../endpoints/shapes.ts';
import type { TableKind } from '../../query/provider.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { referenceSpaces } from '../reference/reference.ts';
import type { Survey, ToolColumns } from '../services.ts';
import { behaviourOf, columnsByBehaviour } from '../survey/behaviour.ts';
import { calendarArguments, calendarColumns } from './calendar-table.ts';
import type { OwnTable } from './own-tables.ts';
import { columnFacts, factColumns, isReport, nest } from './table-rows.ts';
import { describeTool, type TableReader, type TableTexts } from './table-texts.ts';

declare module '../../core/message.ts' {
  interface Messages {
    too_many_looks: { looks: number; maxCalls: number };
  }
}

/** What a name in FROM means. */
export interface StatementTable {
  /** As the engine takes it. */
  kind: TableKind;
  /** As `tables` shows it. */
  describe(reader: Pick<TableReader, 'say' | 'isAlone'>): TableTexts;
  /** What gives its rows; undefined for kept rows, days, the tables themselves, and what a business defined. */
  tool?: ToolDefinition;
  /** The tables that it is made from: a caller who lacks one of them does not have it. */
  reads?: readonly string[];
  /** The rows of a business's own table. */
  read?(): OwnTable;
}

/**
 * The tables of a caller by their names, with what is known of them; a reference list has two, the plain one last.
 * @param isClosed where rows were seen, they have no other columns
 */
export function tablesOf(
  tools: readonly ToolDefinition[],
  survey: Survey,
  isClosed = false,
): Map<string, StatementTable> {
  const tables = new Map<string, StatementTable>();
  const isTable = (name: string) => tables.has(name);
  for (const tool of tools) {
    if (!tool.asksPlatform || 'sql' in tool.input.shape) continue;
    const known = columnsKnown(tool, survey);
    const isOpen = known.isOpen && !(isClosed && known.looked > 0);
    const taken = Object.keys(tool.input.shape).filter((name) => !isOutputArgument(tool, name));
    const behaviour = behaviourOf[tool.tool];
    tables.set(tool.tool, {
      kind: {
        kind: 'calls',
        arguments: taken,
        columns: known.columns,
        isOpen,
        facts: columnFacts(tool),
      },
      describe(reader) {
        const found = behaviour && survey.known(behaviour);
        return describeTool(tool, taken, known, found, { ...reader, isTable });
      },
      tool,
    });
  }
  for (const { kind, endpoint } of referenceSpaces) {
    const listed = tables.get(endpoint.tool);
    if (listed) tables.set(`${kind}s`, listed);
  }
  for (const [name, { taken, columns }] of Object.entries(ownTables))
    tables.set(name, {
      kind: { kind: 'calls', arguments: taken, ...(columns && { columns }) },
      describe: ({ say }) => ({
        holds: say({ code: 'about_table', table: name }),
        arguments: taken.join(', '),
        columns:
          name === 'tables'
            ? say({ code: 'table_notation' })
            : Object.keys(columns ?? {}).join(', '),
      }),
    });
  return tables;
}

/** The tables that are no tool's. */
const ownTables: Readonly<Record<string, { taken: string[]; columns?: FieldTypes }>> = {
  calendar: { taken: calendarArguments, columns: calendarColumns },
  result: { taken: ['id'] },
  tables: {
    taken: [],
    columns: { name: 'text', holds: 'text', arguments: 'text', columns: 'text' },
  },
};

/**
 * Looks at all that is said of tables.
 * @param names of some of them; of all where it is empty
 */
export async function surveyAll(
  tables: ReadonlyMap<string, StatementTable>,
  survey: Survey,
  names: readonly string[],
  maxCalls: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const some = [...tables].filter(([name]) => names.length === 0 || names.includes(name));
  const tools = [...new Set(some.flatMap(([, { tool }]) => tool ?? []))];
  const unseen = tools.filter((tool) => isUnlooked(survey.columnsOf(lookedAt(tool)))).length;
  if (unseen > maxCalls)
    throw new InputError({ code: 'too_many_looks', looks: unseen, maxCalls }, 'max_calls');
  const behaviours = tools.flatMap(({ tool }) => behaviourOf[tool] ?? []);
  const settled = behaviours.map((name) => survey.behaviour(name, signal));
  const isLast = (tool: string) => columnsByBehaviour.has(tool);
  const targets = tools.map(lookedAt);
  const firsts = targets.filter((it) => !isLast(it));
  await Promise.all([survey.look(firsts, signal), ...settled]);
  await survey.look(targets.filter(isLast), signal);
}

/** What is known of a tool's columns; a trend has the measures of its report for columns. */
function columnsKnown(tool: ToolDefinition, survey: Survey): ToolColumns {
  const documented = documentedColumns(tool.output);
  const { columns, ...known } = survey.columnsOf(lookedAt(tool));
  if (isReport(tool)) {
    const ofFacts = factColumns(tool);
    return { ...known, columns: ofFacts, isOpen: !('line' in ofFacts) };
  }
  if (tool.measuresOf === undefined)
    return { ...known, columns: mergeColumns(documented, columns) };
  const names = known.measures.flatMap((it) => it.names.map((name) => `${it.path}.${name}`));
  const measures: FieldTypes = nest(
    Object.fromEntries(names.map((name) => [name, 'decimal' as const])),
  );
  return { ...known, measures: [], columns: { ...documented, ...measures }, isOpen: true };
}

function isUnlooked({ looked, failed }: ToolColumns): boolean {
  return looked === 0 && failed === undefined;
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
  return tools.map(lookedAt).filter((tool) => {
    const known = survey.columnsOf(tool);
    return known.isOpen && isUnlooked(known);
  });
}

function lookedAt({ tool, measuresOf }: ToolDefinition): string {
  return measuresOf ?? tool;
}
