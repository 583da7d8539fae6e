import { z } from 'zod';
import { sentencesFor } from '../../core/sentence.ts';
import { quote } from '../../core/text.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { isReport } from './answer-rows.ts';
import { isNeeded, needsDays } from './asks.ts';
import type { ColumnKnowledge, KnownColumn, KnownPath } from './columns/column-knowledge.ts';
import { joinOf, meaningOf, sayJoins } from './columns/meanings.ts';
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
  const twins = twinsOf(tables, known.knowledge);
  const names = new Set(tables.keys());
  return [...tables].flatMap(([name, table]): Row[] => {
    if (table.kind === 'result')
      return [{ name, holds: 'kept rows of an earlier answer', arguments: "('id')", columns: '' }];
    if (table.kind === 'tables')
      return [{ name, holds: 'this', arguments: '', columns: sayJoins(names) }];
    const { tool } = table;
    if (byTool.get(tool.tool) !== name) return [];
    const refusal = known.refusal(tool.tool);
    return [
      {
        name,
        holds: refusal === undefined ? holds(tool, detail) : `not for this key: ${refusal}`,
        arguments: sayArguments(tool, table, detail),
        columns:
          refusal === undefined ? sayColumns(tool, known.knowledge, detail, twins, names) : '',
      },
    ];
  });
}

function holds(tool: ToolDefinition, detail: Detail): string {
  if (detail === 'full') return sentencesFor(tool.description, () => true);
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
      const isStarred = isNeeded(tool, name) || (name === 'period' && needsDays(tool));
      const about = schema instanceof z.ZodType ? schema.description : undefined;
      const starred = `${name}${isStarred ? '*' : ''}`;
      return detail === 'full' && about ? `${starred} (${about})` : starred;
    });
  return said.join(detail === 'full' ? '; ' : ' ');
}

function sayColumns(
  tool: ToolDefinition,
  knowledge: ColumnKnowledge,
  detail: Detail,
  twins: ReadonlyMap<string, Twin>,
  names: ReadonlySet<string>,
): string {
  if (isReport(tool)) return sayFacts(knowledge.facts(tool.tool), detail);
  const columns = knowledge.columns(tool.tool);
  if (columns === undefined) return 'not seen yet: SELECT * ... LIMIT 3 shows them';
  const said = columns.map((column) => sayColumn(column, detail, names));
  if (detail === 'full') return said.join('\n');
  const twin = twins.get(tool.tool);
  if (twin === undefined) return cutColumns(said);
  const more = columns
    .filter(({ name }) => !twin.columns.has(name))
    .map((column) => sayColumn(column, detail, names));
  return more.length === 0 ? `as ${twin.name}` : `as ${twin.name}, and ${more.join(' ')}`;
}

/** A table that has all columns of another one. */
interface Twin {
  name: string;
  columns: ReadonlySet<string>;
}

/** For each tool whose rows have all columns of a plainer one: that one, so that they are said once. */
function twinsOf(
  tables: ReadonlyMap<string, NamedTable>,
  knowledge: ColumnKnowledge,
): Map<string, Twin> {
  const plainFirst = [...tables]
    .flatMap(([name, table]) =>
      table.kind === 'tool' && !isReport(table.tool) ? [{ name, tool: table.tool }] : [],
    )
    .sort((a, b) => plainness(a.tool) - plainness(b.tool));
  const twins = new Map<string, Twin>();
  const described: Twin[] = [];
  for (const { name, tool } of plainFirst) {
    const columns = new Set((knowledge.columns(tool.tool) ?? []).map((column) => column.name));
    const twin = described.find((other) => [...other.columns].every((it) => columns.has(it)));
    if (twin && twin.name !== name) twins.set(tool.tool, twin);
    else if (columns.size >= 5) described.push({ name, columns });
  }
  return twins;
}

/** `orders` are plainer than `discounted orders`, and rows plainer than one record. */
function plainness({ noun }: ToolDefinition): number {
  return noun?.length ?? 100;
}

const maxShortColumns = 22;

function cutColumns(said: readonly string[]): string {
  const rest = said.length - maxShortColumns;
  const shown = said.slice(0, maxShortColumns).join(' ');
  return rest > 0 ? `${shown} +${rest}` : shown;
}

/** The columns of a report, and where its measures stand as far as seen. */
function sayFacts(paths: ReadonlyMap<string, KnownPath>, detail: Detail): string {
  const fixed = `path measure value split{total|shop|...}, ids (null where none): shop_id location_id ..., name line`;
  const seen = [...paths].map(([path, { measures, splits }]) => {
    const split = detail === 'full' || !splits.has('total') ? ` by ${[...splits].join(' | ')}` : '';
    return `${path === '' ? "''" : quote(path, 64)}${split}: ${[...measures].map((it) => quote(it, 40)).join(' ')}`;
  });
  return [fixed, ...seen].join(detail === 'full' ? '\n' : '; ');
}

const shortTypes: Partial<Record<KnownColumn['type'], string>> = {
  day: ':date',
  timestamp: ':time',
  nested: ':json',
};

function sayColumn(
  { name, type, values = [] }: KnownColumn,
  detail: Detail,
  tables: ReadonlySet<string>,
): string {
  const shown = quote(name, 64);
  const join = joinOf(name, tables);
  if (detail === 'short') {
    const isKind = type === 'text' || (type === 'integer' && name.endsWith('_type_id'));
    const listed = isKind && values.length > 1 && values.length <= 8;
    // Seen so far, and perhaps not all there are.
    const some = listed ? `{${values.map((value) => quote(value, 24)).join('|')}|...}` : '';
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
