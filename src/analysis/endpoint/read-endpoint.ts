import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import { isClosed, type Period } from '../../core/periods.ts';
import {
  type Endpoint,
  endpointName,
  givesRows,
  isDelta,
  isPaged,
  largestPage,
} from '../../endpoints/define.ts';
import type { Answer, Call } from '../answer.ts';
import { referenceTtlMs } from '../reference/reference.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';

/** Reports over days that are over do not change by the hour. */
const closedDaysTtlMs = 10 * 60_000;

/** Rows read for a statement serve the next one, but not for long where they may change. */
const openDaysTtlMs = 60_000;

/** How long the rows of a table are fresh: longer where all their days are over. */
export function tableTtlMs(period: Period | undefined, nowMs: number): number {
  return period !== undefined && isClosed(period, nowMs) ? closedDaysTtlMs : openDaysTtlMs;
}

/** What came back, in one form for every kind of endpoint. */
export interface EndpointReading extends Pick<Answer, 'payload' | 'rows' | 'rest'> {
  readAtMs: number;
  /** Whether a list or feed was read to its end, as far as the bounds allow. */
  drained: boolean;
  notes: readonly string[];
  /** Requests that the platform answered; none where all came from the cache. */
  calls: number;
}

/** Makes the request of a question: one page, or with `all` every page. */
export function readEndpoint(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const read = prepared.pinned.all === true ? readWhole : readOnce;
  return read(services, endpoint, prepared, call);
}

async function readOnce(
  { client }: Services,
  endpoint: Endpoint,
  { path, query, period, pinned }: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { body, rows, readAtMs, cached } = await client.get(path, {
    endpoint: endpointName(endpoint),
    query,
    holdsRows: givesRows(endpoint),
    ...freshness(endpoint, period, call),
    ...(call.signal && { signal: call.signal }),
    ...(call.bulk && { priority: 'drain', deadline: call.bulk }),
  });
  const read = { readAtMs, drained: false, calls: cached ? 0 : 1, notes: [] };
  if (!givesRows(endpoint)) return { ...read, payload: isRecord(body) ? body : { data: body } };
  const { data: _, ...payload } = isRecord(body) ? body : {};
  return {
    ...read,
    payload,
    rows: rows.map((row) => (isRecord(row) ? row : { value: row })),
    ...restOf(endpoint, pinned, payload, rows.length),
  };
}

/** A list with fewer rows than its `total` is never taken for whole (docs/platform.md#lists). */
function restOf(
  endpoint: Endpoint,
  { since: _, ...pinned }: JsonObject,
  payload: JsonObject,
  count: number,
): Pick<Answer, 'rest'> & { notes?: string[] } {
  const { tool } = endpoint;
  if (isDelta(endpoint)) {
    const next = { tool, arguments: { ...pinned, cursor: payload.next_cursor } };
    return payload.has_more === true ? { rest: { next } } : {};
  }
  const total = numberIn(payload.total);
  const reached = numberIn(payload.start ?? pinned.start ?? 0) + count;
  if (total > reached && isPaged(endpoint) && count > 0)
    return { rest: { next: { tool, arguments: { ...pinned, start: reached } } } };
  if (total > reached || (total < reached && count > 0))
    return {
      rest: {},
      notes: [
        `The platform reports ${total} rows but gave ${reached}; there may be more, and totals over these rows are not totals.`,
      ],
    };
  return {};
}

/** Every page of a list, or a feed to its end: `limit` is for the rows shown, pages are the largest. */
async function readWhole(
  { client, maxRows }: Services,
  endpoint: Endpoint,
  { path, query: given, pinned, period }: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { signal, bulk } = call;
  const { tool, noun = 'rows' } = endpoint;
  const { limit: _, ...query } = given;
  const how = {
    endpoint: endpointName(endpoint),
    query,
    pageSize: largestPage(endpoint),
    maxRows,
    ...(signal && { signal }),
    ...(bulk && { deadline: bulk, ...freshness(endpoint, period, call) }),
    onProgress({ read, total }: { read: number; total?: number }) {
      const of = total === undefined ? '' : ` of ${total.toLocaleString('en-US')}`;
      const message = `read ${read.toLocaleString('en-US')}${of} ${noun}`;
      call.onProgress?.({ done: read, total, message });
    },
  };
  if (isDelta(endpoint)) {
    const { nextCursor, hasMore, complete, ...read } = await client.follow(path, how);
    const { since: __, ...filters } = pinned;
    const next = { tool, arguments: { ...filters, cursor: nextCursor } };
    return {
      ...read,
      drained: true,
      payload: { count: read.rows.length, next_cursor: nextCursor, has_more: hasMore },
      ...(!complete && { rest: { next } }),
    };
  }
  const { envelope, total, complete, ...read } = await client.drain(path, how);
  // Only the bound on rows leaves a rest that can be asked for; rows that moved are in the notes.
  const reached = numberIn(query.start ?? 0) + read.rows.length;
  const isBounded = read.rows.length >= maxRows && reached < total;
  const next = { tool, arguments: { ...pinned, start: reached } };
  return {
    ...read,
    drained: true,
    payload: { ...envelope, count: read.rows.length, total },
    ...(!complete && { rest: isBounded ? { next } : {} }),
  };
}

/** Whether the one request with these arguments costs nothing, for its answer is cached. */
export function isCached(
  { client }: Services,
  endpoint: Endpoint,
  { path, query, period }: PreparedRequest,
  call: Call,
): boolean {
  return client.isKept(path, { query, ...freshness(endpoint, period, call) });
}

/** How old an answer may be; where order lines are taken from what is kept, orders are read anew. */
function freshness(
  { cache, toolset }: Endpoint,
  period: Period | undefined,
  { nowMs, bulk, readSinceMs }: Call,
): { cacheForMs: number; readSinceMs?: number } {
  const forTable = tableTtlMs(period, nowMs);
  const isOver = forTable === closedDaysTtlMs;
  const own = bulk ? forTable : cache === 'closed_days' && isOver ? closedDaysTtlMs : 0;
  return {
    cacheForMs: cache === 'reference' ? referenceTtlMs : own,
    ...(toolset === 'orders' && readSinceMs !== undefined && { readSinceMs }),
  };
}
