import { isRecord, type JsonObject } from '../../core/json.ts';

/** A row as the platform sent it. */
export type PageRow = JsonObject;

/** Section 2: one page of a paginated list, read as far as it is what the document says. */
export interface ListPage {
  /** Offset of the first row. */
  start: number;
  rows: PageRow[];
  /** Rows overall, as this page told it. */
  total: number | undefined;
  /** Whether the page echoed another offset than it was asked for. */
  isElsewhere: boolean;
  /** The other members of the envelope. */
  envelope: JsonObject;
}

/** Reads the answer to a request for rows from `start` on. A list of anything but rows has none. */
export function readPage(body: unknown, start: number): ListPage | undefined {
  const {
    data,
    total,
    count: _,
    limit: __,
    start: echoed,
    ...envelope
  } = isRecord(body) ? body : {};
  if (!Array.isArray(data)) return undefined;
  return {
    start,
    rows: data.filter(isRecord),
    total: isCount(total) ? total : undefined,
    isElsewhere: isCount(echoed) && echoed !== start,
    envelope,
  };
}

/** Section 2: one page of a change feed. */
export interface FeedPage {
  rows: PageRow[];
  nextCursor: string | undefined;
  hasMore: boolean;
  /** The other members of the envelope. */
  envelope: JsonObject;
}

/** Reads an answer of a change feed, or undefined where it holds no list. */
export function readFeedPage(body: unknown): FeedPage | undefined {
  const { data, count: _, next_cursor, has_more, ...envelope } = isRecord(body) ? body : {};
  if (!Array.isArray(data)) return undefined;
  return {
    rows: data.filter(isRecord),
    nextCursor: typeof next_cursor === 'string' ? next_cursor : undefined,
    hasMore: has_more === true,
    envelope,
  };
}

/** What tells one row from another; undefined for rows that carry no id. */
export type RowKey = (row: PageRow) => string | undefined;

/** Section 1: ids are numeric and valid per account. */
export const rowId: RowKey = ({ id }) =>
  typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** Says that a read of a longer list ended at the client's own bound. */
export function sayStopped(maxRows: number, expected: number): string {
  return `Stopped at ${maxRows} rows, the most one call may read, of ${expected}.`;
}
