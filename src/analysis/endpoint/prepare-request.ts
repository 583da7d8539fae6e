import type { GetOptions } from '../../client/request/get.ts';
import { addDays, amsterdamDay, amsterdamIso, readTimestamp } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type JsonObject, toNumber, toText } from '../../core/json.ts';
import { daysOfWord, type Period, resolvePeriod } from '../../core/periods.ts';
import { getCustomer, searchCustomers } from '../../endpoints/customers.ts';
import {
  type Endpoint,
  endpointName,
  givesRows,
  isChangeFeed,
  isServerArgument,
} from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { assertOpen } from '../fence.ts';
import { referenceTtlMs, spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { findCustomer, findOrder } from './find-record.ts';
import { endpointMessages } from './messages.ts';

export type PreparedRequest = Awaited<ReturnType<typeof prepareRequest>>;

export type RequestServices = Pick<
  Services,
  'client' | 'reference' | 'maxRows' | 'fence' | 'opened' | 'learn'
>;

/**
 * Turns arguments into a request: period words into days, names into ids, booleans into 1 and 0.
 * Days are checked first, so that a wrong one costs no request.
 * @param resolvedPeriod set where the caller has resolved the days already
 * @throws {CommerceError} `not_offered` for an endpoint that the caller may not ask
 * @throws {InputError} for wrong days, names and cursors
 */
export async function prepareRequest(
  services: RequestServices,
  endpoint: Endpoint,
  given: JsonObject,
  call: Call,
  resolvedPeriod?: Period,
) {
  const period = resolvedPeriod ?? periodOf(endpoint, given, call.nowMs);
  assertOpen(services.opened ?? services.fence, endpoint);
  const { tool, path, pathId = '' } = endpoint;
  const { shape } = endpoint.input;
  const input = tool === getCustomer.tool ? customerOf(given) : given;
  const isWhole = needsWhole(input);
  // docs/platform.md#change-feeds: exactly one.
  if (isChangeFeed(endpoint)) requireOne(tool, ['since', 'cursor'], input);
  if ('order_number' in shape) requireOne(tool, ['order_id', 'order_number'], input);
  const { period: _, order_number: __, ...resolvedArguments } = input;
  if (typeof input.since === 'string')
    resolvedArguments.since = resolveSince(input.since, call.nowMs);
  const { ids, resolved } = await resolveNames(services, tool, input, call);
  Object.assign(resolvedArguments, ids);
  if (isWhole && 'all' in shape) resolvedArguments.all = true;
  if (period && 'from' in shape)
    Object.assign(resolvedArguments, { from: period.from, to: period.to });
  else if (period) resolvedArguments.date = period.from;
  const query: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(resolvedArguments)) {
    if (name === pathId || isServerArgument(endpoint, name)) continue;
    if (typeof value === 'boolean') query[name] = value ? 1 : 0;
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      query[name] = value;
  }
  return {
    endpoint,
    period,
    input,
    call,
    resolved,
    path: path.replace('{id}', encodeURIComponent(String(resolvedArguments[pathId]))),
    /** Options for the client. */
    how: { ...optionsOf(endpoint, period, call), query },
    /** The arguments with days for period words and ids for names, so that they mean the same tomorrow. */
    resolvedArguments,
    /** Whether the caller of this request warns of its days and reads the names of its ids. */
    isPart: resolvedPeriod !== undefined,
    /** Whether the whole list has to be read. */
    isWhole,
  };
}

async function resolveNames(
  services: RequestServices,
  tool: string,
  input: JsonObject,
  call: Call,
): Promise<{ ids: JsonObject; resolved: Record<string, ResolvedName> }> {
  const ids: JsonObject = {};
  const resolved: Record<string, ResolvedName> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const space = spaceOf(name);
    const text = toText(value);
    if (space && typeof value === 'string') {
      const { reference } = services;
      const resolution = await resolveReference(reference, space, value, call.signal, input);
      ids[name] = String(resolution.id);
      if (resolution.resolved) resolved[name] = resolution.resolved;
    } else if (name === 'order_number') {
      const today = amsterdamDay(call.nowMs);
      const period = textOf(input.period) ?? `${addDays(today, -90)}..${today}`;
      const days = resolvePeriod({ period }, call.nowMs);
      resolved[name] = await findOrder(services, text, searchOptions(listOrders, call), days);
      ids.order_id = resolved[name].id;
    } else if (name === 'customer_id' && tool === getCustomer.tool && !/^\s*\d+\s*$/.test(text)) {
      resolved[name] = await findCustomer(services, text, searchOptions(searchCustomers, call));
      ids[name] = resolved[name].id;
    }
  }
  return { ids, resolved };
}

