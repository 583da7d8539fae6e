import type { GetResponse } from '../../client/request/get.ts';
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
import type { Call, NextCall } from '../answer.ts';
import { referenceTtlMs } from '../reference/reference.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';

/** Reports over days that are over do not change by the hour. */
const closedDaysTtlMs = 10 * 60_000;

/** What is read for a statement serves the next one, but not for long where it may change. */
const openDaysTtlMs = 60_000;

/** How long the rows of a table are fresh: longer where all their days are over. */
export function tableTtlMs(period: Period | undefined, nowMs: number): number {
  return period !== undefined && isClosed(period, nowMs) ? closedDaysTtlMs : openDaysTtlMs;
}

/** What came back, in one form for every kind of endpoint. */
export interface EndpointReading {
  payload: JsonObject;
  rows?: readonly Row[];
  readAtMs: number;
  cached?: boolean;
  drained?: boolean;
  notes: readonly string[];
  rest?: { next?: NextCall | undefined };
  /** Requests that the platform answered. */
  calls: number;
  showsPaging?: number;
}

/**
 * Makes the request of a question: one page, or with `all` every page. What names its ids is read
 * beside it.
 */
export function readEndpoint(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const reading = begin(services, endpoint, prepared, call);
  const { namedIds = [], signal } = call;
  const { fields } = prepared.pinned;
  const shown = namedIds.filter((id) => !Array.isArray(fields) || fields.includes(id));
  // The question goes first: its request is on its way by now.
  services.reference.prefetch(shown, signal);
  return reading;
}

async function begin(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { pinned: input } = prepared;
  if (input.all === true && isDelta(endpoint)) return follow(services, endpoint, prepared, call);
  if (input.all === true && isPaged(endpoint)) return drain(services, endpoint, prepared, call);
  const reply = await services.client.get(prepared.path, {
    endpoint: endpointName(endpoint),
    query: prepared.query,
    holdsRows: givesRows(endpoint),
    cacheForMs: cacheForMs(endpoint, prepared, call),
    ...(call.signal && { signal: call.signal }),
    ...(call.bulk && { priority: 'drain', deadline: call.bulk }),
  });
  return givesRows(endpoint) ? readList(endpoint, input, reply) : readOne(reply);
}

/** Whether the request of a question costs nothing, for its answer is kept. */
export function isKept(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): boolean {
  const { path, query } = prepared;
  return services.client.isKept(path, { query, cacheForMs: cacheForMs(endpoint, prepared, call) });
}

function cacheForMs(
  endpoint: Endpoint,
  { period }: PreparedRequest,
  { nowMs, bulk }: Call,
): number {
  if (endpoint.cache === 'reference') return referenceTtlMs;
  if (bulk) return tableTtlMs(period, nowMs);
  const isOver = period !== undefined && isClosed(period, nowMs);
  return endpoint.cache === 'closed_days' && isOver ? closedDaysTtlMs : 0;
}

function readOne({ body, readAtMs, cached }: GetResponse): EndpointReading {
  return {
    payload: isRecord(body) ? body : { data: body },
    readAtMs,
    cached,
    calls: cached ? 0 : 1,
    notes: [],
  };
}

function readList(endpoint: Endpoint, input: JsonObject, reply: GetResponse): EndpointReading {
  const { body, rows: data, readAtMs, cached } = reply;
  const envelope: JsonObject = isRecord(body) ? { ...body } : {};
  delete envelope.data;
  const rows = data.map((row): Row => (isRecord(row) ? row : { value: row }));
  return {
    payload: envelope,
    rows,
    readAtMs,
    cached,
    calls: cached ? 0 : 1,
    ...(isDelta(endpoint)
      ? restOfFeed(endpoint, input, envelope)
      : restOfList(endpoint, input, envelope, rows.length)),
  };
}

