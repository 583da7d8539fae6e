import { hasCode } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { Query } from './address.ts';
import { gaps, merge, type PlacedPage, type Span } from './frame.ts';
import { inParallel } from './in-parallel.ts';
import type { AskPage } from './long-read.ts';
import { noList, type Page, type Row, type RowKey, readPage, rowId } from './page.ts';

/** How to read every page of an offset-paged list. */
export interface DrainOptions {
  /** The list's own filters; a `start` among them begins there, a `limit` is ignored. */
  query?: Query;
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** The largest page that section 8.6 allows. */
  pageSize: number;
  signal?: AbortSignal;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Told after each page; `read` never falls. */
  onProgress?: (progress: Progress) => void;
  /** What tells rows apart. @default their `id` */
  key?: RowKey;
}

/** How far a long read is. */
export interface Progress {
  read: number;
  /** As last reported; a change feed tells none. */
  total?: number;
}

/** Every row of a list, as far as it could be read. */
export interface Drained {
  /** In list order, each id once, in the version read last. */
  rows: Row[];
  /** Requests answered with a page. */
  pages: number;
  /** Rows overall, as last reported. */
  total: number;
  /** Epoch milliseconds of the last page. */
  readAtMs: number;
  /** False when rows exist that are not here; `notes` say why. */
  complete: boolean;
  /** Sentences about what moved, was mended or is missing. */
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
}

/**
 * Reads a whole list: the first page gives the total (section 2), the others follow in parallel.
 * Rows that moved while reading are found again by their ids and places, within a bound; what
 * could not be mended is said in `notes`.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function drain(options: DrainOptions, parts: DrainParts): Promise<Drained> {
  const { endpoint, signal, onProgress, key = rowId } = options;
  const from = Number(options.query?.start ?? 0);
  const maxRows = options.maxRows ?? parts.maxRows;
  const pages: PlacedPage[] = [];
  const notes = new Set<string>();
  const totals = new Set<number>();
  let total = from;
  let readAtMs = 0;
  let requests = 0;
  let shown = 0;
  let isStopped = false;
  let hasShrunk = false;
  /** The request since which the list has kept its length. */
  let stableSince = 0;
  /** Offset from which the platform gives nothing, and what is to be said of it. */
  let driesUpAt = Number.POSITIVE_INFINITY;
  let dried: string | undefined;

  const first = await ask({ from, to: from + Math.min(options.pageSize, maxRows) }, signal);
  if (!first) throw noList(endpoint);
  // The platform may give smaller pages than asked for; a page that ends the list tells nothing.
  const isLast = first.rows.length === 0 || from + first.rows.length >= total;
  const step = isLast ? options.pageSize : first.rows.length;
  await readAll(chunks([{ from: from + step, to: wanted().to }]));
  await mend();
  return sumUp(first.envelope);

  /** Reads one span into `pages`. An answer without a list is taken for an empty page. */
  async function ask(span: Span, ending: AbortSignal | undefined): Promise<Page | undefined> {
    const query = { ...options.query, start: span.from, limit: span.to - span.from };
    const reading = await parts.read(query, ending);
    readAtMs = reading.readAtMs;
    requests++;
    const page = readPage(reading.body, span.from);
    const length = page?.total ?? Math.max(total, span.from + (page?.rows.length ?? 0));
    if (length !== total) stableSince = requests;
    hasShrunk ||= length < total;
    total = length;
    totals.add(total);
    if (!page || page.rows.length === 0 || page.isElsewhere) {
      if (span.from < driesUpAt) dried = driedUp(page, span.from, total);
      driesUpAt = Math.min(driesUpAt, span.from);
    } else {
      pages.push({ start: span.from, rows: page.rows, total, turn: requests });
    }
    shown = Math.max(shown, Math.min(countRows(pages), wanted().to - from));
    onProgress?.({ read: shown, total });
    return page;
  }

  function wanted(): Span {
    return { from, to: Math.min(total, from + maxRows) };
  }

  function chunks(spans: Span[]): Span[] {
    return spans.flatMap((span) => {
      const count = Math.max(0, Math.ceil((span.to - span.from) / step));
      return Array.from({ length: count }, (_, index) => ({
        from: span.from + index * step,
        to: Math.min(span.to, span.from + (index + 1) * step),
      }));
    });
  }

  async function readAll(spans: Span[]): Promise<void> {
    const width = parts.concurrency;
    try {
      await inParallel(spans, width, signal, async (span, ending) => {
        if (span.from < driesUpAt) await ask(span, ending);
      });
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      isStopped = true;
      notes.add(`Stopped before the end: ${error.message}`);
    }
  }

  /**
   * The pages that can be trusted to lie where they say. Rows that come in come in at the head, and
   * push all pages alike; rows that leave may leave anywhere, and then only pages read since the
   * list has kept its length count.
   */
  function trusted(): PlacedPage[] {
    return hasShrunk ? pages.filter((page) => page.turn >= stableSince) : pages;
  }

  /** Reads again what moved, at most as much as was read: first what no page covers. */
  async function mend(): Promise<void> {
    let spare = Math.max(8, requests);
    for (let round = 0; round < 3 && !isStopped; round++) {
      const uncovered = chunks(gaps(trusted(), total, wanted()));
      const suspects = uncovered.length > 0 ? uncovered : repeatedSpans();
      if (suspects.length === 0 || suspects.length > spare) return;
      spare -= suspects.length;
      driesUpAt = Number.POSITIVE_INFINITY;
      await readAll(suspects);
    }
  }

  /** Places worth another look when rows are missing although every place was read. */
  function repeatedSpans(): Span[] {
    const { rows, touched } = merge(trusted(), total, key);
    if (rows.length >= wanted().to - from) return [];
    return trusted()
      .filter((page) => page.total !== total || touched.has(page))
      .map((page) => ({ from: page.start, to: Math.min(page.start + page.rows.length, total) }))
      .filter((span) => span.from < span.to);
  }

  function sumUp(envelope: JsonObject): Drained {
    const isCovered = gaps(trusted(), total, wanted()).length === 0;
    const { rows } = merge(isCovered ? trusted() : pages, total, key);
    const expected = total - from;
    if (total > from + maxRows) {
      notes.add(`Stopped at ${maxRows} rows, the most one call may read, of ${expected}.`);
    } else if (rows.length < expected) {
      if (dried !== undefined) notes.add(dried);
      notes.add(`Only ${rows.length} different rows could be read of the ${expected} reported.`);
    } else if (!isCovered) {
      notes.add('Rows left the list while it was read; some of those still in it may be missing.');
    }
    if (totals.size > 1) {
      notes.add(`The list changed while it was read (it had ${spread(totals)} rows).`);
    }
    const complete = isCovered && rows.length >= expected && !isStopped;
    return {
      rows: rows.slice(0, maxRows),
      pages: requests,
      total,
      readAtMs,
      complete,
      notes: [...notes],
      envelope,
    };
  }
}

function driedUp(page: Page | undefined, start: number, total: number): string {
  if (page?.isElsewhere)
    return `The platform did not give the page at row ${start} it was asked for.`;
  return `The platform reports ${total} rows but gave none from row ${start} on.`;
}

function spread(totals: ReadonlySet<number>): string {
  return `${Math.min(...totals)} to ${Math.max(...totals)}`;
}

function countRows(pages: readonly PlacedPage[]): number {
  return pages.reduce((sum, page) => sum + page.rows.length, 0);
}
