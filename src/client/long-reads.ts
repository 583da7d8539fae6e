import { inParallel } from '../core/deadline.ts';
import { hasCode } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { Message, Warning } from '../core/message.ts';
import type { HeldBytes } from '../core/process/memory-pool.ts';
import { clientMessages } from './messages.ts';
import type { GetOptions, GetResponse } from './request/get.ts';
import { noList, type Query } from './transport/http.ts';

/**
 * How to read something of many pages, each by a GET with these options; its priority is `bulk` by
 * default. A `start` in the query begins there, a `limit` is ignored.
 */
export interface LongReadOptions extends GetOptions {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** The largest page that the endpoint allows. */
  pageSize: number;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Bounds the bytes of the pages together. @default not bounded */
  bytes?: ListBytes;
  /** Called after each page: `read` never falls, and a change feed reports no total. */
  onProgress?: (progress: { read: number; total?: number }) => void;
}

interface LongRead {
  rows: JsonObject[];
  /** Requests that the platform answered with a page; cached pages cost none. */
  calls: number;
  /** Epoch milliseconds of the oldest page: the rows are at least as old as that. */
  readAtMs: number;
  /** False when rows exist that are not here; `notes` say why. */
  complete: boolean;
  /** Warnings of rows that moved, were repeated or are missing. */
  notes: Warning[];
}

/**
 * Asks for one page, with the priority of a long read and until its deadline.
 * @param isAnew asks the platform even where a young page is cached
 */
export type AskPage = (
  query: Query,
  signal: AbortSignal | undefined,
  isAnew?: boolean,
) => Promise<GetResponse>;

/** Every row of a list, as far as it could be read: in list order, each id once. */
export interface AllPages extends LongRead {
  /** Rows overall, as last reported. */
  total: number;
  /** The other members of the first page's envelope. */
  envelope: JsonObject;
}

/** Most bytes of one list or feed that is read to its end. */
export const maxListBytes = 128 * 2 ** 20;

/** Counts the bytes of one list while it is read, and with them those of its caller and of all callers. */
export class ListBytes {
  readonly #held: HeldBytes;
  readonly #caller: string;
  #bytes = 0;

  constructor(held: HeldBytes, caller: string) {
    this.#held = held;
    this.#caller = caller;
  }

  /** Counts a page. @returns why no other page may follow */
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

/** After so many empty pages a list is not read further in parallel. */
const maxEmptyPages = 3;

/**
 * Reads a whole list: the first page gives the total, the others follow in parallel. Where fewer
 * different rows came than the last total, or rows left the list meanwhile, it is read once more in
 * sequence; what is still missing then is said in `notes`.
 * @param concurrency pages in flight at once
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function readAllPages(
  { endpoint, query, pageSize, maxRows = Infinity, signal, bytes, onProgress }: LongReadOptions,
  read: AskPage,
  concurrency: number,
): Promise<AllPages> {
  const from = Number(query?.start ?? 0);
  const list = new ListReading(from, maxRows);

  const readPage = async (start: number, ending?: AbortSignal) => {
    // Ask for the whole last page: a row after the reported end shows that the total is too low.
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
    const others = Math.max(0, Math.ceil(list.expectedRows / pageSize) - 1);
    const starts = Array.from({ length: others }, (_, at) => from + (at + 1) * pageSize);
    await inParallel(starts, concurrency, signal, async (start, ending) => {
      // Empty pages mean that the total is wrong: reading in sequence finds the real end.
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
    // Keeps the rows that were read so far.
    if (!hasCode(error, 'rate_limited')) throw error;
    list.stopReason = error.reason;
  }
  return { ...list.result(), envelope };
}

/** How to follow a change feed to its end. */
export interface FollowOptions extends LongReadOptions {
  /** `since` or `cursor`, exactly one (docs/platform.md#change-feeds), and the feed's own filters. */
  query: Query;
}

/** The changed rows, each id once in its last version, and the cursor to go on from. */
export interface Changes extends LongRead {
  /** The next `cursor`; undefined only when the platform gave none. */
  nextCursor: string | undefined;
}

/**
 * Reads a change feed page after page. What was read is never lost: the cursor goes on from there.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
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
        // Set anew at the end: the order of the feed is the order of the last changes.
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

/** @param shortfall why rows are missing, where some are */
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

/** The `id` of a row, unique in its account, or its place where it has none. */
function rowId({ id }: JsonObject, place: number): string {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : `row ${place}`;
}

/** A list while it is read: in a first round in parallel, in a second one in sequence. */
class ListReading {
  round = 1;
  /** Why reading ended before the end. */
  stopReason: Message | undefined;
  readonly #from: number;
  readonly #maxRows: number;
  /** The pages in the order in which they came. */
  readonly #pages: (PageRead & { round: number; total: number; count: number; end: number })[] = [];
  /** The rows by their ids, each with its place in the last round that had it. */
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

  /** New rows are inserted at the top: of a list that only grew, the first pages have all that was missed. */
  get isWhole(): boolean {
    return !this.#hasShrunkIn(1) && this.#rows.size >= this.expectedRows;
  }

  /** Adds a page. Gives how many rows it has, and whether one of them is new in this round. */
  add(page: GetResponse, start: number, limit: number) {
    const { total, cached, readAtMs } = page;
    const rows = page.rows.filter(isRecord);
    const count = rows.length;
    const end = count && start + count;
    // Without a total, a full page means that more rows follow.
    const leastTotal = Math.max(this.#total, end + Number(count >= limit));
    const isTotal = Number.isInteger(total) && total >= 0;
    const { round } = this;
    this.#pages.push({ cached, readAtMs, round, total: isTotal ? total : leastTotal, count, end });
    const newRows = rows.filter((row, index) => this.#addRow(row, start + index));
    const held = Math.min(this.#rows.size, this.expectedRows);
    this.#reportedRows = Math.max(this.#reportedRows, held);
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

  /** Whether the total fell in a round: rows that moved up may lie on pages already read. */
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

  /** The rows in list order: rows of the second round first, or alone where the list shrank. */
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
