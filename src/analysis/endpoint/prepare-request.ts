import { addDays, amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, numberIn, textIn } from '../../core/json.ts';
import { type Period, resolvePeriod, resolveSince, sayDays } from '../../core/periods.ts';
import { quote } from '../../core/text.ts';
import {
  type Endpoint,
  endpointName,
  isDelta,
  isOurs,
  largestPage,
} from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';

/** A request as the platform takes it, made from the arguments of a tool. */
export interface PreparedRequest {
  path: string;
  query: Record<string, string | number>;
  /** The arguments with days for period words and ids for names: they mean the same tomorrow. */
  pinned: JsonObject;
  /** Whether only the whole list can be put into the form that was asked for. */
  isWhole: boolean;
  period?: Period;
  resolved: Record<string, ResolvedName>;
}

/**
 * Turns arguments into a request: period words into days, names into ids, booleans into 1 and 0.
 * Days are checked first: a wrong one costs no request.
 *
 * @param period the days, where the caller has resolved them already
 * @throws {InputError} for days, names and cursors that cannot be meant.
 */
export async function prepareRequest(
  services: Services,
  endpoint: Endpoint,
  given: JsonObject,
  call: Call,
  period: Period | undefined = periodOf(endpoint, given, call.nowMs),
): Promise<PreparedRequest> {
  const { tool, path, pathId = '' } = endpoint;
  const { shape } = endpoint.input;
  const isWhole = needsWhole(given);
  // docs/platform.md#change-feeds: exactly one.
  if (isDelta(endpoint)) requireOne(tool, ['since', 'cursor'], given, feedAdvice);
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
  if ('order_number' in shape) requireOne(tool, ['order_id', 'order_number'], given);
  if (number !== undefined) {
    const order = await findOrder(services, tool, given, call);
    resolved.order_number = order;
    pinned.order_id = order.id;
  }
  if (isWhole && 'all' in shape) pinned.all = true;
  if (period && 'from' in shape) Object.assign(pinned, { from: period.from, to: period.to });
  else if (period) pinned.date = period.from;
  const sent = Object.entries(pinned).filter(
    ([name]) => name !== pathId && !isOurs(endpoint, name),
  );
  return {
    path: path.replace('{id}', encodeURIComponent(String(pinned[pathId]))),
    query: Object.fromEntries(
      sent.flatMap(([name, value]): [string, string | number][] => {
        if (typeof value === 'boolean') return [[name, value ? 1 : 0]];
        return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
      }),
    ),
    pinned,
    isWhole,
    ...(period && { period }),
    resolved,
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

function periodOf(endpoint: Endpoint, input: JsonObject, nowMs: number): Period | undefined {
  const [period, from, to, date] = [input.period, input.from, input.to, input.date].map(textOf);
  if (!('from' in endpoint.input.shape))
    return date === undefined
      ? undefined
      : resolvePeriod({ from: date }, nowMs, { from: 'date', to: 'date' });
  const isLeftOut = period === undefined && from === undefined && to === undefined;
  if (isLeftOut && endpoint.daysAreOptional) return undefined;
  return resolvePeriod({ period, from, to }, nowMs);
}

const feedAdvice =
  ' Give since (such as today) the first time, then the next_cursor of the answer as cursor.';

/** Refuses neither and both of two ways to say the same. */
function requireOne(tool: string, names: [string, string], input: JsonObject, advice = ''): void {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length === 1) return;
  const came = given.length === 0 ? 'neither' : 'both';
  throw new InputError(
    `${tool} takes exactly one of ${names.join(' and ')}; ${came} came.${advice}`,
    names[0],
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** How far back an order is looked for unless a period is given. */
const defaultDays = 90;

/** How long a page that was looked through may serve again. */
const keptMs = 60_000;

/**
 * The id of an order by its number: the platform has no way to ask for it, so the lists of orders are
 * looked through, the newest first, until it is found.
 * @throws {InputError} when it is not among the orders of the period, which the text names
 */
async function findOrder(
  { client }: Services,
  tool: string,
  input: JsonObject,
  { nowMs, signal }: Call,
): Promise<ResolvedName> {
  const given = textIn(input.order_number).trim();
  const today = amsterdamDay(nowMs);
  const word = textOf(input.period) ?? `${addDays(today, -defaultDays)}..${today}`;
  const period = resolvePeriod({ period: word }, nowMs);
  const { from, to } = period;
  const limit = largestPage(listOrders);
  for (let [start, total] = [0, 1]; start < total; start += limit) {
    const { body, rows } = await client.get(listOrders.path, {
      endpoint: endpointName(listOrders),
      query: { from, to, start, limit },
      holdsRows: true,
      cacheForMs: keptMs,
      ...(signal && { signal }),
    });
    const isMeant = (row: JsonObject) =>
      textIn(row.order_number).toLowerCase() === given.toLowerCase();
    const { id, order_number: name } = rows.filter(isRecord).find(isMeant) ?? {};
    const note = `looked for among the orders of ${sayDays(period)}`;
    if (Number.isSafeInteger(id)) return { given, id: numberIn(id), name: textIn(name), note };
    total = isRecord(body) && rows.length > 0 ? numberIn(body.total) : 0;
  }
  throw new InputError(
    `${tool}: no order of ${sayDays(period)} has the number "${quote(given)}". Give the period in which it was placed, or its id as order_id.`,
    'order_number',
  );
}
