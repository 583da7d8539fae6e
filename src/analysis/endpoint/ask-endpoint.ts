import { amsterdamIso, lengthOf, readTimestamp } from '../../core/calendar.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import { type Period, periodWarnings } from '../../core/periods.ts';
import { sayCount } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import {
  type Endpoint,
  givesRows,
  isChangeFeed,
  isPaged,
  largestPage,
} from '../../endpoints/define.ts';
import type { Answer, Call, ToolCall } from '../answer.ts';
import { withhold } from '../fence.ts';
import { type Fact, readFacts } from '../reference/facts.ts';
import { emptyDays, sayEmptyDays } from '../rows/empty-days.ts';
import type { Row } from '../rows/rows.ts';
import { sortRows } from '../rows/sort.ts';
import type { Services } from '../services.ts';
import {
  balanceWarnings,
  filtersOf,
  leftOpen,
  noRows,
  reportNotes,
  sayBehaviour,
  sayInternalOrders,
  zeroWarnings,
} from './findings.ts';
import { type PreparedRequest, prepareRequest, type RequestServices } from './prepare-request.ts';

/**
 * Asks one endpoint; the answer comes with what a reader needs to trust it, and a report's with its facts.
 * @param days the period, where the caller has resolved it already and warns of its days itself
 * @throws {InputError} for arguments that cannot be meant.
 * @throws {PlatformError} when the platform refuses or fails.
 */
export async function askEndpoint(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
  days?: Period,
): Promise<Answer & { facts: readonly Fact[] }> {
  const request = await prepareRequest(services, endpoint, input, call, days);
  const { how, period, resolved, resolvedArguments, isWhole } = request;
  const reading = readEndpoint(request);
  const { sections, fields, sort, top, limit } = input;
  // The endpoint's request is under way by now, and goes first.
  if (!call.statementDeadline && days === undefined) {
    const isShown = (id: string) => !Array.isArray(fields) || fields.includes(id);
    services.reference.prefetch((endpoint.namedIds ?? []).filter(isShown), call.signal);
  }
  const internal = sayInternalOrders(request);
  const behaviour = sayBehaviour(request);
  const read = await reading;
  // Columns that are withheld do not sort either: their order would tell what they hold.
  const seen = withhold(services.fence, endpoint, read);
  const isTop = top !== undefined;
  const order =
    seen.rows && typeof sort === 'string' ? sortRows(seen.rows, sort, isTop) : undefined;
  const rows = order?.rows ?? seen.rows;
  const { payload, more } = chooseSections(endpoint, sections, seen.payload);
  const moment = readTimestamp(resolvedArguments.since);
  const open = leftOpen(endpoint, input, rows ?? [payload], await internal);
  const isReport = endpoint.toolset === 'reports' && !rows;
  const facts = isReport ? readFacts(payload) : [];
  const balance = isReport ? balanceWarnings(payload, period) : [];
  const definitions = reportNotes(endpoint, facts, {
    hasTool: services.hasTool,
    isUnbalancedOverDays: balance.length > 0 && period?.from !== period?.to,
  });
  const warnings = [
    ...(period && days === undefined ? periodWarnings(period, call.nowMs) : []),
    ...read.notes,
    ...(rows?.length === 0 ? await noRows(request) : []),
    ...productWarnings(request, read),
    ...seen.warnings,
    ...zeroWarnings(facts, period),
    ...balance,
  ];
  const summary = await behaviour;
  const empty = rows && emptyDaysOf(request, rows, read);
  // A page has the requested size; of what was read whole, so many rows are shown.
  const showAtMost = isWhole || !isPaged(endpoint) ? (top ?? limit) : undefined;
  // Rows that were read to their end, or are all there are of a period by nature, such as its discounted orders.
  const isAll = isWhole || (period !== undefined && !isPaged(endpoint) && !read.rest);
  return {
    payload,
    facts,
    ...(rows && { rows }),
    ...(endpoint.noun && { noun: endpoint.noun }),
    context: {
      endpoint: how.endpoint,
      ...services.origin,
      as_of: amsterdamIso(read.readAtMs),
      ...(read.calls === 0 && { cached: true }),
      ...(period && { period }),
      ...(Object.keys(resolved).length > 0 && { resolved }),
      ...(more.length > 0 && { more: { sections: more } }),
      ...(Object.keys(open).length > 0 && { left_open: open }),
      ...(empty && { empty_days: empty }),
      ...(Object.keys(definitions).length > 0 && { definitions }),
      ...(summary && { summary: [summary] }),
      ...(order && { sorted: order.sorted }),
      ...(moment && { since: { given: String(input.since), instant: amsterdamIso(moment.ms) } }),
      warnings,
    },
    ...(read.rest && { rest: read.rest }),
    ...(rows && rows.length > 1 && isAll && { keep: true }),
    ...(typeof showAtMost === 'number' && { showAtMost, isTop }),
    calls: read.calls,
    toolCall: { tool: endpoint.tool, arguments: resolvedArguments },
  };
}

/** Days without rows, of a list that was read whole. */
function emptyDaysOf(
  { endpoint, period, resolvedArguments: { start = 0 }, how, call }: PreparedRequest,
  rows: readonly Row[],
  { rest }: EndpointReading,
) {
  if (rest !== undefined || toNumber(start) > 0 || !period) return undefined;
  const isFiltered = filtersOf(how).length > 0;
  // Where a filter leaves fewer rows than days, a day without one is the usual case.
  if (isFiltered && rows.length < lengthOf(period)) return undefined;
  return sayEmptyDays(emptyDays(rows, period, call.nowMs), endpoint.noun, isFiltered);
}

