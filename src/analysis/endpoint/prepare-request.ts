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

/** What the arguments say of the form of an answer of rows. */
export interface RowForm {
  /** Columns to sort by, as given. */
  sort: string | undefined;
  /** Most rows to show; the others are kept. */
  showAtMost: number | undefined;
  /** Whether rows beyond `showAtMost` were not asked for: the first so many of a whole list. */
  isTop: boolean;
  /** Whether only the whole list can be put into this form. */
  isWhole: boolean;
}

/** A request as the platform takes it, made from the arguments of a tool. */
export interface PreparedRequest {
  path: string;
  query: Record<string, string | number>;
  /** The arguments with days for period words and ids for names: they mean the same tomorrow. */
  pinned: JsonObject;
  form: RowForm;
  period?: Period;
  /** What is sent as `since`, for a word, a day or a moment. */
  since?: string;
  /** Every id among the arguments by its field, given as such or by name. */
  ids: Readonly<Record<string, number>>;
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
  const {
    pathId,
    path,
    input: { shape },
  } = endpoint;
  const form = readForm(given);
  const since = sinceOf(endpoint, given, call.nowMs);
  const resolved: Record<string, ResolvedName> = {};
  const ids: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    const space = spaceOf(name);
    if (space === undefined || typeof value !== 'string') continue;
    const found = await resolveReference(
      services.reference,
      endpoint.tool,
      space,
      value,
      call.signal,
    );
    ids[name] = found.id;
    if (found.resolved) resolved[name] = found.resolved;
  }
  const order = await namedOrder(services, endpoint, given, call);
  if (order) resolved.order_number = order;
  const { period: _, order_number: __, ...others } = given;
  const sent: JsonObject = {
    ...others,
    ...(form.isWhole && 'all' in shape && { all: true }),
    ...(period && ('from' in shape ? { from: period.from, to: period.to } : { date: period.from })),
    ...ids,
    ...(since !== undefined && { since }),
    ...(order && { order_id: order.id }),
  };
  const idTexts = Object.entries(ids).map(([name, id]) => [name, String(id)]);
  return {
    path:
      pathId === undefined ? path : path.replace('{id}', encodeURIComponent(String(sent[pathId]))),
    query: Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]): [string, string | number][] => {
        if (name === pathId || isOurs(endpoint, name)) return [];
        if (typeof value === 'boolean') return [[name, value ? 1 : 0]];
        return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
      }),
    ),
    pinned: { ...sent, ...Object.fromEntries(idTexts) },
    form,
    ...(period && { period }),
    ...(since !== undefined && { since }),
    ids,
    resolved,
  };
}

/**
 * Reads `sort`, `top`, `limit`, `start` and `all`: the first of sorted rows is one of all rows.
 *
 * @throws {InputError} for a `start` that would leave rows out of what is sorted or profiled; only with
 *   `all` does it mean that, to go on where the bound on rows stopped a reading
 */
function readForm({ sort, top, limit, start, all }: JsonObject): RowForm {
  const most = typeof top === 'number' ? top : limit;
  const whole = [
    ...(typeof sort === 'string' ? ['sort'] : []),
    ...(typeof top === 'number' ? ['top'] : []),
    ...(limit === 0 ? ['limit: 0'] : []),
  ];
  if (whole.length > 0 && all !== true && Number(start ?? 0) > 0)
    throw new InputError(
      `start does not go with ${whole.join(' and ')}, which look${whole.length === 1 ? 's' : ''} at the whole list. Leave start out: all rows are kept in that order, under the result id of the answer.`,
      'start',
    );
  return {
    sort: typeof sort === 'string' ? sort : undefined,
    showAtMost: typeof most === 'number' ? most : undefined,
    isTop: typeof top === 'number',
    isWhole: all === true || whole.length > 0,
  };
}

function periodOf(endpoint: Endpoint, input: JsonObject, nowMs: number): Period | undefined {
  const [period, from, to, date] = [input.period, input.from, input.to, input.date].map(text);
  if ('from' in endpoint.input.shape) {
    const isGiven = period !== undefined || from !== undefined || to !== undefined;
    if (!isGiven && endpoint.daysAreOptional) return undefined;
    return resolvePeriod({ period, from, to }, nowMs);
  }
  return date === undefined ? undefined : resolvePeriod({ from: date }, nowMs, { from: 'date' });
}

/** The order that was given by its number, where an endpoint takes one or the other. */
async function namedOrder(
  services: Services,
  endpoint: Endpoint,
  input: JsonObject,
  call: Call,
): Promise<ResolvedName | undefined> {
  if (!('order_number' in endpoint.input.shape)) return undefined;
  const { order_id: id, order_number: number } = input;
  if ((id === undefined) === (number === undefined))
    throw new InputError(
      `${endpoint.tool} takes one of order_id and order_number; ${id === undefined ? 'neither' : 'both'} came.`,
      'order_id',
    );
  return number === undefined ? undefined : findOrder(services, endpoint.tool, input, call);
}

/** A change feed takes exactly one of `since` and `cursor` (docs/platform.md#change-feeds). */
function sinceOf(endpoint: Endpoint, input: JsonObject, nowMs: number): string | undefined {
  const since = text(input.since);
  if (isDelta(endpoint) && (since === undefined) === (input.cursor === undefined))
    throw new InputError(
      `${endpoint.tool} takes exactly one of since and cursor; ${since === undefined ? 'neither' : 'both'} came. Give since (such as today) the first time, then the next_cursor of the answer as cursor.`,
      'since',
    );
  return since === undefined ? undefined : resolveSince(since, nowMs);
}

function text(value: unknown): string | undefined {
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
  { order_number, period: given }: JsonObject,
  { nowMs, signal }: Call,
): Promise<ResolvedName> {
  const number = String(order_number).trim();
  const today = amsterdamDay(nowMs);
  const days =
    typeof given === 'string'
      ? { period: given }
      : { from: addDays(today, -defaultDays), to: today };
  const period = resolvePeriod(days, nowMs);
  const { from, to } = period;
  const limit = largestPage(listOrders);
  let read = 0;
  let total = 1;
  for (let start = 0; read < total && start <= read; start += limit) {
    const { body, rows } = await client.get(listOrders.path, {
      endpoint: endpointName(listOrders),
      query: { from, to, start, limit },
      holdsRows: true,
      cacheForMs: keptMs,
      ...(signal && { signal }),
    });
    const found = rows
      .filter(isRecord)
      .find((row) => textIn(row.order_number).toLowerCase() === number.toLowerCase());
    const id = numberIn(found?.id);
    if (found && Number.isSafeInteger(id)) {
      const note = `looked for among the orders of ${sayDays(period)}`;
      return { given: number, id, name: textIn(found.order_number), note };
    }
    if (rows.length === 0) break;
    read += rows.length;
    total = isRecord(body) ? numberIn(body.total) : read;
  }
  const none = read < 2 ? 'no order' : `none of the ${read.toLocaleString('en-US')} orders`;
  throw new InputError(
    `${tool}: ${none} of ${sayDays(period)} has the number "${quote(number)}". Give the period in which it was placed, or its id as order_id.`,
    'order_number',
  );
}
