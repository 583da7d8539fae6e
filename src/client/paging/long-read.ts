import type { ProgressDeadline } from '../rate-limit/progress-deadline.ts';
import type { Reading } from '../request/attempts.ts';
import type { Query } from '../transport/url.ts';
import type { RowKey } from './page.ts';

/** How to read something of many pages. */
export interface LongReadOptions {
  /** Such as `GET /api/order`. */
  endpoint: string;
  /** The largest page that section 8.6 allows. */
  pageSize: number;
  signal?: AbortSignal;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Told after each page; `read` never falls. */
  onProgress?: (progress: ReadProgress) => void;
  /** What tells rows apart. @default their `id` */
  key?: RowKey;
  /** Takes pages that are at most this old, and keeps new ones as long. @default 0 */
  cacheForMs?: number;
  /** Of the read that this one is part of. @default its own */
  deadline?: ProgressDeadline;
}

/** How far a long read is. */
export interface ReadProgress {
  read: number;
  /** As last reported; a change feed tells none. */
  total?: number;
}

/**
 * Asks for one page, at a drain's priority and until its deadline.
 * @param isAnew whether a page that is kept will not do
 */
export type AskPage = (
  query: Query,
  signal: AbortSignal | undefined,
  isAnew?: boolean,
) => Promise<PageReading>;

/** A page, and whether it was kept from before: then the platform was not asked. */
export type PageReading = Reading & { cached?: boolean };
