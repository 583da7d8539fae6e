import { hasCode } from '../../core/errors.ts';
import { noList } from '../transport/body.ts';
import type { Query } from '../transport/url.ts';
import {
  type AskPage,
  type ListPage,
  type LongRead,
  type LongReadOptions,
  type PageRow,
  type RowKey,
  readListPage,
  rowId,
  sayStopped,
} from './page.ts';
import { inParallel } from './parallel.ts';

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

/** What was read in one go through the list. */
class Reading {
  readonly pages = new Map<number, readonly PageRow[]>();
  /** Whether the list lost rows meanwhile: others may have slipped through between two pages. */
  hasShrunk = false;
  /** Where the platform gave nothing, or nothing new. */
  driedUpAt = Number.POSITIVE_INFINITY;
  readonly #seen = new Set<string>();
  #lastTotal = 0;
  #repeats = 0;

  get isRepeating(): boolean {
    return this.#repeats >= maxRepeats;
  }

  add(start: number, rows: readonly PageRow[], total: number, key: RowKey): void {
    const before = this.#seen.size;
    for (const row of rows) this.#seen.add(key(row) ?? JSON.stringify(row));
    this.#repeats = this.#seen.size > before ? 0 : this.#repeats + 1;
    if (rows.length === 0 || this.isRepeating) this.driedUpAt = Math.min(this.driedUpAt, start);
    this.pages.set(start, rows);
    this.hasShrunk ||= total < this.#lastTotal;
    this.#lastTotal = total;
  }
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
  const seen = new Set<string>();
  let reading = new Reading();
  let readings = [reading];
  let total = from;
  /** The fewest and the most rows that were reported, and how far pages went. */
  let [least, most, reached] = [Number.POSITIVE_INFINITY, 0, 0];
  let isTotalUnknown = false;
  let calls = 0;
  let shown = 0;
  let readAtMs = Number.POSITIVE_INFINITY;
  let stopped: string | undefined;

  const wanted = () => Math.max(0, Math.min(total - from, maxRows));
  const first = await readInParallel();
  const isMoved = reading.hasShrunk;
  if (!stopped && (isMoved || seen.size < wanted())) {
    reading = new Reading();
    readings = [reading, ...readings];
    await unlessSpent(readInSequence);
  }
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
    const starts = offsets(from + step, from + wanted(), step);
    await unlessSpent(() =>
      inParallel(starts, concurrency, signal, async (start, ending) => {
        if (!reading.pages.has(start) && start < reading.driedUpAt) await ask(start, ending);
      }),
    );
    return head;
  }

  /** Rows come in at the head, so a list that only grew is whole as soon as its head is read again. */
  async function readInSequence(): Promise<void> {
    let start = from;
    while (start < Math.min(from + wanted(), reading.driedUpAt)) {
      const page = await ask(start, signal, true);
      start += page?.rows.length ?? 0;
      if (!isMoved && seen.size >= wanted()) return;
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
    total = page?.total ?? Math.max(total, end);
    [least, most] = [Math.min(least, total), Math.max(most, total)];
    reached = Math.max(reached, end);
    readAtMs = Math.min(readAtMs, answered.readAtMs);
    if (answered.cached !== true) calls++;
    for (const [at, row] of given.entries()) seen.add(key(row) ?? `row ${start + at}`);
    reading.add(start, given, total, key);
    shown = Math.max(shown, Math.min(seen.size, wanted()));
    onProgress?.({ read: shown, total });
    return page;
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

  /** Each row once, in list order; the second reading before the first, or alone if rows left. */
  function distinctRows(): PageRow[] {
    const distinct = new Map<string, PageRow>();
    for (const { pages } of isMoved && !stopped ? [reading] : readings) {
      for (const [start, given] of [...pages].sort(([a], [b]) => a - b)) {
        for (const [at, row] of given.entries()) {
          const name = key(row) ?? `row ${start + at}`;
          if (!distinct.has(name)) distinct.set(name, row);
        }
      }
    }
    return [...distinct.values()].slice(0, maxRows);
  }

  function findings(): Pick<Drained, 'complete' | 'notes'> {
    const expected = total - from;
    const notes = stopped ? [stopped] : [];
    if (reached > most) {
      notes.push(`The platform reports ${total} rows but gave ${reached}; there may be more.`);
    } else if (isTotalUnknown) {
      notes.push('The platform tells no total; there may be rows after the first page.');
    } else if (rows.length < wanted()) {
      if (Number.isFinite(reading.driedUpAt)) notes.push(sayDriedUp(total, reading));
      notes.push(`Only ${rows.length} different rows could be read of the ${expected} reported.`);
    } else if (expected > maxRows) {
      notes.push(sayStopped(maxRows, expected));
    } else if (reading.hasShrunk) {
      notes.push('Rows left the list while it was read; some that are still in it may be missing.');
    }
    const complete = notes.length === 0;
    if (least < most)
      notes.push(`The list changed while it was read (it had ${least} to ${most} rows).`);
    return { complete, notes };
  }
}

function sayDriedUp(total: number, { isRepeating, driedUpAt }: Reading): string {
  return isRepeating
    ? `The platform reports ${total} rows but gives the same ones again and again.`
    : `The platform reports ${total} rows but gave none from row ${driedUpAt} on.`;
}

function offsets(from: number, to: number, step: number): number[] {
  const count = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length: count }, (_, at) => from + at * step);
}
