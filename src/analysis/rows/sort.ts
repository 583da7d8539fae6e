import { columnType, orderOf } from './column-type.ts';
import { isEmptyCell, type Row, readCell, requireColumn } from './rows.ts';

/**
 * The rows in the order of a column (`total_wt`, or `-total_wt` for descending): numbers by value,
 * timestamps by instant, texts as a Dutch reader expects. Rows without the value come last either way,
 * and rows that are equal stay as they were.
 * @throws {InputError} naming the nearest column and all of them when no row has the column
 */
export function sortRows(rows: readonly Row[], sort: string): readonly Row[] {
  const column = sort.trim().replace(/^[-+]\s*/, '');
  requireColumn(rows, column, 'sort');
  const cells = rows.map((row) => ({ row, cell: readCell(row, column) }));
  const keyOf = orderOf(columnType(cells.map(({ cell }) => cell)));
  const filled = cells.filter(({ cell }) => !isEmptyCell(cell));
  const keyed = filled.map(({ row, cell }) => ({ row, key: keyOf(cell) }));
  const sign = sort.trim().startsWith('-') ? -1 : 1;
  const sorted = keyed.sort((a, b) => sign * compare(a.key, b.key));
  return [...sorted, ...cells.filter(({ cell }) => isEmptyCell(cell))].map(({ row }) => row);
}

/** Made when texts are first sorted: a start would pay for it. */
let dutch: Intl.Collator | undefined;

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  dutch ??= new Intl.Collator('nl', { numeric: true });
  return dutch.compare(String(a), String(b));
}
