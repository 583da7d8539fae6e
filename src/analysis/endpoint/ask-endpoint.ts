import { amsterdamIso } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { type Period, periodWarnings } from '../../core/periods.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { type Endpoint, isPaged } from '../../endpoints/define.ts';
import type { Answer, AnswerContext, Call } from '../answer.ts';
import { withhold } from '../fence.ts';
import { sortRows } from '../rows/sort.ts';
import type { Services } from '../services.ts';
import { countInternal, leftOpen, noRows, reportWarnings } from './findings.ts';
import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import { type EndpointReading, readEndpoint } from './read-endpoint.ts';

/**
 * Asks one endpoint: arguments become a request, the answer comes with what a reader needs to
 * trust it.
 *
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
): Promise<Answer> {
  const request = await prepareRequest(services, endpoint, input, call, days);
  const { how, period, resolved, pinned, isWhole } = request;
  const reading = readEndpoint(services, request);
  // The question goes first: its request is under way by now.
  if (!call.bulk && days === undefined) {
    const { fields } = input;
    const isShown = (id: string) => !Array.isArray(fields) || fields.includes(id);
    services.reference.prefetch((endpoint.namedIds ?? []).filter(isShown), call.signal);
  }
  const counting = countInternal(services, request);
  const read = await reading;
  const moment = readTimestamp(pinned.since);
  const since = moment && { given: String(input.since), instant: amsterdamIso(moment.ms) };
  // Columns that are withheld do not sort either: their order would tell what they hold.
  const seen = withhold(services.fence, endpoint, read);
  const { sort, top, limit } = input;
  const rows = seen.rows && typeof sort === 'string' ? sortRows(seen.rows, sort) : seen.rows;
  const { payload, more } = chooseSections(endpoint, input, seen.payload);
  const open = leftOpen(endpoint, input, rows ?? [payload], await counting);
  const isReport = endpoint.toolset === 'reports' && !rows;
  const { balance = [], zero = [] } = isReport ? reportWarnings(payload, period) : {};
  const warnings = [
    ...(period && days === undefined ? periodWarnings(period, call.nowMs) : []),
    ...read.notes,
    ...(rows?.length === 0 ? await noRows(services, request) : []),
    ...zero,
    ...productWarnings(services, request, read),
    ...seen.leftOut,
    ...balance,
  ];
  const context: AnswerContext = {
    endpoint: how.endpoint,
    source: services.source,
    as_of: amsterdamIso(read.readAtMs),
    ...(read.calls === 0 && { cached: true }),
    ...(period && { period }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
    ...(more.length > 0 && { more: { sections: more } }),
    ...(Object.keys(open).length > 0 && { left_open: open }),
    ...(since && { since }),
    warnings,
  };
  // A page is of the size that was asked for; of what was read whole, so many rows are shown.
  const most = isWhole || !isPaged(endpoint) ? (top ?? limit) : undefined;
  return {
    payload,
    ...(rows && { rows }),
    ...(endpoint.noun && { noun: endpoint.noun }),
    context,
    ...(read.rest && { rest: read.rest }),
    ...(isWorthKeeping(request, read) && { keep: true }),
    ...(typeof most === 'number' && { showAtMost: most, isTop: top !== undefined }),
    calls: read.calls,
    asked: { tool: endpoint.tool, arguments: pinned },
    balance,
  };
}

/** Rows that were read to their end, or are all there are of a period by nature, such as its discounted orders. */
function isWorthKeeping(
  { endpoint, isWhole, period }: PreparedRequest,
  { rows = [], rest }: EndpointReading,
): boolean {
  const isAllOfPeriod = period !== undefined && !isPaged(endpoint) && rest === undefined;
  return rows.length > 1 && (isWhole || isAllOfPeriod);
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

/** Numbers that mean another product than the one asked for; only where a person may have typed them. */
function productWarnings(
  { productIds }: Services,
  { endpoint, how, pinned, call }: PreparedRequest,
  { payload, rows }: EndpointReading,
): string[] {
  if (endpoint.toolset !== 'catalog') return [];
  if (rows) productIds.remember(rows);
  const record = isRecord(payload.data) ? payload.data : payload;
  if (endpoint.pathId === 'shop_product_id')
    return productIds.checkProduct(Number(pinned.shop_product_id), record, how.endpoint);
  const { product_ids: inner } = pinned;
  const isTyped = typeof inner === 'string' && call.bulk === undefined;
  return isTyped ? productIds.checkInnerIds(inner.split(',').map(Number)) : [];
}
