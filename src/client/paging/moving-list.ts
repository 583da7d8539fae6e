import { type ListPage, type PageRow, type RowKey, sayStopped } from './page.ts';
import { gaps, merge, type PlacedPage, type Span } from './page-overlap.ts';

/** Which part of a list is wanted, and what tells its rows apart. */
export interface Wanted {
  /** Offset of the first row. */
  from: number;
  maxRows: number;
  keyOf: RowKey;
}

/** What the pages of a list add up to. */
export interface Findings {
  /** In list order, each once, in the version read last. */
  rows: PageRow[];
  /** Whether every row of the list is among them. */
  complete: boolean;
  /** Sentences about what moved or is missing. */
  notes: string[];
}

/** So many pages in a row without a new row, and a platform is repeating itself. */
const mostRepeats = 16;

/** What is known of a list while its pages are read and it may move: bookkeeping, no waiting. */
export class MovingList {
  /** Rows overall, as last reported. */
  total: number;
  /** Offset from which the platform gave nothing. */
  driesUpAt = Number.POSITIVE_INFINITY;
  readonly #wanted: Wanted;
  readonly #pages: PlacedPage[] = [];
  readonly #totals = new Set<number>();
  #answers = 0;
  #received = 0;
  #hasShrunk = false;
  /** The answer since which the list has kept its length. */
  #stableSince = 0;
  #dried: string | undefined;
  #isTotalUnknown = false;
  readonly #known = new Set<string>();
  /** Pages in a row that held no new row. */
  #repeats = 0;
  /** How far rows came, counted from the head of the list. */
  #reached = 0;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.total = wanted.from;
  }

  /** Answers taken in. */
  get answers(): number {
    return this.#answers;
  }

  /** Rows taken in, as far as they are wanted: a measure of progress. */
  get received(): number {
    return Math.min(this.#received, this.#goal.to - this.#goal.from);
  }

  /** Takes in the answer to a request for `span`; undefined when it held no list. */
  add(span: Span, page: ListPage | undefined): void {
    this.#answers++;
    this.#measure(span, page);
    if (!page || page.rows.length === 0 || page.isElsewhere) {
      if (span.from < this.driesUpAt) this.#dried = driedUp(page, span.from, this.total);
      this.driesUpAt = Math.min(this.driesUpAt, span.from);
      return;
    }
    this.#received += page.rows.length;
    const { rows } = page;
    this.#repeats = this.#bringsNews(rows) ? 0 : this.#repeats + 1;
    if (this.#repeats === mostRepeats) {
      this.#dried = `The platform reports ${this.total} rows but gives the same ones again and again.`;
      this.driesUpAt = Math.min(this.driesUpAt, span.from);
    }
    this.#pages.push({ start: span.from, rows, total: this.total, turn: this.#answers });
  }

  /** The offsets that no page can be trusted to cover. */
  uncovered(): Span[] {
    return gaps(this.#trusted(), this.total, this.#goal);
  }

  /** Places worth another look: every place was read, and still rows are missing. */
  doubtful(): Span[] {
    const pages = this.#trusted();
    const { rows, touched } = merge(pages, this.total, this.#wanted.keyOf);
    if (rows.length >= this.#goal.to - this.#goal.from) return [];
    return pages
      .filter((page) => page.total !== this.total || touched.has(page))
      .map(({ start, rows }) => ({ from: start, to: Math.min(start + rows.length, this.total) }))
      .filter((span) => span.from < span.to);
  }

  /** What it all adds up to. */
  findings(): Findings {
    const { from, maxRows, keyOf } = this.#wanted;
    const isCovered = this.uncovered().length === 0;
    const { rows } = merge(isCovered ? this.#trusted() : this.#pages, this.total, keyOf);
    const expected = this.total - from;
    const hasMoreThanTold = this.#reached > this.total && !this.#hasShrunk;
    const notes: string[] = [];
    if (hasMoreThanTold) {
      notes.push(
        `The platform reports ${this.total} rows but gave ${this.#reached}; there may be more.`,
      );
    } else if (this.#isTotalUnknown) {
      notes.push('The platform tells no total; there may be rows after the first page.');
    } else if (rows.length < Math.min(expected, maxRows)) {
      if (this.#dried !== undefined) notes.push(this.#dried);
      notes.push(`Only ${rows.length} different rows could be read of the ${expected} reported.`);
    } else if (expected > maxRows) {
      notes.push(sayStopped(maxRows, expected));
    } else if (!isCovered) {
      notes.push('Rows left the list while it was read; some that are still in it may be missing.');
    }
    if (this.#totals.size > 1) {
      const range = `${Math.min(...this.#totals)} to ${Math.max(...this.#totals)}`;
      notes.push(`The list changed while it was read (it had ${range} rows).`);
    }
    const isEndKnown = !this.#isTotalUnknown && !hasMoreThanTold;
    const complete = isCovered && rows.length >= expected && isEndKnown;
    return { rows: rows.slice(0, maxRows), complete, notes };
  }

  #bringsNews(rows: readonly PageRow[]): boolean {
    const before = this.#known.size;
    for (const row of rows) this.#known.add(this.#wanted.keyOf(row) ?? JSON.stringify(row));
    return this.#known.size > before;
  }

  #measure(span: Span, page: ListPage | undefined): void {
    const told = page?.total;
    const reached = span.from + (page?.rows.length ?? 0);
    const total = told ?? Math.max(this.total, reached);
    if (reached > span.from && !page?.isElsewhere) this.#reached = Math.max(this.#reached, reached);
    if (told === undefined && reached >= span.to) this.#isTotalUnknown = true;
    if (total !== this.total) this.#stableSince = this.#answers;
    if (total < this.total) this.#hasShrunk = true;
    this.total = total;
    this.#totals.add(total);
  }

  /**
   * The pages that can be trusted to lie where they say. Rows that come in come in at the head and
   * push all pages alike; rows that leave may leave anywhere, and then only pages read since the
   * list has kept its length count.
   */
  #trusted(): PlacedPage[] {
    if (!this.#hasShrunk) return this.#pages;
    return this.#pages.filter((page) => page.turn >= this.#stableSince);
  }

  get #goal(): Span {
    const { from, maxRows } = this.#wanted;
    return { from, to: Math.max(from, Math.min(this.total, from + maxRows)) };
  }
}

function driedUp(page: ListPage | undefined, start: number, total: number): string {
  return page?.isElsewhere
    ? `The platform was asked for the page at row ${start} and gave another.`
    : `The platform reports ${total} rows but gave none from row ${start} on.`;
}
