import { inParallel } from '../core/deadline.ts';
import { hasCode } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { Message, Warning } from '../core/message.ts';
import type { HeldBytes } from '../core/process/memory-pool.ts';
import { clientMessages } from './messages.ts';
import type { GetOptions, GetResponse } from './request/get.ts';
import { noList, type Query } from './transport/http.ts';

/**
 * Options for a read of many pages, each a GET. The priority is `bulk` by default. `start` of the query is respected,
 * `limit` is ignored.
 */
export interface LongReadOptions extends GetOptions {
  endpoint: string;
  pageSize: number;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Bounds the bytes of all pages. @default unbounded */
  bytes?: ListBytes;
  /** Called after each page. `read` never falls; a change feed has no total. */
  onProgress?: (progress: { read: number; total?: number }) => void;
}

interface LongRead {
  rows: JsonObject[];
  /** Requests to the platform; cached pages cost none. */
  calls: number;
  /** Epoch milliseconds of the oldest page. */
  readAtMs: number;
  /** False when rows are missing; `notes` tell why. */
  complete: boolean;
  /** Warnings about rows that moved, were repeated or are missing. */
  notes: Warning[];
}

/**
 * Asks for one page with the priority and deadline of its read.
 * @param isAnew asks the platform even if a recent page is cached
 */
export type AskPage = (
  query: Query,
  signal: AbortSignal | undefined,
  isAnew?: boolean,
) => Promise<GetResponse>;

/** The rows of a list as far as they could be read, in list order and each id once. */
export interface AllPages extends LongRead {
  /** Rows of the list by the last report. */
  total: number;
  envelope: JsonObject;
}

/** Most bytes of one list or feed. */
export const maxListBytes = 128 * 2 ** 20;

/** Counts the bytes of a list while it is read, alone and with those of its caller and of all callers. */
export class ListBytes {
  readonly #held: HeldBytes;
  readonly #caller: string;
  #bytes = 0;

  constructor(held: HeldBytes, caller: string) {
    this.#held = held;
    this.#caller = caller;
  }

  /** @returns the reason why no further page may be read */
  add({ size }: Pick<GetResponse, 'size'>): Message | undefined {
    this.#bytes += size;
    const full = this.#held.add(this.#caller, size);
    const of = this.#bytes > maxListBytes ? 'list' : full;
    const megabytes = Math.round(maxListBytes / 2 ** 20) * (of === 'all' ? 2 : 1);
    return of && clientMessages.long_reads_too_large({ megabytes, of });
  }

  release(): void {
    this.#held.add(this.#caller, -this.#bytes);
  }
}

/** Empty pages after which parallel reading ends. */
const maxEmptyPages = 3;

/**
 * Reads a whole list. The first page gives the total, the others follow in parallel. If fewer distinct rows came than
 * the last total, or rows left the list meanwhile, it is read again in sequence; `notes` tell what is still missing.
 * @param concurrency pages in flight at once
 * @throws CommerceError the failure of the first page, or of any page except an exhausted rate budget
 */
export async function readAllPages(
  { endpoint, query, pageSize, maxRows = Infinity, signal, bytes, onProgress }: LongReadOptions,
  read: AskPage,
  concurrency: number,
): Promise<AllPages> {
  const from = Number(query?.start ?? 0);
  const list = new ListReading(from, maxRows);

  const readPage = async (start: number, ending?: AbortSignal) => {
    // The last page is requested whole: a row after the reported end shows that the total is too low.
    const limit = Math.min(pageSize, from + maxRows - start);
    const page = await read({ ...query, start, limit }, ending, list.round > 1);
    const added = list.add(page, start, limit);
    list.stopReason ??= bytes?.add(page);
    onProgress?.(list.progress);
    return { ...added, envelope: page.envelope };
  };

  const { envelope: firstEnvelope } = await readPage(from, signal);
  if (!firstEnvelope) throw noList(endpoint);
  const { count: _, total: __, start: ___, limit: ____, ...envelope } = firstEnvelope;
  try {
    const otherPages = Math.max(0, Math.ceil(list.expectedRows / pageSize) - 1);
    const starts = Array.from({ length: otherPages }, (_, at) => from + (at + 1) * pageSize);
    await inParallel(starts, concurrency, signal, async (start, ending) => {
      // Empty pages show a wrong total; reading in sequence finds the real end.
      if (list.emptyPages < maxEmptyPages && !list.stopReason) await readPage(start, ending);
    });
    if (!list.isWhole && !list.stopReason) {
      list.round = 2;
      for (let start = from; start < from + list.expectedRows; ) {
        const { count, hasNewRows } = await readPage(start, signal);
        if (!hasNewRows || list.isWhole || list.stopReason) break;
        start += count;
      }
    }
  } catch (error) {
    // The rows that were read stay.
    if (!hasCode(error, 'rate_limited')) throw error;
    list.stopReason = error.reason;
  }
  return { ...list.result(), envelope };
}