function chooseSections(
  { sections = [] }: Endpoint,
  chosen: unknown,
  payload: JsonObject,
): { payload: JsonObject; more: string[] } {
  if (!Array.isArray(chosen) || chosen.length === 0) return { payload, more: [] };
  const isOther = (name: string) => sections.includes(name) && !chosen.includes(name);
  const shown = Object.entries(payload).filter(([name]) => !isOther(name));
  return { payload: Object.fromEntries(shown), more: Object.keys(payload).filter(isOther) };
}

/** Numbers that may mean another product; only where a person may have typed them. */
function productWarnings(
  { services: { productIds }, endpoint, resolvedArguments, call }: PreparedRequest,
  { payload, rows }: EndpointReading,
): Warning[] {
  if (endpoint.toolset !== 'catalog') return [];
  if (rows) productIds.remember(rows);
  const record = isRecord(payload.data) ? payload.data : payload;
  if (endpoint.pathId === 'shop_product_id')
    return productIds.checkProduct(Number(resolvedArguments.shop_product_id), record);
  const { product_ids: inner } = resolvedArguments;
  const isTyped = typeof inner === 'string' && call.statementDeadline === undefined;
  return isTyped ? productIds.checkInnerIds(inner.split(',').map(Number)) : [];
}

/** What came back, in one form for every kind of endpoint. */
interface EndpointReading extends Pick<Answer, 'payload' | 'rows' | 'rest'> {
  readAtMs: number;
  notes: readonly Warning[];
  /** Requests that the platform answered. */
  calls: number;
}

/** Makes a request: for one page, or with `all` for every page. */
export async function readEndpoint(
  request: PreparedRequest<RequestServices>,
): Promise<EndpointReading> {
  const { services, endpoint, path, how, resolvedArguments } = request;
  if (resolvedArguments.all === true) return readWhole(request);
  const response = await services.client.get(path, how);
  const { body, rows, envelope: payload = {}, readAtMs, cached } = response;
  const read = { readAtMs, calls: cached ? 0 : 1, notes: [] };
  if (!givesRows(endpoint)) return { ...read, payload: isRecord(body) ? body : { data: body } };
  return {
    ...read,
    payload,
    rows: rows.map((row) => (isRecord(row) ? row : { value: row })),
    ...restOf(request, payload, rows.length),
  };
}

/** A list with fewer rows than its `total` is never taken for whole (docs/platform.md#lists). */
function restOf(
  { endpoint, resolvedArguments: args }: PreparedRequest<RequestServices>,
  payload: JsonObject,
  count: number,
): Pick<Answer, 'rest'> & { notes?: Warning[] } {
  if (isChangeFeed(endpoint)) {
    const next = goOn(endpoint, args, { cursor: payload.next_cursor });
    return payload.has_more === true ? { rest: { next } } : {};
  }
  const total = toNumber(payload.total);
  const reached = toNumber(payload.start ?? args.start ?? 0) + count;
  if (total > reached && isPaged(endpoint) && count > 0)
    return { rest: { next: goOn(endpoint, args, { start: reached }) } };
  if (!(total > reached || (total < reached && count > 0))) return {};
  const text = `The platform reports ${total} rows but gave ${reached}; there may be more, and totals over these rows are not totals.`;
  return { rest: {}, notes: [{ code: 'not_whole', text }] };
}

/** Every page of a list, or a feed to its end: `limit` is for the rows shown, pages are the largest. */
async function readWhole(request: PreparedRequest<RequestServices>): Promise<EndpointReading> {
  const { endpoint, path, how, resolvedArguments: args, call } = request;
  const { client, maxRows } = request.services;
  const { limit: _, ...query } = how.query;
  const options = {
    ...how,
    query,
    pageSize: largestPage(endpoint),
    maxRows,
    onProgress({ read, total }: { read: number; total?: number }) {
      const of = total === undefined ? '' : ` of ${sayCount(total)}`;
      const message = `read ${sayCount(read)}${of} ${endpoint.noun ?? 'rows'}`;
      call.onProgress?.({ done: read, total, message });
    },
  };
  if (isChangeFeed(endpoint)) {
    const { nextCursor, complete, ...read } = await client.followChanges(path, options);
    const rest = { next: goOn(endpoint, args, { cursor: nextCursor }) };
    const payload = { count: read.rows.length, next_cursor: nextCursor, has_more: !complete };
    return { ...read, payload, ...(!complete && { rest }) };
  }
  const { envelope, total, complete, ...read } = await client.readAllPages(path, options);
  // Only the bound on rows leaves a rest that can be asked for; rows that moved are in the notes.
  const reached = toNumber(query.start ?? 0) + read.rows.length;
  const isBounded = read.rows.length >= maxRows && reached < total;
  const rest = isBounded ? { next: goOn(endpoint, args, { start: reached }) } : {};
  const payload = { ...envelope, count: read.rows.length, total };
  return { ...read, payload, ...(!complete && { rest }) };
}

/** The same call from another row on, or along a cursor, which goes without `since`. */
function goOn({ tool }: Endpoint, { since: _, ...args }: JsonObject, from: JsonObject): ToolCall {
  return { tool, arguments: { ...args, ...from } };
}
