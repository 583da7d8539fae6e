import type { PageRow, RowKey } from './page.ts';

/** A page of a list that may have moved since: rows from `start` on when it was `total` long. */
export interface PlacedPage {
  start: number;
  rows: readonly PageRow[];
  total: number;
  /** Counts the reads, so that the later of two versions of a row wins. */
  turn: number;
}

/** Offsets `from` up to, not including, `to`. */
export interface Span {
  from: number;
  to: number;
}

/**
 * The offsets of `wanted` that no page covers in a list of `total` rows. Lists run newest first, so
 * a page read when the list was shorter is taken to have moved back by the difference.
 */
export function gaps(pages: readonly PlacedPage[], total: number, wanted: Span): Span[] {
  const found: Span[] = [];
  let from = wanted.from;
  for (const page of inPlace(pages, total)) {
    const place = placeOf(page, total);
    if (place > from) found.push({ from, to: Math.min(place, wanted.to) });
    from = Math.max(from, place + page.rows.length);
    if (from >= wanted.to) return found;
  }
  return from < wanted.to ? [...found, { from, to: wanted.to }] : found;
}

/** The rows of all pages in list order, each once, in the version read last. */
export interface Merged {
  rows: PageRow[];
  /** Pages with a row that another page holds as well. */
  touched: Set<PlacedPage>;
}

/** Lays the pages over each other. Rows without a key are told apart by their place alone. */
export function merge(pages: readonly PlacedPage[], total: number, keyOf: RowKey): Merged {
  const rows: PageRow[] = [];
  const touched = new Set<PlacedPage>();
  const known = new Map<string, { at: number; page: PlacedPage }>();
  let covered = Number.NEGATIVE_INFINITY;
  for (const page of inPlace(pages, total)) {
    const place = placeOf(page, total);
    for (const [offset, row] of page.rows.entries()) {
      const key = keyOf(row);
      const twin = key === undefined ? undefined : known.get(key);
      if (twin) {
        if (twin.page !== page) touched.add(twin.page).add(page);
        if (page.turn > twin.page.turn) rows[twin.at] = row;
      } else if (key !== undefined || place + offset >= covered) {
        if (key !== undefined) known.set(key, { at: rows.length, page });
        rows.push(row);
      }
    }
    covered = Math.max(covered, place + page.rows.length);
  }
  return { rows, touched };
}

function placeOf(page: PlacedPage, total: number): number {
  return page.start + total - page.total;
}

function inPlace(pages: readonly PlacedPage[], total: number): PlacedPage[] {
  return [...pages].sort((a, b) => placeOf(a, total) - placeOf(b, total) || a.turn - b.turn);
}
