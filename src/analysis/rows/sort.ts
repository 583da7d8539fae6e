import { isNumeric } from '../../core/money.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { compareNumbers } from './column-profile.ts';
import { cellReader, cellText, isEmptyCell, type Row, requireColumn } from './rows.ts';

/**
 * The rows in the order of one column or several (`-total_wt`, `shop_id,-total_wt`; `-` in front for
 * descending): numbers by value, timestamps by instant, texts as a Dutch reader expects. Rows without
 * the value come last either way, and rows that are equal stay as they were.
 * @throws {InputError} naming the nearest column and all of them when no row has one of the columns
 */
export function sortRows(rows: readonly Row[], sort: string): readonly Row[] {
  const parts = sort.split(',').map((part) => part.trim());
  // Each pass is stable, so the last key sorted by is the first one asked for.
  return parts.filter((part) => part !== '').reduceRight(sortByOne, rows);
}

function sortByOne(rows: readonly Row[], part: string): readonly Row[] {
  const column = part.replace(/^[-+]\s*/, '');
  requireColumn(rows, column, 'sort');
  const sign = part.startsWith('-') ? -1 : 1;
  const cells = rows.map(cellReader(column));
  const filled = rows.flatMap((row, at) =>
    isEmptyCell(cells[at]) ? [] : [{ row, cell: cells[at] }],
  );
  const compare = comparing(filled.map(({ cell }) => cell));
  const sorted = filled.sort((a, b) => sign * compare(a.cell, b.cell)).map(({ row }) => row);
  return [...sorted, ...rows.filter((_, at) => isEmptyCell(cells[at]))];
}

/** How two cells of a column stand to each other, by what all of them are. */
function comparing(cells: readonly unknown[]): (a: unknown, b: unknown) => number {
  if (cells.every(isNumeric))
    return (a, b) => (isNumeric(a) && isNumeric(b) ? compareNumbers(a, b) : 0);
  if (cells.every((cell) => typeof cell === 'boolean')) return (a, b) => Number(a) - Number(b);
  const moments = new Map(cells.map((cell) => [cell, readTimestamp(cell)?.ms]));
  if ([...moments.values()].every((ms) => ms !== undefined))
    return (a, b) => (moments.get(a) ?? 0) - (moments.get(b) ?? 0);
  const dutch = new Intl.Collator('nl', { numeric: true });
  return (a, b) => dutch.compare(cellText(a), cellText(b));
}
