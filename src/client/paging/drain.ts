import { hasCode } from '../../core/errors.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/warning.ts';
import type { GetOptions, GetResponse } from '../request/get.ts';
import { noList, type Query } from '../transport/http.ts';

/** The `id` of a row, numeric and valid per account; undefined for rows that carry none. */
export function rowId({ id }: JsonObject): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

/**
 * How to read something of many pages, each by a GET with these options; its priority is `drain` by
 * default. A `start` in the query begins there, a `limit` is ignored.
 */
export interface LongReadOptions extends GetOptions {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** The largest page that the endpoint allows. */
  pageSize: number;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Called after each page: `read` never falls, and a change feed reports no total. */
  onProgress?: (progress: { read: number; total?: number }) => void;
}

/** What came of a long read. */
export interface LongRead {
  rows: JsonObject[];
  /** Requests that the platform answered with a page; cached pages cost none. */
  calls: number;
  /** Epoch milliseconds of the oldest page: the rows are at least as old as that. */
  readAtMs: number;
  /** False when rows exist that are not here; `notes` say why. */
  complete: boolean;
  /** What moved, was repeated or is missing. */
  notes: Warning[];
}

/**
 * Asks for one page, at a drain's priority and until its deadline.
 * @param isAnew asks the platform even where a young page is cached
 */
export type AskPage = (
  query: Query,
  signal: AbortSignal | undefined,
  isAnew?: boolean,
) => Promise<GetResponse>;

/** Every row of a list, as far as it could be read: in list order, each id once. */
export interface Drained extends LongRead {
  /** Rows overall, as last reported. */
  total: number;
  /** The other members of the first page's envelope. */
  envelope: JsonObject;
}

/** After so many empty pages a list is not read further in parallel. */
const maxEmptyPages = 3;

/** A row, in which reading of the list it came, and its first place there. */
interface PlacedRow {
  row: JsonObject;
  round: number;
  place: number;
}

