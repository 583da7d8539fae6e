import { hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import { noList, type Query } from '../transport/http.ts';
import { type AskPage, type LongRead, type LongReadOptions, rowId } from './read-all-pages.ts';

/** How to follow a change feed to its end. */
export interface FollowOptions extends LongReadOptions {
  /** `since` or `cursor`, exactly one (docs/platform.md#change-feeds), and the feed's own filters. */
  query: Query;
}

/** What changed, each id once in its last version, and where to go on. */
export interface Changes extends LongRead {
  /** To send as `cursor` next time; undefined only when the platform gave none. */
  nextCursor: string | undefined;
}

/**
 * Reads a change feed page after page. What was read is never lost: the cursor goes on from there.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function followChanges(
  options: FollowOptions,
  parts: { read: AskPage; maxRows: number },
): Promise<Changes> {
  const { endpoint, pageSize, signal, onProgress, maxRows = parts.maxRows } = options;
  const { since, cursor, ...filters } = options.query;
  const rows = new Map<string, JsonObject>();
  const cursors = new Set<unknown>([cursor]);
  let nextCursor = typeof cursor === 'string' ? cursor : undefined;
  let shortfall: Warning | undefined;
  let [received, calls, readAtMs] = [0, 0, Number.POSITIVE_INFINITY];
  const stoppedBy = (error: unknown): undefined => {
    if (readAtMs === Number.POSITIVE_INFINITY || !hasCode(error, 'rate_limited')) throw error;
    const { reason } = error;
    shortfall = { code: 'not_whole', why: 'feed_stopped', rows: rows.size, reason };
  };
  for (let place: Query | undefined = { since, cursor }; place !== undefined; ) {
    const limit = Math.min(pageSize, maxRows - rows.size);
    if (limit <= 0) {
      shortfall = { code: 'row_limit', rows: rows.size };
      break;
    }
    const query: Query = { ...filters, ...place, limit };
    const page = await parts.read(query, signal).catch(stoppedBy);
    if (page === undefined) break;
    if (!page.envelope) throw noList(endpoint);
    const { next_cursor, has_more }: JsonObject = page.envelope;
    readAtMs = Math.min(readAtMs, page.readAtMs);
    if (!page.cached) calls++;
    for (const row of page.rows.filter(isRecord)) {
      const id = rowId(row) ?? `row ${received}`;
      received++;
      // Set anew at the end: the order of the feed is the order of the last changes.
      rows.delete(id);
      rows.set(id, row);
    }
    onProgress?.({ read: rows.size });
    const isCursor = typeof next_cursor === 'string';
    if (has_more === true && (!isCursor || cursors.has(next_cursor))) {
      shortfall = { code: 'not_whole', why: 'cursor_stands_still' };
      break;
    }
    if (isCursor) nextCursor = next_cursor;
    cursors.add(nextCursor);
    place = has_more === true ? { cursor: nextCursor } : undefined;
  }
  const repeated = received - rows.size;
  const again: Warning = { code: 'repeated_rows', repeated, rows: rows.size };
  return {
    ...{ rows: [...rows.values()], calls, readAtMs, complete: !shortfall, nextCursor },
    notes: [...(shortfall ? [shortfall] : []), ...(repeated > 0 ? [again] : [])],
  };
}
