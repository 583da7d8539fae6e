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

/** A list of which so many pages were empty is not read further in parallel. */
const maxEmpty = 3;

/** A row and where it stood: in which reading of the list, and at which place. */
interface Found {
  row: JsonObject;
  round: number;
  at: number;
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
  const { read, concurrency, maxRows: most } = parts;
  const { maxRows = most } = options;
  const from = Number(query?.start ?? 0);
  const found = new Map<string, Found>();
  const totals: number[] = [];
  let [round, total, previousTotal, reached, calls, shown, empty] = [1, 0, 0, 0, 0, 0, 0];
  /** Whether rows left the list during a reading: others may have slipped through between pages. */
  let hasShrunk = false;
  let readAtMs = Number.POSITIVE_INFINITY;
  let stopped: string | undefined;
  const wanted = () => Math.max(0, Math.min(total - from, maxRows));

  const head = await ask(from, signal);
  if (!head.envelope) throw noList(endpoint);
  const { count: _, total: __, start: ___, limit: ____, ...envelope } = head.envelope;
  // Where pages come empty the total was wrong: what the others hold is found out in sequence.
  await keepPartialOnRateLimit(() =>
    inParallel(
      offsets(from + pageSize, from + wanted(), pageSize),
      ...([concurrency, signal] as const),
      async (start, ending) => empty < maxEmpty && ask(start, ending),
    ),
  );
  const isMoved = hasShrunk;
  if (!stopped && (isMoved || found.size < wanted())) await keepPartialOnRateLimit(readInSequence);
  const rows = distinctRows();
  return { rows, calls, total, readAtMs, ...findings(), envelope };

  /** Rows come in at the head, so a list that only grew is whole as soon as its head is read again. */
  async function readInSequence(): Promise<void> {
    [round, previousTotal, hasShrunk] = [2, 0, false];
    for (let start = from; start < from + wanted(); ) {
      const page = await ask(start, signal);
      if (!page.isNew || (!isMoved && found.size >= wanted())) return;
      start += page.rows.length;
    }
  }

  async function ask(start: number, ending?: AbortSignal) {
    // The last page is asked for whole: a row after the reported end shows that it is not the end.
    const limit = Math.min(pageSize, from + maxRows - start);
    const answered = await read({ ...query, start, limit }, ending, round > 1);
    const rows = answered.rows.filter(isRecord);
    const end = rows.length && start + rows.length;
    empty += Number(end === 0);
    // Without a total, a full page says that there is more.
    const isTold = Number.isInteger(answered.total) && answered.total >= 0;
    total = isTold ? answered.total : Math.max(total, end + Number(rows.length >= limit));
    hasShrunk ||= total < previousTotal;
    previousTotal = total;
    totals.push(total);
    reached = Math.max(reached, end);
    readAtMs = Math.min(readAtMs, answered.readAtMs);
    if (!answered.cached) calls++;
    const fresh = rows.filter((row, index) => note(row, start + index));
    shown = Math.max(shown, Math.min(found.size, wanted()));
    onProgress?.({ read: shown, total });
    return { rows, envelope: answered.envelope, isNew: fresh.length > 0 };
  }

  /** @returns whether it is the first time in this reading */
  function note(row: JsonObject, at: number): boolean {
    const name = rowId(row) ?? `row ${at}`;
    const known = found.get(name);
    if (known?.round !== round || at < known.at) found.set(name, { row, round, at });
    return known?.round !== round;
  }

  /** Rows that were read before the rate budget ended a read are kept. */
  async function keepPartialOnRateLimit(reading: () => Promise<void>): Promise<void> {
    try {
      await reading();
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      stopped = `Stopped before the end: ${error.message}`;
    }
  }

  /** Each row once, in list order; those of the second reading first, or alone if rows left. */
  function distinctRows(): JsonObject[] {
    const isAlone = isMoved && !stopped;
    return [...found.values()]
      .filter((it) => !isAlone || it.round === round)
      .sort((a, b) => b.round - a.round || a.at - b.at)
      .slice(0, maxRows)
      .map(({ row }) => row);
  }

  function findings(): Pick<Drained, 'complete' | 'notes'> {
    const [least, most] = [Math.min(...totals), Math.max(...totals)];
    const lack = lackOf(most);
    const text = `The list changed while it was read (it had ${least} to ${most} rows).`;
    const changed: Warning[] = least < most ? [{ code: 'moved_while_reading', text }] : [];
    return { complete: !lack, notes: lack ? [lack, ...changed] : changed };
  }

  /** Why rows may exist that are not among these. */
  function lackOf(most: number): Warning | undefined {
    const all = total - from;
    const notWhole = (text: string): Warning => ({ code: 'not_whole', text });
    if (stopped) return notWhole(stopped);
    if (reached > most)
      return notWhole(`The platform reports ${total} rows but gave ${reached}; there may be more.`);
    if (rows.length < wanted())
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
