/**
 * Rows as the platform sent them, seen as a table: a column is a field, and a dotted name reaches
 * into a nested object (`address.city`). A list within a row is one cell.
 */
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';

/** A row of a list, its fields as the platform sent them. */
export type Row = JsonObject;

/** Objects nested deeper than this are one cell. */
const maxDepth = 5;

/** How many columns an error lists. */
const maxListed = 60;

/**
 * The values of each column, undefined where a row lacks it, in the order in which columns are first
 * seen. An object that some rows lack (`address: null`) is no column of its own.
 */
export function readColumns(rows: readonly Row[]): Map<string, unknown[]> {
  const columns = new Map<string, unknown[]>();
  rows.forEach((row, index) => {
    visitCells(row, '', 1, (name, value) => {
      const values = columns.get(name) ?? new Array(rows.length).fill(undefined);
      values[index] = value;
      columns.set(name, values);
    });
  });
  for (const parent of new Set([...columns.keys()].flatMap(ancestorsOf)))
    if (columns.get(parent)?.every(isEmptyCell)) columns.delete(parent);
  return columns;
}

/** The names of the columns, as `readColumns` finds them. */
export function columnNames(rows: readonly Row[]): string[] {
  return [...readColumns(rows).keys()];
}

/** Reads one column from many rows. A field whose own name has dots comes before a nested one. */
export function cellReader(column: string): (row: Row) => unknown {
  if (!column.includes('.')) return (row) => ownValue(row, column);
  return (row) => find(row, column);
}

/** Whether a cell holds nothing: missing, null, blank text, an empty list or object. */
export function isEmptyCell(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A cell as text: lists and objects as compact JSON, nothing as `''`. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Refuses a column that none of the rows has. No rows have no columns: then any is accepted.
 * @throws InputError naming `parameter`, the nearest column and all of them.
 */
export function requireColumn(rows: readonly Row[], column: string, parameter: string): void {
  const read = cellReader(column);
  if (rows.length === 0 || rows.some((row) => read(row) !== undefined)) return;
  const known = columnNames(rows);
  const meant = nearest(column, known);
  const listed = known.slice(0, maxListed).map((it) => quote(it));
  const more = known.length > maxListed ? ` and ${known.length - maxListed} more` : '';
  throw new InputError(
    `${parameter}: there is no column "${quote(column)}"${meant ? `; did you mean ${quote(meant)}?` : '.'} The columns are ${listed.join(', ')}${more}.`,
    parameter,
  );
}

/**
 * The rows with the named columns only, nested as they came: `address.city` leaves
 * `{address: {city}}`, and `address` leaves the whole object. Rows that lack a column go without.
 * @throws InputError naming the nearest column and all of them when no row has one of the fields.
 */
export function selectFields(rows: readonly Row[], fields: readonly string[]): Row[] {
  for (const field of fields) requireColumn(rows, field, 'fields');
  return rows.map((row) => {
    const selected: Row = {};
    for (const field of fields) copyField(row, field, selected);
    return selected;
  });
}

function copyField(from: Row, path: string, into: Row): boolean {
  if (Object.hasOwn(from, path)) {
    into[path] = from[path];
    return true;
  }
  for (const key of ancestorsOf(path)) {
    const child = ownValue(from, key);
    if (!isRecord(child)) continue;
    const already = into[key];
    const copy: Row = isRecord(already) ? { ...already } : {};
    if (!copyField(child, path.slice(key.length + 1), copy)) continue;
    into[key] = copy;
    return true;
  }
  return false;
}

function visitCells(
  from: Row,
  prefix: string,
  depth: number,
  visit: (name: string, value: unknown) => void,
): void {
  for (const key of Object.keys(from)) {
    const value = from[key];
    if (isRecord(value) && depth < maxDepth && !isEmptyCell(value))
      visitCells(value, `${prefix}${key}.`, depth + 1, visit);
    else visit(prefix + key, value);
  }
}

/** `a` and `a.b` for `a.b.c`. */
function ancestorsOf(name: string): string[] {
  if (!name.includes('.')) return [];
  return [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
}

function find(from: Row, path: string): unknown {
  const whole = ownValue(from, path);
  if (whole !== undefined) return whole;
  for (const key of ancestorsOf(path)) {
    const child = ownValue(from, key);
    const found = isRecord(child) ? find(child, path.slice(key.length + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownValue(from: Row, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
