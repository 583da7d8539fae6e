import { hasCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { noList } from '../transport/body.ts';
import type { Query } from '../transport/url.ts';
import {
  type AskPage,
  type ListPage,
  type LongReadOptions,
  type PageRow,
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

/** Every row of a list, as far as it could be read. */
export interface Drained {
  /** In list order, each id once. */
  rows: PageRow[];
  /** Requests that the platform answered with a page; cached pages cost none. */
  calls: number;
  /** Rows overall, as last reported. */
  total: number;
  /** Epoch milliseconds of the oldest page: the rows are at least as old as that. */
  readAtMs: number;
  /** False when rows exist that are not here; `notes` say why. */
  complete: boolean;
  /** Sentences about what moved or is missing. */
  notes: string[];
  /** The other members of the first page's envelope. */
  envelope: JsonObject;
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

/**
 * Reads a whole list: the first page gives the total, the others follow in parallel. Where fewer
 * different rows came than the last total, or rows left the list meanwhile, it is read once more in
 * sequence; what is still missing then is said in `notes`.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function drain(options: DrainOptions, parts: DrainParts): Promise<Drained> {
  return new ListRead(options, parts).run();
}

class ListRead {
  readonly #options: DrainOptions;
  readonly #parts: DrainParts;
  readonly #from: number;
  readonly #maxRows: number;
  /** Pages of the first and of the second reading, and the rows seen in each and in both. */
  readonly #pages: Map<number, readonly PageRow[]>[] = [new Map()];
  readonly #seen = new Set<string>();
  #seenThisTime = new Set<string>();
  #repeats = 0;
  #calls = 0;
  #shown = 0;
  #readAtMs = Number.POSITIVE_INFINITY;
  #total: number;
  readonly #totals = new Set<number>();
  #hasShrunk = false;
  #isTotalUnknown = false;
  /** How far rows came, counted from the head of the list. */
  #reached = 0;
  /** Where the platform gave nothing, or nothing new. */
  #driedUpAt = Number.POSITIVE_INFINITY;
  #stopped: string | undefined;

  constructor(options: DrainOptions, parts: DrainParts) {
    this.#options = options;
    this.#parts = parts;
    this.#from = Number(options.query?.start ?? 0);
    this.#maxRows = options.maxRows ?? parts.maxRows;
    this.#total = this.#from;
  }

  async run(): Promise<Drained> {
    const { envelope } = await this.#readParallel();
    const isMoved = this.#hasShrunk;
    if (!this.#stopped && (isMoved || this.#seen.size < this.#wanted)) {
      await this.#unlessSpent(() => this.#readInSequence(isMoved));
    }
    const rows = this.#rows(isMoved && !this.#stopped);
    return { rows, ...this.#findings(rows.length), envelope };
  }

  /** How many rows the list has for this read. */
  get #wanted(): number {
    return Math.max(0, Math.min(this.#total - this.#from, this.#maxRows));
  }

  async #readParallel(): Promise<ListPage> {
    const { pageSize, signal, endpoint } = this.#options;
    const { concurrency, lastTotal = 0 } = this.#parts;
    const [from, most] = [this.#from, this.#from + this.#maxRows];
    // As many other pages as a list known from before is likely to have.
    const end = Math.min(lastTotal, from + concurrency * pageSize, most);
    const guesses = offsets(from + pageSize, end, pageSize);
    const [first] = await Promise.all([
      this.#ask(from, signal),
      // A guess that fails is asked for again once the first page has given the total.
      ...guesses.map((start) => this.#ask(start, signal).catch(() => undefined)),
    ]);
    if (!first) throw noList(endpoint);
    // The platform may give smaller pages than asked for.
    const isLast = first.rows.length === 0 || from + first.rows.length >= this.#total;
    const step = isLast ? pageSize : first.rows.length;
    const starts = offsets(from + step, from + this.#wanted, step);
    await this.#unlessSpent(() =>
      inParallel(starts, concurrency, signal, async (start, ending) => {
        const isKnown = this.#pages[0]?.has(start);
        if (!isKnown && start < this.#driedUpAt) await this.#ask(start, ending);
      }),
    );
    return first;
  }

  /** Rows come in at the head, so a list that only grew is whole as soon as its head is read again. */
  async #readInSequence(isMoved: boolean): Promise<void> {
    this.#pages.unshift(new Map());
    this.#seenThisTime = new Set();
    this.#hasShrunk = false;
    this.#repeats = 0;
    this.#driedUpAt = Number.POSITIVE_INFINITY;
    let start = this.#from;
    while (start < Math.min(this.#from + this.#wanted, this.#driedUpAt)) {
      const page = await this.#ask(start, this.#options.signal, true);
      start += page?.rows.length ?? 0;
      if (!isMoved && this.#seen.size >= this.#wanted) return;
    }
  }

  async #ask(start: number, signal?: AbortSignal, isAnew = false): Promise<ListPage | undefined> {
    const { query, pageSize, onProgress, key = rowId } = this.#options;
    // The last page is asked for whole: a row after the reported end shows that it is not the end.
    const limit = Math.min(pageSize, this.#from + this.#maxRows - start);
    const reading = await this.#parts.read({ ...query, start, limit }, signal, isAnew);
    const page = readListPage(reading.body);
    const rows = page?.rows ?? [];
    this.#readAtMs = Math.min(this.#readAtMs, reading.readAtMs);
    if (reading.cached !== true) this.#calls++;
    this.#measure(page?.total, rows.length && start + rows.length, rows.length >= limit);
    const before = this.#seenThisTime.size;
    for (const [index, row] of rows.entries()) {
      const id = key(row);
      this.#seen.add(id ?? `row ${start + index}`);
      this.#seenThisTime.add(id ?? JSON.stringify(row));
    }
    this.#repeats = this.#seenThisTime.size > before ? 0 : this.#repeats + 1;
    if (rows.length === 0 || this.#repeats >= maxRepeats) {
      this.#driedUpAt = Math.min(this.#driedUpAt, start);
    }
    this.#pages[0]?.set(start, rows);
    this.#shown = Math.max(this.#shown, Math.min(this.#seen.size, this.#wanted));
    onProgress?.({ read: this.#shown, total: this.#total });
    return page;
  }

  #measure(told: number | undefined, reached: number, isFull: boolean): void {
    if (told === undefined && isFull) this.#isTotalUnknown = true;
    const total = told ?? Math.max(this.#total, reached);
    if (total < this.#total) this.#hasShrunk = true;
    this.#reached = Math.max(this.#reached, reached);
    this.#total = total;
    this.#totals.add(total);
  }

  /** Rows that were read before the rate budget ended a read are kept. */
  async #unlessSpent(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      this.#stopped = `Stopped before the end: ${error.message}`;
    }
  }

  /** Each row once, in list order; the second reading counts before the first, or alone. */
  #rows(isSecondAlone: boolean): PageRow[] {
    const { key = rowId } = this.#options;
    const distinct = new Map<string, PageRow>();
    for (const pages of isSecondAlone ? this.#pages.slice(0, 1) : this.#pages) {
      for (const [start, rows] of [...pages].sort(([a], [b]) => a - b)) {
        for (const [index, row] of rows.entries()) {
          const name = key(row) ?? `row ${start + index}`;
          if (!distinct.has(name)) distinct.set(name, row);
        }
      }
    }
    return [...distinct.values()].slice(0, this.#maxRows);
  }

  #findings(read: number): Omit<Drained, 'rows' | 'envelope'> {
    const expected = this.#total - this.#from;
    const hasMoreThanTold = this.#reached > Math.max(...this.#totals);
    const notes: string[] = [];
    if (this.#stopped) notes.push(this.#stopped);
    if (hasMoreThanTold) {
      notes.push(
        `The platform reports ${this.#total} rows but gave ${this.#reached}; there may be more.`,
      );
    } else if (this.#isTotalUnknown) {
      notes.push('The platform tells no total; there may be rows after the first page.');
    } else if (read < this.#wanted) {
      if (Number.isFinite(this.#driedUpAt)) notes.push(this.#sayDriedUp());
      notes.push(`Only ${read} different rows could be read of the ${expected} reported.`);
    } else if (expected > this.#maxRows) {
      notes.push(sayStopped(this.#maxRows, expected));
    } else if (this.#hasShrunk) {
      notes.push('Rows left the list while it was read; some that are still in it may be missing.');
    }
    const isWhole = notes.length === 0;
    if (this.#totals.size > 1) {
      const range = `${Math.min(...this.#totals)} to ${Math.max(...this.#totals)}`;
      notes.push(`The list changed while it was read (it had ${range} rows).`);
    }
    return {
      calls: this.#calls,
      total: this.#total,
      readAtMs: this.#readAtMs,
      complete: isWhole,
      notes,
    };
  }

  #sayDriedUp(): string {
    return this.#repeats >= maxRepeats
      ? `The platform reports ${this.#total} rows but gives the same ones again and again.`
      : `The platform reports ${this.#total} rows but gave none from row ${this.#driedUpAt} on.`;
  }
}

function offsets(from: number, to: number, step: number): number[] {
  return Array.from(
    { length: Math.max(0, Math.ceil((to - from) / step)) },
    (_, at) => from + at * step,
  );
}
