import { isRecord, type JsonObject, numberIn } from '../../core/json.ts';
import { givesRows, isDelta, isPaged, largestPage } from '../../endpoints/define.ts';
import type { Answer } from '../answer.ts';
import type { Services } from '../services.ts';
import type { PreparedRequest } from './prepare-request.ts';

/** What came back, in one form for every kind of endpoint. */
export interface EndpointReading extends Pick<Answer, 'payload' | 'rows' | 'rest'> {
  readAtMs: number;
  notes: readonly string[];
  /** Requests that the platform answered; none where all came from the cache. */
  calls: number;
}

/** Makes the request of a question: one page, or with `all` every page. */
export function readEndpoint(
  services: Services,
  request: PreparedRequest,
): Promise<EndpointReading> {
  return (request.pinned.all === true ? readWhole : readOnce)(services, request);
}

async function readOnce({ client }: Services, request: PreparedRequest): Promise<EndpointReading> {
  const { endpoint, path, how } = request;
  const { body, rows, readAtMs, cached } = await client.get(path, how);
  const read = { readAtMs, calls: cached ? 0 : 1, notes: [] };
  if (!givesRows(endpoint)) return { ...read, payload: isRecord(body) ? body : { data: body } };
  const { data: _, ...payload } = isRecord(body) ? body : {};
  return {
    ...read,
    payload,
    rows: rows.map((row) => (isRecord(row) ? row : { value: row })),
    ...restOf(request, payload, rows.length),
  };
}

/** A list with fewer rows than its `total` is never taken for whole (docs/platform.md#lists). */
function restOf(
  { endpoint, pinned: { since: _, ...pinned } }: PreparedRequest,
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
  const isOdd = total > reached || (total < reached && count > 0);
  if (!isOdd) return {};
  const said = `The platform reports ${total} rows but gave ${reached}; there may be more, and totals over these rows are not totals.`;
  return { rest: {}, notes: [said] };
}

/** Every page of a list, or a feed to its end: `limit` is for the rows shown, pages are the largest. */
async function readWhole(
  { client, maxRows }: Services,
  { endpoint, path, how, pinned: { since: _, ...pinned }, call }: PreparedRequest,
): Promise<EndpointReading> {
  const { tool, noun = 'rows' } = endpoint;
  const { limit: __, ...query } = how.query;
  const options = {
    ...how,
    query,
    pageSize: largestPage(endpoint),
    maxRows,
    onProgress({ read, total }: { read: number; total?: number }) {
      const of = total === undefined ? '' : ` of ${total.toLocaleString('en-US')}`;
      const message = `read ${read.toLocaleString('en-US')}${of} ${noun}`;
      call.onProgress?.({ done: read, total, message });
    },
  };
  if (isDelta(endpoint)) {
    const { nextCursor, hasMore, complete, ...read } = await client.follow(path, options);
    const next = { tool, arguments: { ...pinned, cursor: nextCursor } };
    return {
      ...read,
      payload: { count: read.rows.length, next_cursor: nextCursor, has_more: hasMore },
      ...(!complete && { rest: { next } }),
    };
  }
  const { envelope, total, complete, ...read } = await client.drain(path, options);
  // Only the bound on rows leaves a rest that can be asked for; rows that moved are in the notes.
  const reached = numberIn(query.start ?? 0) + read.rows.length;
  const isBounded = read.rows.length >= maxRows && reached < total;
  const next = { tool, arguments: { ...pinned, start: reached } };
  return {
    ...read,
    payload: { ...envelope, count: read.rows.length, total },
    ...(!complete && { rest: isBounded ? { next } : {} }),
  };
}
