/** Columns named in an expression. */
import { isRecord } from '../../../core/json.ts';
import { type Node, nodeOf, queryTypes, textOf } from './tree.ts';

/** These read like columns and are none. */
const clockWords: ReadonlySet<string> = new Set([
  'current_date',
  'current_time',
  'current_timestamp',
  'localtime',
  'localtimestamp',
]);

/** The names of each column that an expression reads itself, not in a subquery: `['o', 'id']`. */
export function columnsIn(expression: unknown): string[][] {
  if (Array.isArray(expression)) return expression.flatMap(columnsIn);
  if (!isRecord(expression) || queryTypes.has(textOf(expression, 'type'))) return [];
  const { column_names: names } = expression;
  if (expression.class === 'COLUMN_REF' && Array.isArray(names)) {
    const parts = names.map(String);
    const isClock = parts.length === 1 && clockWords.has(parts[0]?.toLowerCase() ?? '');
    return isClock ? [] : [parts];
  }
  return Object.values(expression).flatMap(columnsIn);
}

/** The names by which the tables of a FROM, or of a part of one, are addressed; in small letters. */
export function aliasesIn(table: Node): string[] {
  const type = textOf(table, 'type');
  if (type === 'JOIN') return ['left', 'right'].flatMap((side) => aliasesOf(table, side));
  const called = textOf(nodeOf(table, 'function') ?? {}, 'function_name');
  const name = textOf(table, 'alias') || textOf(table, 'table_name') || called;
  if (type === 'PIVOT' && name === '') return aliasesOf(table, 'source');
  return name === '' ? [] : [name.toLowerCase()];
}

function aliasesOf(table: Node, key: string): string[] {
  const part = nodeOf(table, key);
  return part === undefined ? [] : aliasesIn(part);
}
