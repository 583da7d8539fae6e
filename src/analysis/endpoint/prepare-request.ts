import type { GetOptions } from '../../client/request/get.ts';
import { addDays, amsterdamDay, amsterdamIso, readTimestamp } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { type JsonObject, toNumber, toText } from '../../core/json.ts';
import { daysOfWord, type Period, resolvePeriod } from '../../core/periods.ts';
import { getCustomer } from '../../endpoints/customers.ts';
import {
  type Endpoint,
  endpointName,
  givesRows,
  isChangeFeed,
  isServerArgument,
} from '../../endpoints/define.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { assertOpen } from '../fence.ts';
import { referenceTtlMs, spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { namedRecords } from './find-record.ts';
import { endpointMessages } from './messages.ts';

/** A request as the platform takes it, made from the arguments of a tool. */
export type PreparedRequest = Awaited<ReturnType<typeof prepareRequest>>;

/** What requests are made with. */
export type RequestServices = Pick<
  Services,
  'client' | 'reference' | 'maxRows' | 'fence' | 'opened' | 'learn'
>;

/**
 * Turns arguments into a request: period words into days, names into ids, booleans into 1 and 0.
 * Days are checked first: a wrong one costs no request.
 * @param resolvedPeriod the days, where the caller has resolved them already
 * @throws {CommerceError} `not_offered` for an endpoint that the caller may not ask
 * @throws {InputError} for days, names and cursors that cannot be meant.
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
    /** Options for the client, be it for one page or for all of them. */
    how: { ...optionsOf(endpoint, period, call), query },
    /** The arguments with days for period words and ids for names: they mean the same tomorrow. */
    resolvedArguments,
    /** The caller of this request warns of its days, and reads the names of its ids. */
    isPart: resolvedPeriod !== undefined,
    /** Whether only the whole list can be put into the requested form. */
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
    const record = namedRecords.get(name);
    const text = toText(value);
    if (space && typeof value === 'string') {
      const found = await resolveReference(services.reference, space, value, call.signal, input);
      ids[name] = String(found.id);
      if (found.resolved) resolved[name] = found.resolved;
    } else if (record?.isName(tool, text)) {
      const today = amsterdamDay(call.nowMs);
      const days = textOf(input.period) ?? `${addDays(today, -90)}..${today}`;
      const period = resolvePeriod({ period: days }, call.nowMs);
      // A page that was looked through serves the next name for a while.
      const how = { ...optionsOf(record.list, period, call), cacheForMs: openDaysTtlMs };
      const found = await record.find(services, text, how, period);
      resolved[name] = found;
      ids[record.idArgument] = found.id;
    }
  }
  return { ids, resolved };
}

/** The arguments of `get_customer` with the customer under one name. */
function customerOf({ relation_data_id, ...input }: JsonObject): JsonObject {
  requireOne(getCustomer.tool, ['customer_id', 'relation_data_id'], { ...input, relation_data_id });
  return { customer_id: relation_data_id, ...input };
}

/** Reports over days that are over do not change by the hour. */
const closedDaysTtlMs = 10 * 60_000;

/** Rows read for a statement serve the next one, but not for long where they may change. */
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
 * Whether `sort`, `limit: 0` or `all` look at the whole list: the first of sorted rows is one of all rows.
 * @throws {InputError} for a `start`, which only with `all` means to go on where the bound on rows stopped a reading
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
 * What to send as `since` to a change feed (docs/platform.md#change-feeds): days stay days, a time is written with
 * Amsterdam's offset, to the second.
 * @throws InputError when it is no period word, day or time, or lies in the future.
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

/** @throws {InputError} for neither and for both of two ways to say the same */
export function requireOne(tool: string, names: [string, string], input: JsonObject): void {
  const count = names.filter((name) => input[name] !== undefined).length;
  if (count !== 1) throw new InputError(endpointMessages.one_of({ tool, names, count }), names[0]);
}
