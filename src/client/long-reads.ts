import { inParallel } from '../core/deadline.ts';
import { hasCode } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { Message, Warning } from '../core/message.ts';
import type { GetOptions, GetResponse } from './request/get.ts';
import { noList, type Query } from './transport/http.ts';

/** The `id` of a row, numeric and valid per account; undefined for rows that carry none. */
function rowId({ id }: JsonObject): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

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
  /** What moved, was repeated or is missing. */
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

/** After so many empty pages a list is not read further in parallel. */
const maxEmptyPages = 3;

/**
 * Reads a whole list: the first page gives the total, the others follow in parallel. Where fewer
 * different rows came than the last total, or rows left the list meanwhile, it is read once more in
 * sequence; what is still missing then is said in `notes`.
 * @param parts.concurrency pages in flight at once
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function readAllPages(
  options: LongReadOptions,
  parts: { read: AskPage; concurrency: number; maxRows: number },
): Promise<AllPages> {
  const { endpoint, query, pageSize, signal, onProgress, maxRows = parts.maxRows } = options;
  const from = Number(query?.start ?? 0);
  const list = new ListReading(from, maxRows);

  const readPage = async (start: number, ending?: AbortSignal) => {
    // Ask for the whole last page: a row after the reported end shows that the total is too low.
    const limit = Math.min(pageSize, from + maxRows - start);
    const page = await parts.read({ ...query, start, limit }, ending, list.round > 1);
    const added = list.add(page, start, limit);
    onProgress?.(list.progress);
    return { ...added, envelope: page.envelope };
  };

  const { envelope: firstEnvelope } = await readPage(from, signal);
  if (!firstEnvelope) throw noList(endpoint);
  const { count: _, total: __, start: ___, limit: ____, ...envelope } = firstEnvelope;
  try {
    const starts = offsets(from + pageSize, from + list.expectedRows, pageSize);
    await inParallel(starts, parts.concurrency, signal, async (start, ending) => {
      // Empty pages mean that the total is wrong: reading in sequence finds the real end.
      if (list.emptyPages < maxEmptyPages) await readPage(start, ending);
    });
    if (list.beginSecondRound())
      for (let start = from; start < from + list.expectedRows; ) {
        const { count, hasNewRows } = await readPage(start, signal);
        if (!hasNewRows || list.isRepaired) break;
        start += count;
      }
  } catch (error) {
    // What was read so far is kept.
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

/** What changed, each id once in its last version, and where to go on. */
export interface Changes extends LongRead {
  /** To send as `cursor` next time; undefined only when the platform gave none. */
  nextCursor: string | undefined;
}

/**
 * Reads a change feed page after page. What was read is never lost: the cursor goes on from there.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function followChanges(
  options: FollowOptions,
  parts: { read: AskPage; maxRows: number },
): Promise<Changes> {
  const { endpoint, pageSize, signal, onProgress, maxRows = parts.maxRows } = options;
  const { since, cursor, ...filters } = options.query;
  const rows = new Map<string, JsonObject>();
  const cursors = new Set<unknown>([cursor]);
  let nextCursor = typeof cursor === 'string' ? cursor : undefined;
  let shortfall: Warning | undefined;
  let received = 0;
  let calls = 0;
  let readAtMs = Number.POSITIVE_INFINITY;
  const stoppedBy = (error: unknown): undefined => {
    if (readAtMs === Number.POSITIVE_INFINITY || !hasCode(error, 'rate_limited')) throw error;
    const { reason } = error;
    shortfall = { code: 'not_whole', why: 'feed_stopped', rows: rows.size, reason };
  };
  for (let place: Query | undefined = { since, cursor }; place !== undefined; ) {
    const limit = Math.min(pageSize, maxRows - rows.size);
    if (limit <= 0) {
      shortfall = { code: 'row_limit', rows: rows.size };
      break;
    }
    const query: Query = { ...filters, ...place, limit };
    const page = await parts.read(query, signal).catch(stoppedBy);
    if (page === undefined) break;
    if (!page.envelope) throw noList(endpoint);
    const { next_cursor, has_more }: JsonObject = page.envelope;
    readAtMs = Math.min(readAtMs, page.readAtMs);
    if (!page.cached) calls++;
    for (const row of page.rows.filter(isRecord)) {
      const id = rowId(row) ?? `row ${received}`;
      received++;
      // Set anew at the end: the order of the feed is the order of the last changes.
      rows.delete(id);
      rows.set(id, row);
    }
    onProgress?.({ read: rows.size });
    const isCursor = typeof next_cursor === 'string';
    if (has_more === true && (!isCursor || cursors.has(next_cursor))) {
      shortfall = { code: 'not_whole', why: 'cursor_stands_still' };
      break;
    }
    if (isCursor) nextCursor = next_cursor;
    cursors.add(nextCursor);
    place = has_more === true ? { cursor: nextCursor } : undefined;
  }
  const repeated = received - rows.size;
  const notes: Warning[] = shortfall ? [shortfall] : [];
  if (repeated > 0) notes.push({ code: 'repeated_rows', repeated, rows: rows.size });
  return { rows: [...rows.values()], calls, readAtMs, complete: !shortfall, nextCursor, notes };
}

interface PlacedRow {
  row: JsonObject;
  round: number;
  place: number;
}

/** What is known of a list while it is read: in a first round in parallel, in a second one in sequence. */
class ListReading {
  round = 1;
  emptyPages = 0;
  /** Why reading ended before the end. */
  stopReason: Message | undefined;
  readonly #from: number;
  readonly #maxRows: number;
  readonly #placedRows = new Map<string, PlacedRow>();
  readonly #totals: number[] = [];
  #total = 0;
  /** Of the page before, in this round. */
  #previousTotal = 0;
  /** Whether the total fell in this round: rows that moved up may lie on pages already read. */
  #hasShrunk = false;
  /** The same of the first round, once there is a second one. */
  #hadShrunk = false;
  #endOfRows = 0;
  #reportedRows = 0;
  #calls = 0;
  #readAtMs = Number.POSITIVE_INFINITY;

