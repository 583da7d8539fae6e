import { z } from 'zod';
import { quote } from '../../core/text.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import type { ColumnKnowledge, KnownColumn } from './column-knowledge.ts';
import { joinOf, meaningOf } from './meanings.ts';
import { isReport } from './read-table.ts';
import { argumentsOf, type NamedTable } from './table-names.ts';

/** How much is said of each table: all of it, or what fits a look at all of them. */
export type Detail = 'full' | 'short';

/** What describing needs beside the tables. */
export interface TablesKnown {
  knowledge: ColumnKnowledge;
  /** Why a table cannot be read with this key, where that is known. */
  refusal(tool: string): string | undefined;
}

/** The rows of the table `tables`: one for each name, the plain one where a list has two. */
export function describeTables(
  tables: ReadonlyMap<string, NamedTable>,
  known: TablesKnown,
  detail: Detail,
): Row[] {
  const byTool = new Map<string, string>();
  for (const [name, table] of tables) if (table.kind === 'tool') byTool.set(table.tool.tool, name);
  const described = new Map<string, string>();
  return [...tables].flatMap(([name, table]): Row[] => {
    if (table.kind === 'result')
      return [{ name, holds: 'kept rows of an earlier answer', arguments: "('id')", columns: '' }];
    if (table.kind === 'tables')
      return [{ name, holds: 'this', arguments: '', columns: 'name, holds, arguments, columns' }];
    const { tool } = table;
    if (byTool.get(tool.tool) !== name) return [];
    const refusal = known.refusal(tool.tool);
    return [
      {
        name,
        holds: refusal === undefined ? holds(tool, detail) : `not for this key: ${refusal}`,
        arguments: sayArguments(tool, table, detail),
        columns: refusal === undefined ? sayColumns(tool, known.knowledge, detail, described) : '',
      },
    ];
  });
}

function holds(tool: ToolDefinition, detail: Detail): string {
  if (detail === 'full') return tool.description;
  if (isReport(tool)) return `${tool.title}, a row a fact`;
  return tool.title;
}

/** `period | from, to; shop_id; order_id*`: a star marks what has to be given. */
function sayArguments(tool: ToolDefinition, table: NamedTable, detail: Detail): string {
  const names = argumentsOf(table);
  const isRange = names.includes('period');
  const said = names
    .filter((name) => !(isRange && (name === 'from' || name === 'to')))
    .map((name) => {
      const schema = tool.input.shape[name];
      const isNeeded = schema instanceof z.ZodType && !schema.safeParse(undefined).success;
      const about = schema instanceof z.ZodType ? schema.description : undefined;
      const starred = `${name}${isNeeded || (name === 'period' && needsDays(tool)) ? '*' : ''}`;
      return detail === 'full' && about ? `${starred} (${about})` : starred;
    });
  return said.join(detail === 'full' ? '; ' : ' ');
}

function needsDays(tool: ToolDefinition): boolean {
  return tool.daysAreOptional !== true;
}

function sayColumns(
  tool: ToolDefinition,
  knowledge: ColumnKnowledge,
  detail: Detail,
  described: Map<string, string>,
): string {
  const columns = knowledge.columns(tool.tool);
  if (isReport(tool)) return sayFacts(columns, detail);
  if (columns === undefined) return 'not seen yet: SELECT * ... LIMIT 3 shows them';
  const said = columns.map((column) => sayColumn(column, detail));
  if (detail === 'full') return said.join('\n');
  const text = cutColumns(said);
  const twin = [...described].find(([, other]) => text.startsWith(other.replace(/ \+\d+$/, '')));
  if (!described.has(tool.tool)) described.set(tool.tool, text);
  if (twin === undefined) return text;
  const more = text.slice(twin[1].length);
  return `as ${twin[0]}${more}`;
}

const maxShortColumns = 22;

function cutColumns(said: readonly string[]): string {
  const rest = said.length - maxShortColumns;
  const shown = said.slice(0, maxShortColumns).join(' ');
  return rest > 0 ? `${shown} +${rest}` : shown;
}

function sayFacts(columns: readonly KnownColumn[] | undefined, detail: Detail): string {
  const valuesOf = (name: string) => columns?.find((it) => it.name === name)?.values ?? [];
  const fixed = 'path measure value split, ids (shop_id ...) name line';
  const measures = valuesOf('measure');
  if (detail === 'short' || measures.length === 0) return fixed;
  return `${fixed}\npath, seen so far: ${valuesOf('path').join(', ')}\nmeasure: ${measures.join(', ')}\nsplit: ${valuesOf('split').join(', ')}`;
}

const shortTypes: Partial<Record<KnownColumn['type'], string>> = {
  day: ':date',
  timestamp: ':time',
  nested: ':json',
};

function sayColumn({ name, type, values = [] }: KnownColumn, detail: Detail): string {
  const shown = quote(name, 64);
  const join = joinOf(name);
  if (detail === 'short') {
    const listed = values.length > 1 && values.length <= 8 && type === 'text';
    const some = listed ? `{${values.map((value) => quote(value, 24)).join('|')}}` : '';
    return `${shown}${shortTypes[type] ?? ''}${some}`;
  }
  const notes = [
    ...(type === 'empty' ? ['empty so far'] : [type]),
    ...(join === undefined ? [] : [`joins ${join}`]),
    ...(meaningOf(name) === undefined ? [] : [meaningOf(name)]),
    ...(values.length > 0
      ? [`seen so far: ${values.map((value) => quote(value, 40)).join(', ')}`]
      : []),
  ];
  return `${shown}: ${notes.join('; ')}`;
}