export interface FollowOptions extends LongReadOptions {
  /** Either `since` or `cursor` (docs/platform.md#change-feeds), and filters of the feed. */
  query: Query;
}

export interface Changes extends LongRead {
  /** Undefined only if the platform gave none. */
  nextCursor: string | undefined;
}

/**
 * Reads a change feed page by page. No row is lost when it stops: the cursor continues from there.
 * @throws CommerceError the failure of the first page, or of any page except an exhausted rate budget
 */
export async function followChanges(
  { endpoint, query, pageSize, maxRows = Infinity, signal, bytes, onProgress }: FollowOptions,
  read: AskPage,
): Promise<Changes> {
  const { since, cursor, ...filters } = query;
  const pages: PageRead[] = [];
  const rows = new Map<string, JsonObject>();
  const cursors = new Set<unknown>([cursor]);
  let nextCursor = typeof cursor === 'string' ? cursor : undefined;
  let received = 0;
  let shortfall: Warning | undefined;
  try {
    for (let place: Query | undefined = { since, cursor }; place !== undefined; ) {
      const limit = Math.min(pageSize, maxRows - rows.size);
      if (limit <= 0) {
        shortfall = clientMessages.row_limit({ rows: rows.size });
        break;
      }
      const page = await read({ ...filters, ...place, limit }, signal);
      if (!page.envelope) throw noList(endpoint);
      const { next_cursor, has_more }: JsonObject = page.envelope;
      pages.push(page);
      for (const row of page.rows.filter(isRecord)) {
        const id = rowId(row, received++);
        // Moved to the end: the feed is in the order of the last changes.
        rows.delete(id);
        rows.set(id, row);
      }
      onProgress?.({ read: rows.size });
      const isCursor = typeof next_cursor === 'string';
      if (has_more === true && (!isCursor || cursors.has(next_cursor))) {
        shortfall = clientMessages.not_whole({ why: 'cursor_stands_still' });
        break;
      }
      if (isCursor) nextCursor = next_cursor;
      cursors.add(nextCursor);
      const reason = has_more === true && bytes?.add(page);
      if (reason) {
        shortfall = clientMessages.not_whole({ why: 'feed_stopped', rows: rows.size, reason });
        break;
      }
      place = has_more === true ? { cursor: nextCursor } : undefined;
    }
  } catch (error) {
    if (pages.length === 0 || !hasCode(error, 'rate_limited')) throw error;
    const { reason } = error;
    shortfall = clientMessages.not_whole({ why: 'feed_stopped', rows: rows.size, reason });
  }
  const repeated = received - rows.size;
  const note = clientMessages.repeated_rows({ repeated, rows: rows.size });
  return { ...longRead(pages, [...rows.values()], shortfall, repeated > 0 && note), nextCursor };
}

type PageRead = Pick<GetResponse, 'cached' | 'readAtMs'>;

function longRead(
  pages: readonly PageRead[],
  rows: JsonObject[],
  shortfall: Warning | undefined,
  note: Warning | false,
): LongRead {
  return {
    rows,
    calls: pages.filter(({ cached }) => !cached).length,
    readAtMs: Math.min(...pages.map(({ readAtMs }) => readAtMs)),
    complete: !shortfall,
    notes: [shortfall, note].filter((warning) => warning !== undefined && warning !== false),
  };
}

/** The `id` of a row, or its place if it has none. */
function rowId({ id }: JsonObject, place: number): string {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : `row ${place}`;
}

