/** What a column is, decided from its cells: nothing else that is known of rows is certain. Rows are sorted by it. */

import { readTimestamp, timestampKind } from '../../core/calendar.ts';
import { isCodeName } from '../../core/column-name.ts';
import { toNumber } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { cellText, isEmptyCell, type Row, readCell, requireColumn } from './rows.ts';

/** `mixed` when cells are of several kinds, `nested` for lists and objects. */
export type ColumnType = ReturnType<typeof columnType>;

/** The type of a column; cells without a value do not count. A code is text, be it written as a number or a day. */
export function columnType(cells: readonly unknown[], name = '') {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  const are = (is: (cell: unknown) => boolean) => filled.every(is);
  if (filled.length === 0) return 'empty';
  if (isCodeName(name) && are((cell) => isText(cell) || Number.isSafeInteger(cell))) return 'text';
  if (are(isNumeric)) {
    if (!are((cell) => /^-?\d+$/.test(String(cell)))) return 'decimal';
    // Texts of digits are amounts among true numbers, and else codes.
    return are(isText) ? 'text' : 'integer';
  }
  if (are((cell) => timestampKind(cell) === 'day')) return 'day';
  if (are((cell) => timestampKind(cell) !== undefined)) return 'timestamp';
  if (are(isText)) return 'text';
  if (are((cell) => typeof cell === 'boolean')) return 'boolean';
  return are((cell) => typeof cell === 'object') ? 'nested' : 'mixed';
}

/** Whether a column holds amounts, quantities or numbers that name something. */
export function isOfNumbers(type: ColumnType): boolean {
  return type === 'integer' || type === 'decimal';
}

/** Whether a column holds days or instants. */
export function isOfTimes(type: ColumnType): boolean {
  return type === 'day' || type === 'timestamp';
}

/** What the cells of a column are ordered by: numbers, instants in epoch milliseconds, or texts, as days are. */
export function orderOf(type: ColumnType): (cell: unknown) => number | string {
  if (isOfNumbers(type)) return toNumber;
  return type === 'timestamp' ? (cell) => readTimestamp(cell)?.ms ?? 0 : cellText;
}

function isText(cell: unknown): cell is string {
  return typeof cell === 'string';
}

/** What comes first, ascending and descending. */
const ends = {
  numbers: ['smallest', 'largest'],
  times: ['oldest', 'newest'],
  texts: ['a', 'z'],
} as const;

/** By which column rows are sorted, and which of its values comes first. */
export interface Sorted {
  by: string;
  first: (typeof ends)[keyof typeof ends][number];
}

/**
 * The rows in the order of a column (`total_wt`, or `-total_wt` for descending), texts as a Dutch reader expects, and
 * what comes first. Rows without the value come last either way, and rows that are equal stay as they were.
 * @param isTop the first are wanted: without a sign the largest numbers and the newest days
 * @throws {InputError} naming the nearest column and all of them when no row has the column
 */
export function sortRows(
  rows: readonly Row[],
  sort: string,
  isTop = false,
): { rows: readonly Row[]; sorted: Sorted } {
  const [, given, column = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(sort) ?? [];
  requireColumn(rows, column, 'sort');
  const cells = rows.map((row) => ({ row, cell: readCell(row, column) }));
  const type = columnType(
    cells.map(({ cell }) => cell),
    column,
  );
  const keyOf = orderOf(type);
  const filled = cells.filter(({ cell }) => !isEmptyCell(cell));
  const keyed = filled.map(({ row, cell }) => ({ row, key: keyOf(cell) }));
  const isMeasured = isOfNumbers(type) || isOfTimes(type);
  const isDescending = given === '-' || (given === '' && isTop && isMeasured);
  const sign = isDescending ? -1 : 1;
  const sorted = keyed.sort((a, b) => sign * compare(a.key, b.key));
  const all = [...sorted, ...cells.filter(({ cell }) => isEmptyCell(cell))];
  const [up, down] = isMeasured ? ends[isOfTimes(type) ? 'times' : 'numbers'] : ends.texts;
  return {
    rows: all.map(({ row }) => row),
    sorted: { by: column, first: isDescending ? down : up },
  };
}

/** Made when texts are first sorted: a start would pay for it. */
let dutch: Intl.Collator | undefined;

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  dutch ??= new Intl.Collator('nl', { numeric: true });
  return dutch.compare(String(a), String(b));
}
