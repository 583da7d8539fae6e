import { amsterdamIso } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { Period } from '../../core/periods.ts';
import { periodWarnings } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Answer, AnswerContext, Call } from '../answer.ts';
import { withhold } from '../fence.ts';
import { bounded } from '../reference/reference.ts';
import { misplacedIds } from '../reference/resolve.ts';
import type { Row } from '../rows/rows.ts';
import { sortRows } from '../rows/sort.ts';
import type { Services } from '../services.ts';
import { allZero, balanceWarnings, countRows, noRows, withoutFilters } from './findings.ts';
import { type PreparedRequest, prepareRequest } from './prepare-request.ts';
import { type EndpointReading, isCached, readEndpoint, tableTtlMs } from './read-endpoint.ts';

/** What an endpoint answered. */
export interface EndpointAnswer extends Answer {
  /** Those of the warnings that are about the figures, not about the days. */
  dataWarnings: readonly string[];
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
  const { form, period, resolved, since } = prepared;
  const reading = readEndpoint(services, endpoint, prepared, call);
  // The question goes first: its request is under way by now.
  if (!call.bulk && days === undefined) prefetchNames(services, endpoint, input, call);
  const counting = countInternal(services, endpoint, prepared, call);
  const read = await reading;
  const instant = instantOf(since);
  // Columns that are withheld do not sort either: their order would tell what they hold.
  // Most callers have everything: then no row is looked at.
  const { fence } = services;
  const seen = fence.has('customers') ? { ...read, leftOut: [] } : withhold(fence, endpoint, read);
  const rows = seen.rows && form.sort ? sortRows(seen.rows, form.sort) : seen.rows;
  const { payload, more } = chooseSections(endpoint, input, seen.payload);
  const open = leftOpen(endpoint, input, seen.rows ?? [payload], await counting);
  const balance = read.rows ? [] : balanceWarnings(payload, period);
  const dataWarnings = [
    ...read.notes,
    ...(read.rows?.length === 0
      ? await aboutNothing(services, endpoint, { input, prepared, instant }, call)
      : []),
    ...(read.rows ? [] : allZero(endpoint, payload, period)),
    ...productWarnings(services, endpoint, input, read, call),
    ...balance,
    ...seen.leftOut,
  ];
  const context: AnswerContext = {
    endpoint: endpointName(endpoint),
    source: services.source,
    as_of: amsterdamIso(read.readAtMs),
    ...(read.cached && { cached: true }),
    ...(period && { period }),
    ...(Object.keys(resolved).length > 0 && { resolved }),
    ...(more.length > 0 && { more: { sections: more } }),
    ...(Object.keys(open).length > 0 && { left_open: open }),
    ...(instant !== undefined && { since: { given: String(input.since), instant } }),
    warnings: [...(period ? periodWarnings(period, call.nowMs) : []), ...dataWarnings],
  };
  const isBounded = read.drained || !isPaged(endpoint);
  return {
    payload,
    ...(rows && { rows }),
    ...(endpoint.noun && { noun: endpoint.noun }),
    context,
    ...(read.rest && { rest: read.rest }),
    ...(isWorthKeeping(endpoint, prepared, read) && { keep: true }),
    ...(isBounded && form.showAtMost !== undefined && { showAtMost: form.showAtMost }),
    ...(isBounded && form.isTop && { isTop: true }),
    calls: read.calls,
    asked: { tool: endpoint.tool, arguments: prepared.pinned },
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
  { form, period }: PreparedRequest,
  { rows = [], rest, drained }: EndpointReading,
): boolean {
  if (rows.length < 2) return false;
  const isAllOfPeriod = period !== undefined && !isPaged(endpoint) && rest === undefined;
  return drained || form.isWhole || isAllOfPeriod;
}

/** What the platform reads as `since`: a day is its Amsterdam midnight. */
function instantOf(since: string | undefined): string | undefined {
  const moment = since === undefined ? undefined : readTimestamp(since);
  return moment && amsterdamIso(moment.ms);
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

/**
 * What arguments that were left out meant for this answer, by argument: the platform chose.
 *
 * @param existing how many internal orders match the question, where that is known
 */
export function leftOpen(
  { input: { shape } }: Pick<Endpoint, 'input'>,
  input: JsonObject,
  rows: readonly Row[],
  existing?: number,
): Record<string, string> {
  const notes: Record<string, string> = {};
  if ('is_internal' in shape && input.is_internal === undefined) {
    let [flagged, internal] = [0, 0];
    for (const { is_internal: flag } of rows) {
      if (flag !== null && flag !== undefined) flagged += 1;
      if (flag === true || flag === 1 || flag === '1') internal += 1;
    }
    if (flagged > 0) notes.is_internal = sayInternal(internal, flagged, existing);
  }
  if ('location_id' in shape && input.location_id === undefined) {
    const has = (column: string) => rows.some((row) => Object.hasOwn(row, column));
    if (has('stock') && !has('location_id'))
      notes.location_id = 'left out: stock is the sum over all locations';
  }
  return notes;
}

function sayInternal(internal: number, count: number, existing: number | undefined): string {
  if (internal === 0 && existing === 0)
    return 'left out: no internal orders exist for this question';
  const orders = `of these ${countNoun(count, 'order')}`;
  const some = `${internal.toLocaleString('en-US')} ${orders} ${internal === 1 ? 'is' : 'are'}`;
  const many = internal === 0 ? `none ${orders} is` : some;
  const one = internal === 0 ? 'this order is not' : 'this order is';
  const said = `left out, the platform's default: ${count === 1 ? one : many} internal`;
  if (internal > 0) return said;
  return existing === undefined
    ? `${said}; whether there are any, is_internal true says`
    : `${said}; ${existing.toLocaleString('en-US')} exist${existing === 1 ? 's' : ''} (is_internal true)`;
}

/**
 * How many internal orders match a question that leaves them to the platform: one request beside it,
 * cached as its days are. A statement is told what is cached, and makes no request for it.
 */
async function countInternal(
  { client }: Services,
  endpoint: Endpoint,
  { path, query, period }: PreparedRequest,
  { nowMs, bulk, signal }: Call,
): Promise<number | undefined> {
  if (!('is_internal' in endpoint.input.shape) || query.is_internal !== undefined) return undefined;
  const asked = { ...query, is_internal: 1, start: 0, limit: 1 };
  const cacheForMs = tableTtlMs(period, nowMs);
  if (bulk && !client.isKept(path, { query: asked, cacheForMs })) return undefined;
  const beside = { cacheForMs, signal: bounded(signal), priority: 'prefetch' } as const;
  return countRows(client, endpoint, path, asked, beside).catch(() => undefined);
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

/** Why there may be no rows: an id of another space filters everything away without an error. */
async function aboutNothing(
  services: Services,
  endpoint: Endpoint,
  asked: { input: JsonObject; prepared: PreparedRequest; instant: string | undefined },
  call: Call,
): Promise<string[]> {
  const { input, prepared, instant } = asked;
  const { ids, resolved, period } = prepared;
  const names = Object.entries(resolved).map(([field, { name, id }]) => [field, `${name} (${id})`]);
  const misplaced = await misplacedIds(services.reference, ids, call.signal);
  return [
    ...misplaced,
    ...noRows(endpoint, { ...input, ...Object.fromEntries(names) }, { period, since: instant }),
    ...(misplaced.length > 0 ? [] : await withoutFilters(services, endpoint, prepared, call)),
  ];
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
