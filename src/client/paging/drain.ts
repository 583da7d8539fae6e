import { setMaxListeners } from 'node:events';
import { hasCode } from '../../core/errors.ts';
import { noList } from '../transport/body.ts';
import type { Query } from '../transport/http.ts';
import {
  type AskPage,
  type ListPage,
  type LongRead,
  type LongReadOptions,
  type PageRow,
  readListPage,
  rowId,
  sayStopped,
} from './page.ts';

/** How to read every page of an offset-paged list. */
export interface DrainOptions extends LongReadOptions {
  /** The list's own filters; a `start` among them begins there, a `limit` is ignored. */
  query?: Query;
}

/** Every row of a list, as far as it could be read: in list order, each id once. */
export interface Drained extends LongRead {
  /** Rows overall, as last reported. */
  total: number;
}

/** What a drain needs around it. */
export interface DrainParts {
  read: AskPage;
  /** Pages in flight at once. */
  concurrency: number;
  maxRows: number;
  /** Length of this list when it was read before: as many pages are asked for along with the first. */
  lastTotal?: number | undefined;
}

/** After so many pages in a row without a new row, the platform is repeating itself. */
const maxRepeats = 16;

/** A row and where it stood: in which reading of the list, and at which place. */
interface Found {
  row: PageRow;
  round: number;
  at: number;
}