/** Section 2: `total` is authoritative; a list with fewer rows than that is never taken for whole. */
function restOfList(
  endpoint: Endpoint,
  input: JsonObject,
  envelope: JsonObject,
  rowCount: number,
): Pick<EndpointReading, 'rest' | 'showsPaging' | 'notes'> {
  const total = numberIn(envelope.total);
  const start = numberIn(envelope.start ?? input.start ?? 0);
  const reached = start + rowCount;
  if (total < reached && rowCount > 0) {
    const claim = `The platform reports ${total} rows but gave ${reached}; there may be more.`;
    return { rest: {}, notes: [claim] };
  }
  if (!(total > reached)) return { notes: [] };
  const echoesPaging = 'start' in envelope && 'limit' in envelope;
  if ((isPaged(endpoint) || echoesPaging) && rowCount > 0) {
    const next = { tool: endpoint.tool, arguments: { ...input, start: reached } };
    const isNews = !isPaged(endpoint);
    return { rest: { next }, notes: [], ...(isNews && { showsPaging: numberIn(envelope.limit) }) };
  }
  return {
    rest: {},
    notes: [
      `The platform gave ${rowCount} of ${total} rows and documents no way to page here. Totals over these rows are not totals.`,
    ],
  };
}

function restOfFeed(
  { tool }: Endpoint,
  { since: _, ...input }: JsonObject,
  { has_more, next_cursor }: JsonObject,
): Pick<EndpointReading, 'rest' | 'notes'> {
  if (has_more !== true) return { notes: [] };
  return { rest: { next: { tool, arguments: { ...input, cursor: next_cursor } } }, notes: [] };
}

async function drain(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { path, query, pinned } = prepared;
  const reading = wholeReading(services, endpoint, prepared, call);
  const drained = await services.client.drain(path, reading);
  const { rows, total, readAtMs, notes, complete } = drained;
  const { start: _, limit: __, ...envelope } = drained.envelope;
  // Only a bound of ours leaves a rest that can be asked for; rows that moved are in the notes.
  const reached = Number(query.start ?? 0) + rows.length;
  const next = rows.length >= services.maxRows && reached < total;
  return {
    payload: { ...envelope, count: rows.length, total },
    rows,
    readAtMs,
    drained: true,
    calls: drained.calls,
    cached: drained.calls === 0,
    notes,
    ...(!complete && {
      rest: next ? { next: { tool: endpoint.tool, arguments: { ...pinned, start: reached } } } : {},
    }),
  };
}

async function follow(
  services: Services,
  endpoint: Endpoint,
  prepared: PreparedRequest,
  call: Call,
): Promise<EndpointReading> {
  const { path, pinned } = prepared;
  const { since: _, ...filters } = pinned;
  const reading = wholeReading(services, endpoint, prepared, call);
  const followed = await services.client.follow(path, reading);
  const { nextCursor, hasMore } = followed;
  return {
    payload: { count: followed.rows.length, next_cursor: nextCursor, has_more: hasMore },
    rows: followed.rows,
    readAtMs: followed.readAtMs,
    drained: true,
    calls: followed.calls,
    cached: followed.calls === 0,
    notes: followed.notes,
    ...(!followed.complete && {
      rest: { next: { tool: endpoint.tool, arguments: { ...filters, cursor: nextCursor } } },
    }),
  };
}

/** How a list or feed is read to its end: `limit` is for the rows shown, pages are the largest. */
function wholeReading(
  services: Services,
  endpoint: Endpoint,
  { query: { limit: _, ...query }, period }: PreparedRequest,
  { nowMs, signal, onProgress, bulk }: Call,
) {
  const { noun = 'rows' } = endpoint;
  return {
    endpoint: endpointName(endpoint),
    query,
    pageSize: largestPage(endpoint),
    maxRows: services.maxRows,
    ...(signal && { signal }),
    ...(bulk && { deadline: bulk, cacheForMs: tableTtlMs(period, nowMs) }),
    ...(onProgress && {
      onProgress: ({ read, total }: { read: number; total?: number }) =>
        onProgress({ done: read, total, message: sayProgress(read, total, noun) }),
    }),
  };
}

function sayProgress(read: number, total: number | undefined, noun: string): string {
  const count = (value: number) => value.toLocaleString('en-US');
  return total === undefined
    ? `read ${count(read)} ${noun}`
    : `read ${count(read)} of ${count(total)} ${noun}`;
}
