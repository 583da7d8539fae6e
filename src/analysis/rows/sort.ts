import { isNumeric } from '../../core/money.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { compareNumbers } from './column-profile.ts';
import { cellReader, cellText, isEmptyCell, type Row, requireColumn } from './rows.ts';

/** What a cell is sorted by. */
type SortKey = number | string;

/**
 * The rows in the order of one column or several (`-total_wt`, `shop_id,-total_wt`; `-` in front for
 * descending): numbers by value, timestamps by instant, texts as a Dutch reader expects. Rows without
 * the value come last either way, and rows that are equal stay as they were.
 * @throws InputError naming the nearest column and all of them when no row has one of the columns.
 */
export function sortRows(rows: readonly Row[], sort: string): Row[] {
  const keys = sort
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ column: part.replace(/^[-+]\s*/, ''), isDescending: part.startsWith('-') }));
  for (const { column } of keys) requireColumn(rows, column, 'sort');
  // Each pass is stable, so the last key sorted by is the first one asked for.
  return keys
    .toReversed()
    .reduce((sorted, key) => sortByOne(sorted, key.column, key.isDescending ? -1 : 1), [...rows]);
}

function sortByOne(rows: readonly Row[], column: string, sign: 1 | -1): Row[] {
  const read = cellReader(column);
  const cells = rows.map((row) => ({ row, cell: read(row) }));
  const filled = cells.filter(({ cell }) => !isEmptyCell(cell));
  const keyOf = keysFor(filled.map(({ cell }) => cell));
  const compare = keyOf === cellText ? compareTexts() : compareNumbers;
  const keyed = filled.map(({ row, cell }) => ({ row, key: keyOf(cell) }));
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  const missing = cells.filter(({ cell }) => isEmptyCell(cell));
  return [...keyed, ...missing].map(({ row }) => row);
}

/** How the cells of a column are read for sorting, by what all of them are. */
function keysFor(cells: readonly unknown[]): (cell: unknown) => SortKey {
  if (cells.every((cell) => isNumeric(cell))) return (cell) => (isNumeric(cell) ? cell : 0);
  if (cells.every((cell) => typeof cell === 'boolean')) return Number;
  if (cells.every((cell) => readTimestamp(cell))) return (cell) => readTimestamp(cell)?.ms ?? 0;
  return cellText;
}

function compareTexts(): (a: SortKey, b: SortKey) => number {
  const dutch = new Intl.Collator('nl', { numeric: true });
  return (a, b) => dutch.compare(String(a), String(b));
}
