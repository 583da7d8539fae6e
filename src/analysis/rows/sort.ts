import { createTimestampReader } from '../../core/timestamps.ts';
import { kindOf, type OrderKey, orderOf } from './cells.ts';
import { cellReader, type Row, requireColumn } from './rows.ts';

/** One column to sort by. */
interface SortKey {
  column: string;
  isDescending: boolean;
}

/** The keys that a text such as `-total_wt` or `shop_id,-total_wt` stands for. */
function parseSort(sort: string): SortKey[] {
  return sort
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ column: part.replace(/^[-+]\s*/, ''), isDescending: part.startsWith('-') }));
}

/**
 * The rows in the order of one column or several (`-total_wt`, `shop_id,-total_wt`; `-` in front for
 * descending): numbers by value, timestamps by instant, texts as a Dutch reader expects. Rows without
 * the value come last either way, and rows that are equal stay as they were.
 * @throws InputError naming the nearest column and all of them when no row has one of the columns.
 */
export function sortRows(rows: readonly Row[], sort: string): Row[] {
  const keys = parseSort(sort);
  for (const { column } of keys) requireColumn(rows, column, 'sort');
  let sorted = [...rows];
  // Each pass is stable, so the last key sorted by is the first one asked for.
  for (const key of keys.toReversed()) sorted = sortByOne(sorted, key);
  return sorted;
}

function sortByOne(rows: readonly Row[], { column, isDescending }: SortKey): Row[] {
  const read = cellReader(column);
  const reader = createTimestampReader();
  const { keyOf, compare } = orderOf(kindOf(rows.map(read), reader), reader);
  const present: { row: Row; key: OrderKey }[] = [];
  const missing: Row[] = [];
  for (const row of rows) {
    const key = keyOf(read(row));
    if (key === undefined) missing.push(row);
    else present.push({ row, key });
  }
  present.sort(isDescending ? (a, b) => compare(b.key, a.key) : (a, b) => compare(a.key, b.key));
  return [...present.map(({ row }) => row), ...missing];
}
