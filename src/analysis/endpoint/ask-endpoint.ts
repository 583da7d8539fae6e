import { amsterdamIso } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import { periodWarnings } from '../../core/periods.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Answer, AnswerContext, Call } from '../answer.ts';
import { withhold } from '../fence.ts';
import { sortRows } from '../rows/sort.ts';
import type { Services } from '../services.ts';
import { allZero, balanceWarnings, countInternal, leftOpen, noRows } from './findings.ts';
import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import { type EndpointReading, isCached, readEndpoint } from './read-endpoint.ts';

/** What an endpoint answered, and which of its warnings are about the figures, not about the days. */
export interface EndpointAnswer extends Answer {
  dataWarnings: readonly string[];
  /** Of no concern where no payments are shown. */
  balance: readonly string[];
}

/**
 * Asks one endpoint: arguments become a request, the answer comes with what a reader needs to
 * trust it.
 *
 * @param days the period, where the caller has resolved it already
 * @throws {InputError} for arguments that cannot be meant.
 * @throws {PlatformError} when the platform refuses or fails.
 */
export async function askEndpoint(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
  days?: Period,
): Promise<EndpointAnswer> {
  const prepared = await prepareRequest(services, endpoint, input, call, days);
  const { period, resolved, pinned } = prepared;
  const reading = readEndpoint(services, endpoint, prepared, call);
  // The question goes first: its request is under way by now.
  if (!call.bulk && days === undefined) prefetchNames(services, endpoint, input, call);
  const counting = countInternal(services, endpoint, prepared, call);
  const read = await reading;
  const moment = readTimestamp(pinned.since);
  const since = moment && { given: String(input.since), instant: amsterdamIso(moment.ms) };
  // Columns that are withheld do not sort either: their order would tell what they hold.
  const seen = withhold(services.fence, endpoint, read);
  const { sort, top, limit } = input;
  const rows = seen.rows && typeof sort === 'string' ? sortRows(seen.rows, sort) : seen.rows;
  const { payload, more } = chooseSections(endpoint, input, seen.payload);
  const open = leftOpen(endpoint, input, rows ?? [payload], await counting);
  const balance = rows ? [] : balanceWarnings(payload, period);
  const dataWarnings = [
    ...read.notes,
    ...(rows?.length === 0 ? await noRows(services, endpoint, prepared, since?.instant, call) : []),
    ...(endpoint.toolset === 'reports' && !rows ? allZero(payload, period) : []),
    ...productWarnings(services, endpoint, input, read, call),
    ...seen.leftOut,
  ];
  const context: AnswerContext = {
    endpoint: endpointName(endpoint),
    source: services.source,
    as_of: amsterdamIso(read.readAtMs),
    ...(read.calls === 0 && { cached: true }),
    ...(period && { period }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
    ...(more.length > 0 && { more: { sections: more } }),
    ...(Object.keys(open).length > 0 && { left_open: open }),
    ...(since && { since }),
    warnings: [...(period ? periodWarnings(period, call.nowMs) : []), ...dataWarnings, ...balance],
  };
  // A page is of the size that was asked for; of what was read whole, so many rows are shown.
  const isBounded = read.drained || !isPaged(endpoint);
  const most = isBounded ? (top ?? limit) : undefined;
  return {
    payload,
    ...(rows && { rows }),
    ...(endpoint.noun && { noun: endpoint.noun }),
    context,
    ...(read.rest && { rest: read.rest }),
    ...(isWorthKeeping(endpoint, prepared, read) && { keep: true }),
    ...(typeof most === 'number' && { showAtMost: most, isTop: top !== undefined }),
    calls: read.calls,
    asked: { tool: endpoint.tool, arguments: pinned },
    dataWarnings,
    balance,
  };
}

/** Whether the one request with these arguments costs nothing, for its answer is cached. */
export async function isAnswerKept(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
): Promise<boolean> {
  // An order's number is looked up by asking.
  if (input.order_number !== undefined) return false;
  return isCached(services, endpoint, await prepareRequest(services, endpoint, input, call), call);
}

/** Rows that were read to their end, or are all there are of a period by nature, such as its discounted orders. */
function isWorthKeeping(
  endpoint: Endpoint,
  { isWhole, period }: PreparedRequest,
  { rows = [], rest, drained }: EndpointReading,
): boolean {
  const isAllOfPeriod = period !== undefined && !isPaged(endpoint) && rest === undefined;
  return rows.length > 1 && (drained || isWhole || isAllOfPeriod);
}

/** The parts of a report that were asked for, and the names of those that were not. */
function chooseSections(
  { sections = [] }: Endpoint,
  { sections: wanted }: JsonObject,
  payload: JsonObject,
): { payload: JsonObject; more: string[] } {
  if (!Array.isArray(wanted) || wanted.length === 0) return { payload, more: [] };
  const isLeftOut = (name: string) => sections.includes(name) && !wanted.includes(name);
  const shown = Object.entries(payload).filter(([name]) => !isLeftOut(name));
  return { payload: Object.fromEntries(shown), more: Object.keys(payload).filter(isLeftOut) };
}

/** Begins to read the lists that name the ids of an answer. */
function prefetchNames(
  { reference }: Services,
  { namedIds = [] }: Endpoint,
  { fields }: JsonObject,
  { signal }: Call,
): void {
  const shown = namedIds.filter((id) => !Array.isArray(fields) || fields.includes(id));
  reference.prefetch(shown, signal);
}

/** Numbers that mean another product than the one asked for; only where a person may have typed them. */
function productWarnings(
  { productIds }: Services,
  endpoint: Endpoint,
  { shop_product_id: asked, product_ids: inner }: JsonObject,
  { payload, rows }: EndpointReading,
  { bulk }: Call,
): string[] {
  if (endpoint.toolset !== 'catalog') return [];
  if (rows) productIds.remember(rows);
  const record = isRecord(payload.data) ? payload.data : payload;
  if (endpoint.pathId === 'shop_product_id')
    return productIds.checkProduct(Number(asked), record, endpointName(endpoint));
  const isTyped = typeof inner === 'string' && bulk === undefined;
  return isTyped ? productIds.checkInnerIds(inner.split(',').map(Number)) : [];
}
