import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/warning.ts';
import type { ProgressDeadline } from '../rate-limit/queue.ts';
import type { GetResponse } from '../request/get.ts';
import type { Query } from '../transport/http.ts';

/** The `id` of a row, numeric and valid per account; undefined for rows that carry none. */
export function rowId({ id }: JsonObject): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : undefined;
}

/** How to read something of many pages. */
export interface LongReadOptions {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** The largest page that the endpoint allows. */
  pageSize: number;
  signal?: AbortSignal;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Called after each page: `read` never falls, and a change feed reports no total. */
  onProgress?: (progress: { read: number; total?: number }) => void;
  /** What tells rows apart. @default their `id` */
  key?: typeof rowId;
  /** Takes pages that are at most this old, and keeps new ones as long. @default 0 */
  cacheForMs?: number;
  /** Takes no page that was read before, in epoch milliseconds. */
  readSinceMs?: number;
  /** @default drain */
  priority?: 'drain' | 'background';
  /** Of the read that this one is part of. @default its own */
  deadline?: ProgressDeadline;
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
  /** The other members of the first page's envelope. */
  envelope: JsonObject;
}

/**
 * Asks for one page, at a drain's priority and until its deadline.
 * @param isAnew asks the platform even where a young page is cached
 */
export type AskPage = (
  query: Query,
  signal: AbortSignal | undefined,
  isAnew?: boolean,
) => Promise<Pick<GetResponse, 'body' | 'readAtMs'> & { cached?: boolean }>;

/** Reads a page of a list (docs/platform.md#lists), or undefined where the answer holds none. */
export function readListPage(body: unknown) {
  const { data, total, count: _, limit: __, start: ___, ...envelope } = isRecord(body) ? body : {};
  if (!Array.isArray(data)) return undefined;
  const isCount = typeof total === 'number' && Number.isInteger(total) && total >= 0;
  return { rows: data.filter(isRecord), total: isCount ? total : undefined, envelope };
}

/** Reads a page of a change feed (docs/platform.md#change-feeds), or undefined where it is none. */
export function readFeedPage(body: unknown) {
  const { data, count: _, next_cursor, has_more, ...envelope } = isRecord(body) ? body : {};
  if (!Array.isArray(data)) return undefined;
  const nextCursor = typeof next_cursor === 'string' ? next_cursor : undefined;
  return { rows: data.filter(isRecord), nextCursor, hasMore: has_more === true, envelope };
}