/** The pages that were searched are cached for the next name. */
function searchOptions(list: Endpoint, call: Call): GetOptions {
  return { ...optionsOf(list, undefined, call), cacheForMs: openDaysTtlMs };
}

/** Accepts both names of the id of `get_customer`. */
function customerOf({ relation_data_id, ...input }: JsonObject): JsonObject {
  requireOne(getCustomer.tool, ['customer_id', 'relation_data_id'], { ...input, relation_data_id });
  return { customer_id: relation_data_id, ...input };
}

/** Reports of past days do not change by the hour. */
const closedDaysTtlMs = 10 * 60_000;

/** Rows that may still change are cached briefly. */
const openDaysTtlMs = 60_000;

function optionsOf(
  endpoint: Endpoint,
  period: Period | undefined,
  { nowMs, statementDeadline, deadline, sharesRows, signal, readSinceMs }: Call,
): GetOptions & { endpoint: string } {
  const { cache, toolset } = endpoint;
  const isOver = period !== undefined && period.to < amsterdamDay(nowMs);
  const isCached = statementDeadline || sharesRows || (cache === 'closed_days' && isOver);
  const rowsTtlMs = isOver ? closedDaysTtlMs : openDaysTtlMs;
  return {
    endpoint: endpointName(endpoint),
    holdsRows: givesRows(endpoint),
    cacheForMs: cache === 'reference' ? referenceTtlMs : isCached ? rowsTtlMs : 0,
    ...(toolset === 'orders' && readSinceMs !== undefined && { readSinceMs }),
    signal,
    ...(deadline && { deadline }),
    ...(statementDeadline && { priority: 'bulk', deadline: statementDeadline }),
  };
}

/**
 * Whether `sort`, `limit: 0` or `all` need the whole list.
 * @throws {InputError} for `start` with `sort` or `limit: 0`; with `all` it continues after the bound on rows
 */
function needsWhole({ sort, limit, start = 0, all }: JsonObject): boolean {
  const looksAtAll = sort !== undefined || limit === 0;
  if (looksAtAll && all !== true && toNumber(start) > 0)
    throw new InputError(endpointMessages.start_of_sorted(), 'start');
  return looksAtAll || all === true;
}

function periodOf(
  { input: { shape }, daysAreOptional }: Endpoint,
  input: JsonObject,
  nowMs: number,
): Period | undefined {
  const [period, from, to, date] = [input.period, input.from, input.to, input.date].map(textOf);
  if ('from' in shape) {
    const isLeftOut = (period ?? from ?? to) === undefined;
    return isLeftOut && daysAreOptional ? undefined : resolvePeriod({ period, from, to }, nowMs);
  }
  if (date === undefined) return undefined;
  return resolvePeriod({ from: date }, nowMs, { from: 'date', to: 'date' });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * The value of `since` for a change feed (docs/platform.md#change-feeds): a day, or a time with Amsterdam's offset to the
 * second.
 * @throws {InputError} for anything but a period word, day or time, and for the future
 */
export function resolveSince(since: string, nowMs: number): string {
  const text = since.trim().toLowerCase();
  const today = amsterdamDay(nowMs);
  const days = daysOfWord(text, today);
  if (days && days.from <= today) return days.from;
  const now = amsterdamIso(nowMs);
  const moment = readTimestamp(text);
  if (moment === undefined)
    throw new InputError(endpointMessages.not_a_moment({ given: since, now }), 'since');
  if (moment.ms > nowMs)
    throw new InputError(endpointMessages.moment_in_future({ given: since, now }), 'since');
  return moment.hasTime ? amsterdamIso(moment.ms) : text;
}

/** @throws {InputError} unless exactly one of two arguments is given */
export function requireOne(tool: string, names: [string, string], input: JsonObject): void {
  const count = names.filter((name) => input[name] !== undefined).length;
  if (count !== 1) throw new InputError(endpointMessages.one_of({ tool, names, count }), names[0]);
}
