/** Section 2: how lists are wrapped. */

/** A list that comes whole. */
export function wholeList<T>(data: readonly T[]) {
  return { count: data.length, total: data.length, data };
}

/** One page out of rows that are all at hand. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  { start, limit }: { start: number; limit: number },
  show: (row: Row) => T,
) {
  return page(rows.length, rows.slice(start, start + limit).map(show), start, limit);
}

/** A page whose rows were chosen already. */
export function page<T>(total: number, data: readonly T[], start: number, limit: number) {
  return { count: data.length, total, start, limit, data };
}

/** Cents as decimal euros. */
export function euros(cents: number): number {
  return cents / 100;
}
