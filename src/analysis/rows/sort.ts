import { createTimestampReader } from '../../core/timestamps.ts';
import { kindOf, type OrderKey, orderOf } from './cells.ts';
import { cellReader, type Row, requireColumn } from './rows.ts';

/** One column to sort by. */
export interface SortKey {
  column: string;
  isDescending: boolean;
}

/** The keys that a text such as `-total_wt` or `shop_id,-total_wt` stands for. */
export function parseSort(sort: string): SortKey[] {
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
  return sortBy(rows, keys, cellReader);
}

/** Rows of any make in the order of the keys, as {@link sortRows} has it. */
export function sortBy<Item>(
  items: readonly Item[],
  keys: readonly SortKey[],
  readerOf: (column: string) => (item: Item) => unknown,
): Item[] {
  let sorted = [...items];
  // Each pass is stable, so the last key sorted by is the first one asked for.
  for (const key of keys.toReversed()) sorted = sortByOne(sorted, key, readerOf(key.column));
  return sorted;
}

function sortByOne<Item>(
  items: readonly Item[],
  { isDescending }: SortKey,
  read: (item: Item) => unknown,
): Item[] {
  const reader = createTimestampReader();
  const { keyOf, compare } = orderOf(kindOf(items.map(read), reader), reader);
  const present: { item: Item; key: OrderKey }[] = [];
  const missing: Item[] = [];
  for (const item of items) {
    const key = keyOf(read(item));
    if (key === undefined) missing.push(item);
    else present.push({ item, key });
  }
  present.sort(isDescending ? (a, b) => compare(b.key, a.key) : (a, b) => compare(a.key, b.key));
  return [...present.map(({ item }) => item), ...missing];
}
