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
 * The columns of the rows, in the order in which they are first seen: what a table needs to show
 * every value once. An object that some rows lack (`address: null`) is no column of its own.
 */
export function columnsOf(rows: Iterable<Row>): string[] {
  const holdsValue = new Map<string, boolean>();
  for (const row of rows) collect(row, '', 1, holdsValue);
  const names = [...holdsValue.keys()];
  const parents = new Set(names.flatMap(ancestorsOf));
  return names.filter((name) => holdsValue.get(name) || !parents.has(name));
}

/** The cell of a row, undefined where the row has no such field. See {@link cellReader}. */
export function valueAt(row: Row, column: string): unknown {
  return cellReader(column)(row);
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

/** Whether any row has the column, or is an object by that name (`address`). */
export function hasColumn(rows: readonly Row[], column: string): boolean {
  const read = cellReader(column);
  return rows.some((row) => read(row) !== undefined);
}

/**
 * Refuses a column that none of the rows has. No rows have no columns: then any is accepted.
 * @throws InputError naming `parameter`, the nearest column and all of them.
 */
export function requireColumn(rows: readonly Row[], column: string, parameter: string): void {
  if (rows.length > 0 && !hasColumn(rows, column)) {
    throw unknownName(column, 'column', columnsOf(rows), parameter);
  }
}

/** The refusal of a name that is none of `known`, such as a column or a metric, with the nearest. */
export function unknownName(
  name: string,
  noun: string,
  known: readonly string[],
  parameter: string,
): InputError {
  const meant = nearest(name, known);
  const listed = known
    .slice(0, maxListed)
    .map((it) => quote(it))
    .join(', ');
  const more = known.length > maxListed ? ` and ${known.length - maxListed} more` : '';
  return new InputError(
    `${parameter}: there is no ${noun} "${quote(name)}"${meant ? `; did you mean ${quote(meant)}?` : '.'} The ${noun}s are ${listed}${more}.`,
    parameter,
  );
}

function collect(from: Row, prefix: string, depth: number, holdsValue: Map<string, boolean>): void {
  for (const key of Object.keys(from)) {
    const value = from[key];
    const name = prefix + key;
    if (isRecord(value) && depth < maxDepth && !isEmptyCell(value)) {
      collect(value, `${name}.`, depth + 1, holdsValue);
    } else if (!holdsValue.get(name)) {
      holdsValue.set(name, !isEmptyCell(value));
    }
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
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const child = ownValue(from, path.slice(0, dot));
    const found = isRecord(child) ? find(child, path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownValue(from: Row, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