/** A list that is being read: first in parallel, in a second round in sequence. */
class ListReading {
  round = 1;
  stopReason: Message | undefined;
  readonly #from: number;
  readonly #maxRows: number;
  readonly #pages: (PageRead & { round: number; total: number; count: number; end: number })[] = [];
  /** Rows by id, each with its place in the last round that had it. */
  readonly #rows = new Map<string, { row: JsonObject; round: number; place: number }>();
  #reportedRows = 0;

  constructor(from: number, maxRows: number) {
    this.#from = from;
    this.#maxRows = maxRows;
  }

  get #total(): number {
    return this.#pages.at(-1)?.total ?? 0;
  }

  get expectedRows(): number {
    return Math.max(0, Math.min(this.#total - this.#from, this.#maxRows));
  }

  get emptyPages(): number {
    return this.#pages.filter(({ count }) => count === 0).length;
  }

  get progress() {
    return { read: this.#reportedRows, total: this.#total };
  }

  /** Rows enter a list at the top, so a list that grew lacks rows of its first pages at most. */
  get isWhole(): boolean {
    return !this.#hasShrunkIn(1) && this.#rows.size >= this.expectedRows;
  }

  /** @returns the count of rows, and whether one of them is new in this round */
  add(page: GetResponse, start: number, limit: number) {
    const { total, cached, readAtMs } = page;
    const rows = page.rows.filter(isRecord);
    const count = rows.length;
    const end = count && start + count;
    // Without a total, a full page suggests more rows.
    const minRows = Math.max(this.#total, end + Number(count >= limit));
    const isTotal = Number.isInteger(total) && total >= 0;
    const { round } = this;
    this.#pages.push({ cached, readAtMs, round, total: isTotal ? total : minRows, count, end });
    const newRows = rows.filter((row, index) => this.#addRow(row, start + index));
    const readRows = Math.min(this.#rows.size, this.expectedRows);
    this.#reportedRows = Math.max(this.#reportedRows, readRows);
    return { count, hasNewRows: newRows.length > 0 };
  }

  #addRow(row: JsonObject, place: number): boolean {
    const { round } = this;
    const id = rowId(row, place);
    const earlier = this.#rows.get(id);
    const isNew = earlier?.round !== round;
    if (isNew || place < earlier.place) this.#rows.set(id, { row, round, place });
    return isNew;
  }

  /** Whether the total fell in a round, so that rows may have moved to pages that were already read. */
  #hasShrunkIn(round: number): boolean {
    const totals = this.#pages.filter((page) => page.round === round).map(({ total }) => total);
    return totals.some((total, at) => total < (totals[at - 1] ?? 0));
  }

  result() {
    const rows = this.#distinctRows();
    const totals = this.#pages.map(({ total }) => total);
    const [minTotal, maxTotal] = [Math.min(...totals), Math.max(...totals)];
    const moved = clientMessages.moved_while_reading({ rows: [minTotal, maxTotal] });
    const lack = this.#whyIncomplete(rows.length, maxTotal);
    return {
      ...longRead(this.#pages, rows, lack, minTotal < maxTotal && moved),
      total: this.#total,
    };
  }

  /** Rows in list order; rows of the second round come first, or alone if the list shrank. */
  #distinctRows(): JsonObject[] {
    const hasLastRoundOnly = this.#hasShrunkIn(1) && !this.stopReason;
    return [...this.#rows.values()]
      .filter(({ round }) => !hasLastRoundOnly || round === this.round)
      .sort((a, b) => b.round - a.round || a.place - b.place)
      .slice(0, this.#maxRows)
      .map(({ row }) => row);
  }

  #whyIncomplete(rows: number, maxTotal: number): Warning | undefined {
    const maxRows = this.#maxRows;
    const total = this.#total - this.#from;
    const endOfRows = Math.max(...this.#pages.map(({ end }) => end));
    const reason = this.stopReason;
    if (reason) return clientMessages.not_whole({ why: 'list_stopped', reason });
    if (endOfRows > maxTotal)
      return clientMessages.not_whole({
        why: 'more_than_reported',
        rows: endOfRows,
        total: this.#total,
      });
    if (rows < this.expectedRows)
      return clientMessages.not_whole({ why: 'fewer_than_reported', rows, total });
    if (total > maxRows) return clientMessages.row_limit({ rows: maxRows, total });
    return this.#hasShrunkIn(this.round) ? clientMessages.moved_while_reading({}) : undefined;
  }
}
