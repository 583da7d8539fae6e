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
import type { Row } from '../rows/rows.ts';
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
  cached: boolean;
  /** Whether a list or feed was read to its end, as far as the bounds allow. */
  drained: boolean;
  notes: readonly string[];
  /** Requests that the platform answered. */
  calls: number;
}

/** Makes the request of a question: one page, or with `all` every page. */
export function readEndpoint(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const isWhole = prepared.pinned.all === true && (isDelta(endpoint) || isPaged(endpoint));
  return (isWhole ? readWhole : readOnce)(services, endpoint, prepared, call);
}

async function readOnce(
  { client }: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const reply = await client.get(prepared.path, {
    endpoint: endpointName(endpoint),
    query: prepared.query,
    holdsRows: givesRows(endpoint),
    cacheForMs: cacheForMs(endpoint, prepared, call),
    ...readSince(endpoint, call),
    ...(call.signal && { signal: call.signal }),
    ...(call.bulk && { priority: 'drain', deadline: call.bulk }),
  });
  const { body, readAtMs, cached } = reply;
  const read = { readAtMs, cached, drained: false, calls: cached ? 0 : 1, notes: [] };
  if (!givesRows(endpoint)) return { ...read, payload: isRecord(body) ? body : { data: body } };
  const { data: _, ...payload } = isRecord(body) ? body : {};
  const rows = reply.rows.map((row): Row => (isRecord(row) ? row : { value: row }));
  const restOf = isDelta(endpoint) ? restOfFeed : restOfList;
  return { ...read, payload, rows, ...restOf(endpoint, prepared.pinned, payload, rows.length) };
}

/** A list with fewer rows than its `total` is never taken for whole (docs/platform.md#lists). */
function restOfList(
  endpoint: Endpoint,
  input: JsonObject,
  payload: JsonObject,
  count: number,
): Pick<Answer, 'rest'> & { notes?: string[] } {
  const total = numberIn(payload.total);
  const reached = numberIn(payload.start ?? input.start ?? 0) + count;
  if (total < reached && count > 0)
    return {
      rest: {},
      notes: [`The platform reports ${total} rows but gave ${reached}; there may be more.`],
    };
  if (!(total > reached)) return {};
  if (isPaged(endpoint) && count > 0)
    return { rest: { next: { tool: endpoint.tool, arguments: { ...input, start: reached } } } };
  return {
    rest: {},
    notes: [
      `The platform gave ${count} of ${total} rows and documents no way to page here. Totals over these rows are not totals.`,
    ],
  };
}

function restOfFeed(
  { tool }: Endpoint,
  { since: _, ...input }: JsonObject,
  { has_more, next_cursor }: JsonObject,
): Pick<Answer, 'rest'> {
  if (has_more !== true) return {};
  return { rest: { next: { tool, arguments: { ...input, cursor: next_cursor } } } };
}

/** Every page of a list, or a feed to its end: `limit` is for the rows shown, pages are the largest. */
async function readWhole(
  { client, maxRows }: Services,
  endpoint: Endpoint,
  { path, query: given, pinned, period }: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { nowMs, signal, onProgress, bulk } = call;
  const { tool, noun = 'rows' } = endpoint;
  const { limit: _, ...query } = given;
  const how = {
    endpoint: endpointName(endpoint),
    query,
    pageSize: largestPage(endpoint),
    maxRows,
    ...(signal && { signal }),
    ...(bulk && { deadline: bulk, cacheForMs: tableTtlMs(period, nowMs) }),
    ...readSince(endpoint, call),
    ...(onProgress && {
      onProgress: ({ read, total }: { read: number; total?: number }) =>
        onProgress({ done: read, total, message: sayProgress(read, total, noun) }),
    }),
  };
  if (isDelta(endpoint)) {
    const { nextCursor, hasMore, complete, ...read } = await client.follow(path, how);
    const { since: __, ...filters } = pinned;
    const next = { tool, arguments: { ...filters, cursor: nextCursor } };
    return {
      ...read,
      cached: read.calls === 0,
      drained: true,
      payload: { count: read.rows.length, next_cursor: nextCursor, has_more: hasMore },
      ...(!complete && { rest: { next } }),
    };
  }
  const { envelope, total, complete, ...read } = await client.drain(path, how);
  const { start: __, limit: ___, ...others } = envelope;
  // Only the bound on rows leaves a rest that can be asked for; rows that moved are in the notes.
  const reached = Number(query.start ?? 0) + read.rows.length;
  const isBounded = read.rows.length >= maxRows && reached < total;
  const next = { tool, arguments: { ...pinned, start: reached } };
  return {
    ...read,
    cached: read.calls === 0,
    drained: true,
    payload: { ...others, count: read.rows.length, total },
    ...(!complete && { rest: isBounded ? { next } : {} }),
  };
}

function sayProgress(read: number, total: number | undefined, noun: string): string {
  const of = total === undefined ? '' : ` of ${total.toLocaleString('en-US')}`;
  return `read ${read.toLocaleString('en-US')}${of} ${noun}`;
}

/** Whether the request of a question costs nothing, for its answer is cached. */
export function isCached(
  { client }: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): boolean {
  const { path, query } = prepared;
  const forMs = cacheForMs(endpoint, prepared, call);
  return client.isKept(path, { query, cacheForMs: forMs, ...readSince(endpoint, call) });
}

/** What is read anew where order lines are taken from what is kept. */
export function readSince({ toolset }: Pick<Endpoint, 'toolset'>, { readSinceMs }: Call) {
  return toolset === 'orders' && readSinceMs !== undefined ? { readSinceMs } : {};
}

function cacheForMs(
  { cache }: Endpoint,
  { period }: PreparedRequest,
  { nowMs, bulk }: Call,
): number {
  if (cache === 'reference') return referenceTtlMs;
  if (bulk) return tableTtlMs(period, nowMs);
  const isOver = period !== undefined && isClosed(period, nowMs);
  return cache === 'closed_days' && isOver ? closedDaysTtlMs : 0;
}