/**
 * Reads a whole list: the first page gives the total, the others follow in parallel. Where fewer
 * different rows came than the last total, or rows left the list meanwhile, it is read once more in
 * sequence; what is still missing then is said in `notes`.
 * @param parts.concurrency pages in flight at once
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function drain(
  options: LongReadOptions,
  parts: { read: AskPage; concurrency: number; maxRows: number },
): Promise<Drained> {
  const { endpoint, query, pageSize, signal, onProgress } = options;
  const { read, concurrency } = parts;
  const { maxRows = parts.maxRows } = options;
  const from = Number(query?.start ?? 0);
  const placedRows = new Map<string, PlacedRow>();
  const totals: number[] = [];
  /** 1 while pages are read in parallel, 2 while they are read in sequence. */
  let round = 1;
  let total = 0;
  let previousTotal = 0;
  /** The place behind the last row that came. */
  let endOfRows = 0;
  let calls = 0;
  let emptyPages = 0;
  let reportedRows = 0;
  /** Whether the total fell in this round: rows that moved up may lie on pages already read. */
  let hasShrunk = false;
  let readAtMs = Number.POSITIVE_INFINITY;
  let stopReason: string | undefined;
  const expectedRows = () => Math.max(0, Math.min(total - from, maxRows));

  const firstPage = await readPage(from, signal);
  if (!firstPage.envelope) throw noList(endpoint);
  const { count: _, total: __, start: ___, limit: ____, ...envelope } = firstPage.envelope;
  // Empty pages mean that the total is wrong: reading in sequence finds the real end.
  await keepPartialOnRateLimit(() =>
    inParallel(
      offsets(from + pageSize, from + expectedRows(), pageSize),
      ...([concurrency, signal] as const),
      async (start, ending) => emptyPages < maxEmptyPages && readPage(start, ending),
    ),
  );
  const hadShrunk = hasShrunk;
  if (!stopReason && (hadShrunk || placedRows.size < expectedRows()))
    await keepPartialOnRateLimit(readInSequence);
  const rows = distinctRows();
  return { rows, calls, total, readAtMs, ...completeness(), envelope };

  /**
   * New rows are inserted at the top. If the list only grew, the rows missed so far are on its first
   * pages: stop when nothing is missing.
   */
  async function readInSequence(): Promise<void> {
    [round, previousTotal, hasShrunk] = [2, 0, false];
    for (let start = from; start < from + expectedRows(); ) {
      const page = await readPage(start, signal);
      if (!page.hasNewRows || (!hadShrunk && placedRows.size >= expectedRows())) return;
      start += page.rows.length;
    }
  }

  async function readPage(start: number, ending?: AbortSignal) {
    // Ask for the whole last page: a row after the reported end shows that the total is too low.
    const limit = Math.min(pageSize, from + maxRows - start);
    const page = await read({ ...query, start, limit }, ending, round > 1);
    const rows = page.rows.filter(isRecord);
    const end = rows.length && start + rows.length;
    if (end === 0) emptyPages++;
    // Without a total, a full page means that more rows follow.
    const hasTotal = Number.isInteger(page.total) && page.total >= 0;
    total = hasTotal ? page.total : Math.max(total, end + Number(rows.length >= limit));
    hasShrunk ||= total < previousTotal;
    previousTotal = total;
    totals.push(total);
    endOfRows = Math.max(endOfRows, end);
    readAtMs = Math.min(readAtMs, page.readAtMs);
    if (!page.cached) calls++;
    const newRows = rows.filter((row, index) => addRow(row, start + index));
    reportedRows = Math.max(reportedRows, Math.min(placedRows.size, expectedRows()));
    onProgress?.({ read: reportedRows, total });
    return { rows, envelope: page.envelope, hasNewRows: newRows.length > 0 };
  }

  /** @returns whether the row is new in this round */
  function addRow(row: JsonObject, place: number): boolean {
    const id = rowId(row) ?? `row ${place}`;
    const known = placedRows.get(id);
    if (known?.round !== round || place < known.place) placedRows.set(id, { row, round, place });
    return known?.round !== round;
  }

  /** Keeps the rows read so far where the rate budget runs out. */
  async function keepPartialOnRateLimit(reading: () => Promise<void>): Promise<void> {
    try {
      await reading();
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      stopReason = `Stopped before the end: ${error.message}`;
    }
  }

  /** Each row once, in list order: those of the second round first, or alone if the list shrank. */
  function distinctRows(): JsonObject[] {
    const hasLastRoundOnly = hadShrunk && !stopReason;
    return [...placedRows.values()]
      .filter((it) => !hasLastRoundOnly || it.round === round)
      .sort((a, b) => b.round - a.round || a.place - b.place)
      .slice(0, maxRows)
      .map(({ row }) => row);
  }

  function completeness(): Pick<Drained, 'complete' | 'notes'> {
    const least = Math.min(...totals);
    const most = Math.max(...totals);
    const lack = whyIncomplete(most);
    const text = `The list changed while it was read (it had ${least} to ${most} rows).`;
    const changed: Warning[] = least < most ? [{ code: 'moved_while_reading', text }] : [];
    return { complete: !lack, notes: lack ? [lack, ...changed] : changed };
  }

  function whyIncomplete(most: number): Warning | undefined {
    const all = total - from;
    const notWhole = (text: string): Warning => ({ code: 'not_whole', text });
    if (stopReason) return notWhole(stopReason);
    if (endOfRows > most)
      return notWhole(
        `The platform reports ${total} rows but gave ${endOfRows}; there may be more.`,
      );
    if (rows.length < expectedRows())
      return notWhole(`Only ${rows.length} different rows could be read of the ${all} reported.`);
    const text = `Stopped at ${maxRows} rows, the most one call may read, of ${all}.`;
    if (all > maxRows) return { code: 'row_limit', text };
    const gone = 'Rows left the list while it was read; some that are still in it may be missing.';
    return hasShrunk ? { code: 'moved_while_reading', text: gone } : undefined;
  }
}

function offsets(from: number, to: number, step: number): number[] {
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, at) => from + at * step);
}
