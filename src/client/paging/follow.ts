import { hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { countNoun } from '../../core/text.ts';
import type { Warning, WarningCode } from '../../core/warning.ts';
import { noList, type Query } from '../transport/http.ts';
import { type AskPage, type LongRead, type LongReadOptions, rowId } from './drain.ts';

/** How to follow a change feed to its end. */
export interface FollowOptions extends LongReadOptions {
  /** `since` or `cursor`, exactly one (docs/platform.md#change-feeds), and the feed's own filters. */
  query: Query;
}

/** What changed, each id once in its last version, and where to go on. */
export interface Followed extends LongRead {
  /** To send as `cursor` next time; undefined only when the platform gave none. */
  nextCursor: string | undefined;
}

/**
 * Reads a change feed page after page. What was read is never lost: the cursor goes on from there.
 * @throws CommerceError what the first page fails with, or any page but for want of rate budget
 */
export async function follow(
  options: FollowOptions,
  parts: { read: AskPage; maxRows: number },
): Promise<Followed> {
  const { endpoint, pageSize, signal, onProgress, maxRows = parts.maxRows } = options;
  const { since, cursor, ...filters } = options.query;
  const rows = new Map<string, JsonObject>();
  const cursors = new Set<unknown>([cursor]);
  const notes: Warning[] = [];
  const warn = (code: WarningCode, text: string) => void notes.push({ code, text });
  let nextCursor = typeof cursor === 'string' ? cursor : undefined;
  let place: Query = { since, cursor };
  let hasMore = true;
  let received = 0;
  let pages = 0;
  let calls = 0;
  let readAtMs = Number.POSITIVE_INFINITY;
  while (hasMore) {
    const limit = Math.min(pageSize, maxRows - rows.size);
    if (limit <= 0) {
      warn(
        'row_limit',
        `Stopped at ${rows.size} rows, the most one call may read; next_cursor goes on.`,
      );
      break;
    }
    const reading = await parts
      .read({ ...filters, ...place, limit }, signal)
      .catch((error: unknown) => {
        if (pages === 0 || !hasCode(error, 'rate_limited')) throw error;
        warn('not_whole', `Stopped at ${rows.size} rows: ${error.message} next_cursor goes on.`);
      });
    if (!reading) break;
    if (!reading.envelope) throw noList(endpoint);
    const { next_cursor, has_more } = reading.envelope;
    pages++;
    readAtMs = Math.min(readAtMs, reading.readAtMs);
    if (!reading.cached) calls++;
    for (const row of reading.rows.filter(isRecord)) {
      const id = rowId(row) ?? `row ${received}`;
      received++;
      // Set anew at the end: the order of the feed is the order of the last changes.
      rows.delete(id);
      rows.set(id, row);
    }
    onProgress?.({ read: rows.size });
    hasMore = has_more === true;
    const isCursor = typeof next_cursor === 'string';
    if (hasMore && (!isCursor || cursors.has(next_cursor))) {
      warn('not_whole', 'The feed says that more follows, but its cursor does not move on.');
      break;
    }
    if (isCursor) nextCursor = next_cursor;
    cursors.add(nextCursor);
    place = { cursor: nextCursor };
  }
  const repeated = received - rows.size;
  if (repeated > 0)
    warn(
      'repeated_rows',
      `${countNoun(repeated, 'row')} came again and ${repeated === 1 ? 'is' : 'are'} counted once, in the last version: ${countNoun(rows.size, 'row')} in all.`,
    );
  return {
    rows: [...rows.values()],
    calls,
    readAtMs,
    complete: !hasMore,
    notes,
    nextCursor,
  };
}
