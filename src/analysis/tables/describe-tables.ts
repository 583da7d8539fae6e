import { z } from 'zod';
import { sentencesFor } from '../../core/sentence.ts';
import { quote } from '../../core/text.ts';
import type { DescribedColumn } from '../../endpoints/openapi.ts';
import { listOrderItems } from '../../endpoints/orders.ts';
import type { ToolDefinition } from '../define-tool.ts';
import type { Row } from '../rows/rows.ts';
import { isReport } from './answer-rows.ts';
import type { DefinedTable, DefinitionProblem } from './definitions.ts';
import { joinOf, meaningOf, sayJoins } from './meanings.ts';
import { argumentsOf, isNeeded, type NamedTable, needsDays } from './named-tables.ts';

/** How much is said of each table: all of it, or what fits a look at all of them. */
export type Detail = 'full' | 'short';

/**
 * The rows of the table `tables`: one for each name, the plain one where a list has two.
 * @param keptDays the days whose order lines are kept
 */
export function describeTables(
  tables: ReadonlyMap<string, NamedTable>,
  detail: Detail,
  problems: readonly DefinitionProblem[] = [],
  keptDays?: string,
): Row[] {
  const plainNames = new Map<string, string>();
  for (const [name, table] of tables)
    if (table.kind === 'tool') plainNames.set(table.tool.tool, name);
  const names = new Set(tables.keys());
  const broken = problems.map(({ file, line, reason }) => ({
    name: file,
    holds: quote(`broken at line ${line}: ${reason}`, 500),
    arguments: '',
    columns: '',
  }));
  const described = [...tables].flatMap(([name, table]): Row[] => {
    if (table.kind === 'result')
      return [{ name, holds: 'kept rows of an earlier answer', arguments: "('id')", columns: '' }];
    if (table.kind === 'tables')
      return [{ name, holds: 'this', arguments: '', columns: sayJoins(names) }];
    if (table.kind === 'own') return [describeOwn(name, table.definition, detail)];
    const { tool, columns } = table;
    if (plainNames.get(tool.tool) !== name) return [];
    return [
      {
        name,
        holds: `${holds(tool, detail)}${keptDays && tool.tool === listOrderItems.tool ? `; kept for ${keptDays}` : ''}`,
        arguments: sayArguments(tool, table, detail),
        columns: isReport(tool)
          ? 'path measure value split{total|shop|...}, ids (null where none): shop_id location_id ..., name line'
          : sayColumns(columns, detail, names),
      },
    ];
  });
  return [...broken, ...described];
}

function describeOwn(name: string, own: DefinedTable, detail: Detail): Row {
  const { description, table, columns } = own;
  const parameters = table.kind === 'view' ? Object.entries(table.parameters) : [];
  const said = columns.map((column) => quote(column.name, 64));
  return {
    name,
    holds: quote(description, detail === 'full' ? 2000 : 120),
    arguments: parameters.map(([parameter, standard]) => `${parameter} = ${standard}`).join('; '),
    columns: detail === 'full' ? said.join(' ') : cutColumns(said),
  };
}

function holds(tool: ToolDefinition, detail: Detail): string {
  if (detail === 'full') return sentencesFor(tool.description, () => true);
  return isReport(tool) ? `${tool.title}, a row a fact` : tool.title;
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
  columns: readonly DescribedColumn[] | undefined,
  detail: Detail,
  names: ReadonlySet<string>,
): string {
  if (columns === undefined) return 'SELECT * ... LIMIT 3 shows them';
  if (detail === 'full') return columns.map((column) => sayColumn(column, names)).join('\n');
  return cutColumns(columns.map(sayShort));
}

const maxShortColumns = 22;

function cutColumns(said: readonly string[]): string {
  const rest = said.length - maxShortColumns;
  const shown = said.slice(0, maxShortColumns).join(' ');
  return rest > 0 ? `${shown} +${rest}` : shown;
}

const shortTypes: Partial<Record<DescribedColumn['type'], string>> = {
  day: ':date',
  timestamp: ':time',
  nested: ':json',
};

function sayShort({ name, type }: DescribedColumn): string {
  return `${quote(name, 64)}${shortTypes[type] ?? ''}`;
}

function sayColumn({ name, type }: DescribedColumn, tables: ReadonlySet<string>): string {
  const join = joinOf(name, tables);
  const meaning = meaningOf(name);
  const notes = [
    type === 'timestamp' ? 'moment, Amsterdam time' : type,
    ...(join === undefined ? [] : [`joins ${join}`]),
    ...(meaning === undefined ? [] : [meaning]),
  ];
  return `${quote(name, 64)}: ${notes.join('; ')}`;
}