/**
 * Reads a whole list: the first page gives the total, the others follow in parallel. Where fewer
 * different rows came than the last total, or rows left the list meanwhile, it is read once more in
 * sequence; what is still missing then is said in `notes`.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function drain(options: DrainOptions, parts: DrainParts): Promise<Drained> {
  const { endpoint, query, pageSize, signal, onProgress, key = rowId } = options;
  const { concurrency, lastTotal = 0 } = parts;
  const maxRows = options.maxRows ?? parts.maxRows;
  const from = Number(query?.start ?? 0);
  const found = new Map<string, Found>();
  const starts = new Set<number>();
  const totals: number[] = [];
  let total = from;
  let round = 1;
  /** Whether rows left the list during a reading: others may have slipped through between pages. */
  let hasShrunk = false;
  /** From where on the platform gave nothing new, and how far it gave rows. */
  let [emptyAt, reached] = [Number.POSITIVE_INFINITY, 0];
  let repeats = 0;
  let isTotalUnknown = false;
  let calls = 0;
  let shown = 0;
  let readAtMs = Number.POSITIVE_INFINITY;
  let stopped: string | undefined;

  const wanted = () => Math.max(0, Math.min(total - from, maxRows));
  const first = await readInParallel();
  const isMoved = hasShrunk;
  if (!stopped && (isMoved || found.size < wanted())) await unlessSpent(readInSequence);
  const rows = distinctRows();
  return { rows, calls, total, readAtMs, ...findings(), envelope: first.envelope };

  async function readInParallel(): Promise<ListPage> {
    // As many other pages as a list known from before is likely to have.
    const end = Math.min(lastTotal, from + concurrency * pageSize, from + maxRows);
    const [head] = await Promise.all([
      ask(from, signal),
      // A guess that fails is asked for again once the first page has given the total.
      ...offsets(from + pageSize, end, pageSize).map((at) => ask(at, signal).catch(() => {})),
    ]);
    if (!head) throw noList(endpoint);
    // The platform may give smaller pages than asked for.
    const isLast = head.rows.length === 0 || from + head.rows.length >= total;
    const step = isLast ? pageSize : head.rows.length;
    const others = offsets(from + step, from + wanted(), step);
    await unlessSpent(() =>
      inParallel(others, concurrency, signal, async (start, ending) => {
        if (!starts.has(start) && start < emptyAt) await ask(start, ending);
      }),
    );
    return head;
  }

  /** Rows come in at the head, so a list that only grew is whole as soon as its head is read again. */
  async function readInSequence(): Promise<void> {
    [round, hasShrunk, emptyAt] = [2, false, Number.POSITIVE_INFINITY];
    for (let start = from; start < Math.min(from + wanted(), emptyAt); ) {
      const page = await ask(start, signal, true);
      start += page?.rows.length ?? 0;
      if (!isMoved && found.size >= wanted()) return;
    }
  }

  async function ask(start: number, ending?: AbortSignal, isAnew = false) {
    // The last page is asked for whole: a row after the reported end shows that it is not the end.
    const limit = Math.min(pageSize, from + maxRows - start);
    const answered = await parts.read({ ...query, start, limit }, ending, isAnew);
    const page = readListPage(answered.body);
    const given = page?.rows ?? [];
    const end = given.length && start + given.length;
    if (page?.total === undefined && given.length >= limit) isTotalUnknown = true;
    const before = total;
    total = page?.total ?? Math.max(total, end);
    hasShrunk ||= isAnew && start === from ? false : total < before;
    totals.push(total);
    reached = Math.max(reached, end);
    readAtMs = Math.min(readAtMs, answered.readAtMs);
    if (answered.cached !== true) calls++;
    starts.add(start);
    const fresh = given.filter((row, index) => note(row, start + index));
    repeats = fresh.length > 0 ? 0 : repeats + 1;
    if (given.length === 0 || repeats >= maxRepeats) emptyAt = Math.min(emptyAt, start);
    shown = Math.max(shown, Math.min(found.size, wanted()));
    onProgress?.({ read: shown, total });
    return page;
  }

  /** @returns whether it is the first time in this reading */
  function note(row: PageRow, at: number): boolean {
    const name = key(row) ?? `row ${at}`;
    const known = found.get(name);
    if (known?.round !== round || at < known.at) found.set(name, { row, round, at });
    return known?.round !== round;
  }

  /** Rows that were read before the rate budget ended a read are kept. */
  async function unlessSpent(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      stopped = `Stopped before the end: ${error.message}`;
    }
  }

  /** Each row once, in list order; those of the second reading first, or alone if rows left. */
  function distinctRows(): PageRow[] {
    const isAlone = isMoved && !stopped;
    return [...found.values()]
      .filter((it) => !isAlone || it.round === round)
      .sort((a, b) => b.round - a.round || a.at - b.at)
      .slice(0, maxRows)
      .map(({ row }) => row);
  }

  function findings(): Pick<Drained, 'complete' | 'notes'> {
    const [least, most] = [Math.min(...totals), Math.max(...totals)];
    const reported = `The platform reports ${total} rows but gave`;
    const notes = stopped ? [stopped] : [];
    if (reached > most) {
      notes.push(`${reported} ${reached}; there may be more.`);
    } else if (isTotalUnknown) {
      notes.push('The platform tells no total; there may be rows after the first page.');
    } else if (rows.length < wanted()) {
      if (Number.isFinite(emptyAt)) notes.push(`${reported} nothing new from row ${emptyAt} on.`);
      const expected = `of the ${total - from} reported`;
      notes.push(`Only ${rows.length} different rows could be read ${expected}.`);
    } else if (total - from > maxRows) {
      notes.push(sayStopped(maxRows, total - from));
    } else if (hasShrunk) {
      notes.push('Rows left the list while it was read; some that are still in it may be missing.');
    }
    const complete = notes.length === 0;
    if (least < most)
      notes.push(`The list changed while it was read (it had ${least} to ${most} rows).`);
    return { complete, notes };
  }
}

function offsets(from: number, to: number, step: number): number[] {
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, at) => from + at * step);
}

/**
 * Works through `items` in order, `width` of them at once. The first failure ends the others
 * through their signal and is thrown once all have ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal | undefined,
  work: (item: T, ending: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  // One listener for each item under way and what it starts: more than Node takes for a leak.
  setMaxListeners(0, ending.signal);
  const onAbort = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  let next = 0;
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    while (next < items.length && !failure) {
      const item = items[next++];
      if (item === undefined) return;
      try {
        await work(item, ending.signal);
      } catch (error) {
        failure ??= { error };
        ending.abort(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  if (failure) throw failure.error;
}
