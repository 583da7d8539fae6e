/** Rows in the order of a column. */
import {
  columnType,
  isEmptyCell,
  isOfNumbers,
  isOfTimes,
  orderOf,
} from '../../core/column-type.ts';
import { type Row, readCell, requireColumn } from './rows.ts';

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
  const dutch = new Intl.Collator('nl', { numeric: true });
  const filled = cells.filter(({ cell }) => !isEmptyCell(cell));
  const keyed = filled.map(({ row, cell }) => ({ row, key: keyOf(cell) }));
  const isMeasured = isOfNumbers(type) || isOfTimes(type);
  const isDescending = given === '-' || (given === '' && isTop && isMeasured);
  const sign = isDescending ? -1 : 1;
  const sorted = keyed.sort((a, b) => sign * compare(a.key, b.key, dutch));
  const all = [...sorted, ...cells.filter(({ cell }) => isEmptyCell(cell))];
  const [up, down] = isMeasured ? ends[isOfTimes(type) ? 'times' : 'numbers'] : ends.texts;
  return {
    rows: all.map(({ row }) => row),
    sorted: { by: column, first: isDescending ? down : up },
  };
}

function compare(a: number | string, b: number | string, texts: Intl.Collator): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return texts.compare(String(a), String(b));
}