  constructor(from: number, maxRows: number) {
    this.#from = from;
    this.#maxRows = maxRows;
  }

  get expectedRows(): number {
    return Math.max(0, Math.min(this.#total - this.#from, this.#maxRows));
  }

  get progress() {
    return { read: this.#reportedRows, total: this.#total };
  }

  /** New rows are inserted at the top: of a list that only grew, the first pages have all that was missed. */
  get isRepaired(): boolean {
    return !this.#hadShrunk && this.#placedRows.size >= this.expectedRows;
  }

  /** Adds a page. Gives how many rows it has, and whether one of them is new in this round. */
  add(page: GetResponse, start: number, limit: number) {
    const rows = page.rows.filter(isRecord);
    const end = rows.length && start + rows.length;
    if (end === 0) this.emptyPages++;
    // Without a total, a full page means that more rows follow.
    const hasTotal = Number.isInteger(page.total) && page.total >= 0;
    const leastTotal = Math.max(this.#total, end + Number(rows.length >= limit));
    this.#total = hasTotal ? page.total : leastTotal;
    this.#hasShrunk ||= this.#total < this.#previousTotal;
    this.#previousTotal = this.#total;
    this.#totals.push(this.#total);
    this.#endOfRows = Math.max(this.#endOfRows, end);
    this.#readAtMs = Math.min(this.#readAtMs, page.readAtMs);
    if (!page.cached) this.#calls++;
    const newRows = rows.filter((row, index) => this.#addRow(row, start + index));
    const count = Math.min(this.#placedRows.size, this.expectedRows);
    this.#reportedRows = Math.max(this.#reportedRows, count);
    return { count: rows.length, hasNewRows: newRows.length > 0 };
  }

  #addRow(row: JsonObject, place: number): boolean {
    const { round } = this;
    const id = rowId(row) ?? `row ${place}`;
    const known = this.#placedRows.get(id);
    const isNew = known?.round !== round;
    if (isNew || place < known.place) this.#placedRows.set(id, { row, round, place });
    return isNew;
  }

  beginSecondRound(): boolean {
    this.#hadShrunk = this.#hasShrunk;
    if (this.isRepaired) return false;
    this.round = 2;
    this.#previousTotal = 0;
    this.#hasShrunk = false;
    return true;
  }

  result() {
    const rows = this.#distinctRows();
    const least = Math.min(...this.#totals);
    const most = Math.max(...this.#totals);
    const lack = this.#whyIncomplete(rows.length, most);
    const notes: Warning[] = lack ? [lack] : [];
    if (least < most) notes.push({ code: 'moved_while_reading', rows: [least, most] });
    return {
      rows,
      calls: this.#calls,
      total: this.#total,
      readAtMs: this.#readAtMs,
      complete: !lack,
      notes,
    };
  }

  /** In list order: those of the second round first, or alone where the list shrank. */
  #distinctRows(): JsonObject[] {
    const hasLastRoundOnly = this.#hadShrunk && !this.stopReason;
    return [...this.#placedRows.values()]
      .filter((it) => !hasLastRoundOnly || it.round === this.round)
      .sort((a, b) => b.round - a.round || a.place - b.place)
      .slice(0, this.#maxRows)
      .map(({ row }) => row);
  }

  #whyIncomplete(rows: number, mostTotal: number): Warning | undefined {
    const maxRows = this.#maxRows;
    const total = this.#total - this.#from;
    const code = 'not_whole';
    if (this.stopReason) return { code, why: 'list_stopped', reason: this.stopReason };
    if (this.#endOfRows > mostTotal)
      return { code, why: 'more_than_reported', rows: this.#endOfRows, total: this.#total };
    if (rows < this.expectedRows) return { code, why: 'fewer_than_reported', rows, total };
    if (total > maxRows) return { code: 'row_limit', rows: maxRows, total };
    return this.#hasShrunk ? { code: 'moved_while_reading' } : undefined;
  }
}

function offsets(from: number, to: number, step: number): number[] {
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, at) => from + at * step);
}
