import { amsterdamIso } from '../../core/calendar.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { periodWarnings } from '../../core/period-warnings.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { createTimestampReader } from '../../core/timestamps.ts';
import { type Endpoint, endpointName, isPaged } from '../../endpoints/define.ts';
import type { Answer, AnswerContext, Call, ResolvedName } from '../answer.ts';
import { misplacedIds } from '../reference/id-spaces.ts';
import { checkOrderId } from '../reference/order-numbers.ts';
import { checkInnerIds, checkProduct } from '../reference/product-ids.ts';
import { sortRows } from '../rows/sort.ts';
import type { Services } from '../services.ts';
import { sayLeftOut, withhold } from '../withhold.ts';
import { balanceWarnings } from './balance-check.ts';
import { leftOpen, nothingThere } from './left-open.ts';
import { whatIsNearby } from './nearby.ts';
import { prepareRequest } from './prepare-request.ts';
import { type EndpointReading, isKept, readEndpoint } from './read-endpoint.ts';
import { readForm } from './row-form.ts';
import { chooseSections } from './sections.ts';

/** What an endpoint answered. */
export interface EndpointAnswer extends Answer {
  /** Those of the warnings that are about the figures, not about the days. */
  dataWarnings: readonly string[];
}

/**
 * Asks one endpoint: arguments become a request, the answer comes with what a reader needs to
 * trust it.
 *
 * @param days the period, where whoever asks has resolved it already
 * @throws {InputError} for arguments that cannot be meant.
 * @throws {PlatformError} when the platform refuses or fails.
 */
export async function askEndpoint(
  services: Services,
  endpoint: Endpoint,
  input: JsonObject,
  call: Call,
  days?: Period,
): Promise<EndpointAnswer> {
  const form = readForm(input);
  const given = form.isWhole && 'all' in endpoint.input.shape ? { ...input, all: true } : input;
  const prepared = await prepareRequest(services, endpoint, given, call, days);
  const { period, ids, resolved, since } = prepared;
  const read = await readEndpoint(services, endpoint, prepared, call);
  // An id of another space filters everything away without an error.
  const misplaced =
    read.rows?.length === 0 ? await misplacedIds(services.reference, ids, call.signal) : [];
  // By a column that is not shown, no order is given either.
  const seen = withhold(services.fence, endpoint, read);
  const rows = seen.rows && form.sort ? sortRows(seen.rows, form.sort) : seen.rows;
  const { payload, more } = chooseSections(endpoint, input, seen.payload);
  const open = leftOpen(endpoint, input, seen.rows ?? [payload]);
  const instant = instantOf(since);
  const named = { ...input, ...namesOf(resolved) };
  const dataWarnings = [
    ...read.notes,
    ...misplaced,
    ...nothingThere(endpoint, named, payload, read.rows, { period, since: instant }),
    ...(misplaced.length > 0 ? [] : await whatIsNearby(services, endpoint, prepared, read, call)),
    ...findings(services, endpoint, input, read, period),
    ...sayLeftOut(seen.leftOut),
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
  return {
    payload,
    ...(rows && { rows }),
    ...(endpoint.noun && { noun: endpoint.noun }),
    context,
    ...(read.rest && { rest: read.rest }),
    ...(isWorthKeeping(endpoint, read, form.isWhole, period) && { keep: true }),
    ...((read.drained || !isPaged(endpoint)) &&
      form.showAtMost !== undefined && { showAtMost: form.showAtMost }),
    calls: read.calls,
    ...(read.showsPaging !== undefined && { showsPaging: read.showsPaging }),
    asked: { tool: endpoint.tool, arguments: prepared.pinned },
    dataWarnings,
  };
}

/** Whether the one request with these arguments costs nothing, for its answer is kept. */
export async function isAnswerKept(
  services: Services,
  endpoint: Endpoint,
  input: JsonObject,
  call: Call,
): Promise<boolean> {
  // An order's number is looked up by asking.
  if (input.order_number !== undefined) return false;
  return isKept(services, endpoint, await prepareRequest(services, endpoint, input, call), call);
}

/**
 * Whether there is something to add up in rows that were read to their end: because that was asked
 * for, or because they are all there are of a period by nature, such as its discounted orders.
 */
function isWorthKeeping(
  endpoint: Endpoint,
  { rows = [], rest, drained }: EndpointReading,
  isWhole: boolean,
  period: Period | undefined,
): boolean {
  if (rows.length < 2) return false;
  return drained || isWhole || (period !== undefined && !isPaged(endpoint) && rest === undefined);
}

/** What the platform reads as `since`: a day is its Amsterdam midnight (section 4, rule 6). */
function instantOf(since: string | undefined): string | undefined {
  if (since === undefined) return undefined;
  const moment = createTimestampReader().read(since);
  return moment && amsterdamIso(moment.ms);
}

function namesOf(resolved: Readonly<Record<string, ResolvedName>>): JsonObject {
  return Object.fromEntries(
    Object.entries(resolved).map(([field, { name, id }]) => [field, `${name} (${id})`]),
  );
}

function findings(
  services: Services,
  endpoint: Endpoint,
  input: JsonObject,
  { payload, rows }: EndpointReading,
  period: Period | undefined,
): string[] {
  const { productIds, orderNumbers, customerNames } = services;
  const record = isRecord(payload.data) ? payload.data : payload;
  if (rows) productIds.remember(rows);
  if (rows) orderNumbers.remember(rows);
  if (endpoint.toolset === 'customers') customerNames.remember(endpoint, rows ?? [record]);
  const warnings = rows ? [] : balanceWarnings(payload, period && sayDays(period));
  if (endpoint.pathId === 'shop_product_id')
    warnings.push(
      ...checkProduct(productIds, Number(input.shop_product_id), record, endpointName(endpoint)),
    );
  if (endpoint.pathId === 'order_id') warnings.push(...checkOrderId(orderNumbers, input.order_id));
  if (typeof input.product_ids === 'string')
    warnings.push(...checkInnerIds(productIds, input.product_ids.split(',').map(Number)));
  return warnings;
}
