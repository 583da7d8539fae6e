import { hasCode } from '../core/errors.ts';
import { isRecord, type JsonObject } from '../core/json.ts';
import type { Query } from './address.ts';
import type { Reading } from './call.ts';
import { noList, type Row, type RowKey, rowId } from './page.ts';
import type { Progress } from './pages.ts';

/** How to follow a change feed to its end. */
export interface FollowOptions {
  /** `since` or `cursor` (exactly one, section 4 rule 6), and the feed's own filters. */
  query: Query;
  /** Such as `GET /api/order/delta`. */
  endpoint: string;
  /** Rows a page, at most 250 (section 8.6). */
  pageSize: number;
  signal?: AbortSignal;
  /** Most rows to read. @default the client's own bound */
  maxRows?: number;
  /** Told after each page; a feed tells no total. */
  onProgress?: (progress: Progress) => void;
  /** What tells rows apart. @default their `id` */
  key?: RowKey;
}

/** What changed, and where to go on. */
export interface Followed {
  /** Each id once, in its last version: orders are delivered at least once (section 4 rule 6). */
  rows: Row[];
  /** Requests answered with a page. */
  pages: number;
  /** To send as `cursor` next time; undefined only when the platform gave none. */
  nextCursor: string | undefined;
  /** Whether the feed said that more follows. */
  hasMore: boolean;
  /** False when changes exist that are not here. */
  complete: boolean;
  /** Epoch milliseconds of the last page. */
  readAtMs: number;
  /** Sentences about repeated rows or why it stopped. */
  notes: string[];
  /** The other members of the first page's envelope. */
  envelope: JsonObject;
}

/** What following needs around it. */
export interface FollowParts {
  /** Asks for one page, at a drain's priority and with its patience. */
  read(query: Query, signal: AbortSignal | undefined): Promise<Reading>;
  maxRows: number;
}

/** Reads a change feed page after page. What was read is never lost: the cursor goes on from there. */
export async function follow(options: FollowOptions, parts: FollowParts): Promise<Followed> {
  const { endpoint, key = rowId, signal } = options;
  const maxRows = options.maxRows ?? parts.maxRows;
  const { since, cursor: given, ...filters } = options.query;
  const rows = new Map<string, Row>();
  const seen = new Set<string>();
  const notes: string[] = [];
  let cursor = typeof given === 'string' ? given : undefined;
  let hasMore = true;
  let repeated = 0;
  let pages = 0;
  let readAtMs = 0;
  let envelope: JsonObject = {};

  while (hasMore) {
    const left = maxRows - rows.size;
    if (left <= 0) {
      notes.push(
        `Stopped after ${rows.size} rows, the most one call may read; go on from next_cursor.`,
      );
      break;
    }
    const limit = Math.min(options.pageSize, left);
    const place = cursor === undefined ? { since } : { cursor };
    let reading: Reading;
    try {
      reading = await parts.read({ ...filters, ...place, limit }, signal);
    } catch (error) {
      if (pages === 0 || !hasCode(error, 'rate_limited')) throw error;
      notes.push(`Stopped after ${rows.size} rows: ${error.message} Go on from next_cursor.`);
      break;
    }
    const body = isRecord(reading.body) ? reading.body : {};
    const { data, count: _, next_cursor: next, has_more: more, ...others } = body;
    if (!Array.isArray(data)) throw noList(endpoint);
    if (pages++ === 0) envelope = others;
    readAtMs = reading.readAtMs;
    for (const row of data.filter(isRecord)) {
      const id = key(row) ?? `row ${rows.size + repeated}`;
      if (rows.delete(id)) repeated++;
      rows.set(id, row);
    }
    options.onProgress?.({ read: rows.size });
    hasMore = more === true;
    const moved = typeof next === 'string' && next !== cursor && !seen.has(next);
    if (typeof next === 'string') {
      cursor = next;
      seen.add(next);
    }
    if (hasMore && !moved) {
      notes.push(
        'The feed says that more follows, but its cursor does not move on; stopped there.',
      );
      break;
    }
  }
  if (repeated > 0) notes.push(`${repeated} rows came more than once; their last version counts.`);
  return {
    rows: [...rows.values()],
    pages,
    nextCursor: cursor,
    hasMore,
    complete: !hasMore,
    readAtMs,
    notes,
    envelope,
  };
}
