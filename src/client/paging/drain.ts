import { hasCode } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { noList } from '../transport/rows.ts';
import type { Query } from '../transport/url.ts';
import type { AskPage, LongReadOptions } from './long-read.ts';
import { MovingList } from './moving-list.ts';
import { type ListPage, type PageRow, readPage, rowId } from './page.ts';
import type { Span } from './page-overlap.ts';
import { inParallel } from './parallel.ts';

/** How to read every page of an offset-paged list. */
export interface DrainOptions extends LongReadOptions {
  /** The list's own filters; a `start` among them begins there, a `limit` is ignored. */
  query?: Query;
}

/** Every row of a list, as far as it could be read. */
export interface Drained {
  /** In list order, each id once, in the version read last. */
  rows: PageRow[];
  /** Requests that the platform answered with a page; those kept from before cost none. */
  calls: number;
  /** Rows overall, as last reported. */
  total: number;
  /** Epoch milliseconds of the oldest page: the rows are at least as old as that. */
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
  /** Length of this list when it was read before: as many pages are asked for along with the first. */
  lastTotal?: number | undefined;
}

/**
 * Reads a whole list: the first page gives the total (section 2), the others follow in parallel.
 * Rows that moved while reading are found again by their ids and places, within a bound; what
 * could not be mended is said in `notes`.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function drain(options: DrainOptions, parts: DrainParts): Promise<Drained> {
  const { endpoint, pageSize, signal, onProgress, key: keyOf = rowId } = options;
  const from = Number(options.query?.start ?? 0);
  const maxRows = options.maxRows ?? parts.maxRows;
  const list = new MovingList({ from, maxRows, keyOf });
  let readAtMs = Number.POSITIVE_INFINITY;
  let calls = 0;
  let shown = 0;
  let stopped: string | undefined;

  const first = await readHead();
  // The platform may give smaller pages than asked for; a page that ends the list tells nothing.
  const isLast = first.rows.length === 0 || from + first.rows.length >= list.total;
  const step = isLast ? pageSize : first.rows.length;
  await readAll(split(list.uncovered(), step));
  await mend();
  const { rows, complete, notes } = list.findings();
  return {
    rows,
    calls,
    total: list.total,
    readAtMs,
    complete: complete && stopped === undefined,
    notes: stopped === undefined ? notes : [stopped, ...notes],
    envelope: first.envelope,
  };

  /** The first page, and with it as many others as a list known from before is sure to have. */
  async function readHead(): Promise<ListPage> {
    const limit = Math.min(pageSize, maxRows);
    const end = Math.min(parts.lastTotal ?? 0, from + parts.concurrency * limit, from + maxRows);
    const guesses = split([{ from: from + limit, to: end }], limit);
    const [page] = await Promise.all([
      ask({ from, to: from + limit }, signal),
      // A guess that fails is asked for again once the first page has told more.
      ...guesses.map((span) => ask(span, signal).catch(() => undefined)),
    ]);
    if (!page) throw noList(endpoint);
    return page;
  }

  async function ask(
    span: Span,
    ending: AbortSignal | undefined,
    isAnew = false,
  ): Promise<ListPage | undefined> {
    // The last page is asked for whole: a row after the reported end shows that it is not the end.
    const to = span.to < list.total ? span.to : Math.min(span.from + pageSize, from + maxRows);
    const query = { ...options.query, start: span.from, limit: Math.max(to, span.to) - span.from };
    const reading = await parts.read(query, ending, isAnew);
    const page = readPage(reading.body, span.from);
    list.add(span, page);
    readAtMs = Math.min(readAtMs, reading.readAtMs);
    if (reading.cached !== true) calls++;
    shown = Math.max(shown, list.received);
    onProgress?.({ read: shown, total: list.total });
    return page;
  }

  async function readAll(spans: Span[], isAnew = false): Promise<void> {
    try {
      await inParallel(spans, parts.concurrency, signal, async (span, ending) => {
        if (span.from < list.driesUpAt) await ask(span, ending, isAnew);
      });
    } catch (error) {
      if (!hasCode(error, 'rate_limited')) throw error;
      stopped = `Stopped before the end: ${error.message}`;
    }
  }

  /** Reads again what moved, at most as much as was read: first what no page covers. */
  async function mend(): Promise<void> {
    let spare = Math.max(8, list.answers);
    for (let round = 0; round < 3 && stopped === undefined; round++) {
      const uncovered = split(list.uncovered(), step);
      const suspects = uncovered.length > 0 ? uncovered : list.doubtful();
      if (suspects.length === 0 || suspects.length > spare) return;
      spare -= suspects.length;
      list.driesUpAt = Number.POSITIVE_INFINITY;
      await readAll(suspects, true);
    }
  }
}

/** Spans of at most `step` rows that cover the same. */
function split(spans: Span[], step: number): Span[] {
  return spans.flatMap(({ from, to }) =>
    Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, index) => ({
      from: from + index * step,
      to: Math.min(to, from + (index + 1) * step),
    })),
  );
}
