import type { LongReadOptions } from '../../client/paging/drain.ts';
import { addDays, amsterdamDay, amsterdamIso, readTimestamp } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type JsonObject, numberIn, textIn } from '../../core/json.ts';
import { daysOfWord, type Period, periodWords, resolvePeriod } from '../../core/periods.ts';
import { quoted } from '../../core/text.ts';
import {
  type Endpoint,
  endpointName,
  givesRows,
  isDelta,
  isServerArgument,
} from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { referenceTtlMs, spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { findOrder } from './find-order.ts';

/** A request as the platform takes it, made from the arguments of a tool. */
export type PreparedRequest<Own = Services> = Awaited<
  ReturnType<typeof prepareRequest<Own & RequestServices>>
>;

/** What requests are made with. */
type RequestServices = Pick<Services, 'client' | 'reference' | 'maxRows'>;

/**
 * Turns arguments into a request: period words into days, names into ids, booleans into 1 and 0.
 * Days are checked first: a wrong one costs no request.
 *
 * @param period the days, where the caller has resolved them already
 * @throws {InputError} for days, names and cursors that cannot be meant.
 */
export async function prepareRequest<Own extends RequestServices>(
  services: Own,
  endpoint: Endpoint,
  given: JsonObject,
  call: Call,
  period: Period | undefined = periodOf(endpoint, given, call.nowMs),
) {
  const { tool, path, pathId = '', input } = endpoint;
  const isWhole = needsWhole(given);
  // docs/platform.md#change-feeds: exactly one.
  if (isDelta(endpoint)) requireOne(tool, ['since', 'cursor'], given);
  if ('order_number' in input.shape) requireOne(tool, ['order_id', 'order_number'], given);
  const { period: _, order_number: number, ...pinned } = given;
  if (typeof given.since === 'string') pinned.since = resolveSince(given.since, call.nowMs);
  const resolved: Record<string, ResolvedName> = {};
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    if (space === undefined || typeof value !== 'string') continue;
    const found = await resolveReference(services.reference, tool, space, value, call.signal);
    pinned[name] = String(found.id);
    if (found.resolved) resolved[name] = found.resolved;
  }
  if (number !== undefined) {
    const days = { period: textOf(given.period) ?? defaultDays(call.nowMs) };
    const searched = resolvePeriod(days, call.nowMs);
    // A page that was looked through serves the next number for a while.
    const how = { ...optionsOf(listOrders, searched, call), cacheForMs: openDaysTtlMs };
    resolved.order_number = await findOrder(services, tool, textIn(number), searched, how);
    pinned.order_id = resolved.order_number.id;
  }
  if (isWhole && 'all' in input.shape) pinned.all = true;
  if (period && 'from' in input.shape) Object.assign(pinned, { from: period.from, to: period.to });
  else if (period) pinned.date = period.from;
  const query: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(pinned)) {
    if (name === pathId || isServerArgument(endpoint, name)) continue;
    if (typeof value === 'boolean') query[name] = value ? 1 : 0;
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      query[name] = value;
  }
  return {
    ...{ services, endpoint, period, resolved, call },
    path: path.replace('{id}', encodeURIComponent(String(pinned[pathId]))),
    /** How the client is asked, be it for one page or for all of them. */
    how: { ...optionsOf(endpoint, period, call), query },
    /** The arguments with days for period words and ids for names: they mean the same tomorrow. */
    pinned,
    /** Whether only the whole list can be put into the form that was asked for. */
    isWhole,
  };
}

/** Reports over days that are over do not change by the hour. */
const closedDaysTtlMs = 10 * 60_000;

/** Rows read for a statement serve the next one, but not for long where they may change. */
const openDaysTtlMs = 60_000;

/** How long the rows of a table are fresh: longer where all their days are over. */
function tableTtlMs(period: Period | undefined, nowMs: number): number {
  const isOver = period !== undefined && period.to < amsterdamDay(nowMs);
  return isOver ? closedDaysTtlMs : openDaysTtlMs;
}

/** How an endpoint is asked, and how old its answer may be: where order lines are kept, orders are read anew. */
function optionsOf(
  endpoint: Endpoint,
  period: Period | undefined,
  { nowMs, bulk, signal, readSinceMs }: Call,
): Omit<LongReadOptions, 'pageSize'> & { holdsRows: boolean } {
  const { cache, toolset } = endpoint;
  const ofTable = tableTtlMs(period, nowMs);
  const isOver = ofTable === closedDaysTtlMs;
  const own = bulk || (cache === 'closed_days' && isOver) ? ofTable : 0;
  return {
    endpoint: endpointName(endpoint),
    holdsRows: givesRows(endpoint),
    cacheForMs: cache === 'reference' ? referenceTtlMs : own,
    ...(toolset === 'orders' && readSinceMs !== undefined && { readSinceMs }),
    ...(signal && { signal }),
    ...(bulk && { priority: 'drain', deadline: bulk }),
  };
}

/**
 * Whether `sort`, `top`, `limit: 0` or `all` look at the whole list: the first of sorted rows is one of all rows.
 * @throws {InputError} for a `start` that would leave rows out of what is sorted or profiled; only with
 *   `all` does it mean that, to go on where the bound on rows stopped a reading
 */
function needsWhole({ sort, top, limit, start = 0, all }: JsonObject): boolean {
  const looksAtAll = sort !== undefined || top !== undefined || limit === 0;
  if (looksAtAll && all !== true && numberIn(start) > 0)
    throw new InputError(
      'start does not go with sort, top or limit: 0, which look at the whole list. Leave start out: all rows are kept in that order, under the result id of the answer.',
      'start',
    );
  return looksAtAll || all === true;
}

function periodOf(
  { input: { shape }, daysAreOptional }: Endpoint,
  given: JsonObject,
  nowMs: number,
): Period | undefined {
  const [period, from, to, date] = [given.period, given.from, given.to, given.date].map(textOf);
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
 * What to send as `since` to a change feed (docs/platform.md#change-feeds). A period word becomes its
 * first day, a day stays a day (the platform reads it as Amsterdam midnight), and a time is written with
 * Amsterdam's offset, to the second: without an offset it was Amsterdam's clock.
 * @throws InputError when it is none of these, or lies in the future.
 */
export function resolveSince(given: string, nowMs: number): string {
  const text = given.trim().toLowerCase();
  const days = daysOfWord(text, amsterdamDay(nowMs));
  if (days) return days.from;
  const now = amsterdamIso(nowMs);
  const moment = readTimestamp(text);
  if (moment === undefined)
    throw new InputError(
      `since: ${quoted(given)} is not a moment. Give YYYY-MM-DD, an ISO 8601 time such as "${now}" (without an offset it is Amsterdam time), or one of ${periodWords.join(', ')}.`,
      'since',
    );
  if (moment.ms > nowMs)
    throw new InputError(
      `since: ${quoted(given)} lies in the future; it is now ${now} in Amsterdam.`,
      'since',
    );
  return moment.hasTime ? amsterdamIso(moment.ms) : text;
}

/** Where an order is looked for unless a period is given. */
function defaultDays(nowMs: number): string {
  const today = amsterdamDay(nowMs);
  return `${addDays(today, -90)}..${today}`;
}

/** Refuses neither and both of two ways to say the same. */
function requireOne(tool: string, names: [string, string], given: JsonObject): void {
  const count = names.filter((name) => given[name] !== undefined).length;
  if (count === 1) return;
  const came = count === 0 ? 'neither' : 'both';
  throw new InputError(
    `${tool} takes exactly one of ${names.join(' and ')}; ${came} came.`,
    names[0],
  );
}
