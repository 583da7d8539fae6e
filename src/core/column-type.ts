/**
 * What a column holds, decided from its values: the one inference of profiles, SQL, figures, looks at an account,
 * workbooks and terminals. What its name says is in `column-name.ts`, what is within objects in `column-tree.ts`.
 */
import { readTimestamp, timestampKind } from './calendar.ts';
import { isCodeName } from './column-name.ts';
import { toNumber } from './json.ts';
import { isNumeric } from './money.ts';

/** What values are that are no lists or objects; `mixed` when they are of several kinds. */
export type ValueType = 'integer' | 'decimal' | 'text' | 'boolean' | 'day' | 'timestamp' | 'mixed';

/** The same of a column; `nested` for lists and objects. */
export type ColumnType = ValueType | 'empty' | 'nested';

/** The type of values, each of which counts. A code is text, be it written as a number or a day. */
export function valueType(values: readonly unknown[], name = ''): ValueType {
  const are = (is: (value: unknown) => boolean) => values.every(is);
  if (isCodeName(name) && are((it) => isText(it) || Number.isSafeInteger(it))) return 'text';
  if (are(isNumeric)) {
    if (!are(isWhole)) return 'decimal';
    // Texts of digits are amounts among true numbers, and else codes.
    return are(isText) ? 'text' : 'integer';
  }
  if (are((value) => timestampKind(value) === 'day')) return 'day';
  if (are((value) => timestampKind(value) !== undefined)) return 'timestamp';
  if (are(isText)) return 'text';
  return are((value) => typeof value === 'boolean') ? 'boolean' : 'mixed';
}

/** The type of a column; cells without a value do not count. */
export function columnType(cells: readonly unknown[], name = ''): ColumnType {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  if (filled.length === 0) return 'empty';
  return filled.every((cell) => typeof cell === 'object') ? 'nested' : valueType(filled, name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWhole(value: unknown): boolean {
  return isText(value) ? !value.includes('.') : Number.isInteger(value);
}

/** Whether a column holds amounts, quantities or numbers that name something. */
export function isOfNumbers(type: ColumnType): type is 'integer' | 'decimal' {
  return type === 'integer' || type === 'decimal';
}

/** Whether a column holds days or instants. */
export function isOfTimes(type: ColumnType): type is 'day' | 'timestamp' {
  return type === 'day' || type === 'timestamp';
}

/** What the cells of a column are ordered by: numbers, instants in epoch milliseconds, or texts, as days are. */
export function orderOf(type: ColumnType): (cell: unknown) => number | string {
  if (isOfNumbers(type)) return toNumber;
  return type === 'timestamp' ? (cell) => readTimestamp(cell)?.ms ?? 0 : cellText;
}

/** Whether a cell holds nothing: missing, null, blank text, an empty list or object. */
export function isEmptyCell(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A cell as text: lists and objects as compact JSON, nothing as `''`. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
