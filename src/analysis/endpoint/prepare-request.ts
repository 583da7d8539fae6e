import { InputError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Period, resolvePeriod } from '../../core/periods.ts';
import { resolveSince } from '../../core/since.ts';
import { type Endpoint, isDelta } from '../../endpoints/define.ts';
import { isOurs } from '../../endpoints/own-parameters.ts';
import type { Call, ResolvedName } from '../answer.ts';
import { type Reference, spaceOf } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { findOrder } from './find-by-number.ts';

/** A request as the platform takes it, made from the arguments of a tool. */
export interface PreparedRequest {
  path: string;
  query: Record<string, string | number>;
  /** The arguments with days for period words and ids for names: they mean the same tomorrow. */
  pinned: JsonObject;
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
 * @param period the days, where whoever asks has resolved them already
 * @throws {InputError} for days, names and cursors that cannot be meant.
 */
export async function prepareRequest(
  services: Services,
  endpoint: Endpoint,
  input: JsonObject,
  call: Call,
  period: Period | undefined = periodOf(endpoint, input, call.nowMs),
): Promise<PreparedRequest> {
  const { nowMs, signal } = call;
  const since = sinceOf(endpoint, input, nowMs);
  const { ids, resolved } = await resolveReferences(services.reference, endpoint, input, signal);
  const order = await namedOrder(services, endpoint, input, call);
  const { period: _, order_number: __, ...given } = input;
  const days = period && asParameters(endpoint, period);
  const sent: JsonObject = {
    ...given,
    ...days,
    ...ids,
    ...(since !== undefined && { since }),
    ...(order && { order_id: order.id }),
  };
  const { pathId } = endpoint;
  return {
    path:
      pathId === undefined
        ? endpoint.path
        : endpoint.path.replace('{id}', encodeURIComponent(String(sent[pathId]))),
    query: Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]): [string, string | number][] =>
        name === pathId || isOurs(endpoint, name) ? [] : asQuery(name, value),
      ),
    ),
    pinned: { ...sent, ...textsOf(ids) },
    ...(period && { period }),
    ...(since !== undefined && { since }),
    ids,
    resolved: order ? { ...resolved, order_number: order } : resolved,
  };
}

function periodOf(endpoint: Endpoint, input: JsonObject, nowMs: number): Period | undefined {
  const { shape } = endpoint.input;
  if ('from' in shape) {
    const { period, from, to } = input;
    const isGiven = period !== undefined || from !== undefined || to !== undefined;
    if (!isGiven && endpoint.daysAreOptional) return undefined;
    return resolvePeriod({ period: text(period), from: text(from), to: text(to) }, nowMs);
  }
  const date = text(input.date);
  if (date === undefined) return undefined;
  return resolvePeriod({ from: date }, nowMs, { from: 'date' });
}

function asParameters(endpoint: Endpoint, { from, to }: Period): JsonObject {
  return 'from' in endpoint.input.shape ? { from, to } : { date: from };
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
  return number === undefined ? undefined : findOrder(services, endpoint, input, call);
}

/** Section 4, rule 6: exactly one of `since` and `cursor`. */
function sinceOf(endpoint: Endpoint, input: JsonObject, nowMs: number): string | undefined {
  const since = text(input.since);
  if (isDelta(endpoint) && (since === undefined) === (input.cursor === undefined)) {
    const came = since === undefined ? 'neither' : 'both';
    throw new InputError(
      `${endpoint.tool} takes exactly one of since and cursor; ${came} came. Give since (such as today) the first time, then the next_cursor of the answer as cursor.`,
      'since',
    );
  }
  return since === undefined ? undefined : resolveSince(since, nowMs);
}

async function resolveReferences(
  reference: Reference,
  { tool }: Endpoint,
  input: JsonObject,
  signal: AbortSignal | undefined,
): Promise<{ ids: Record<string, number>; resolved: Record<string, ResolvedName> }> {
  const ids: Record<string, number> = {};
  const resolved: Record<string, ResolvedName> = {};
  for (const [name, value] of Object.entries(input)) {
    const space = spaceOf(name);
    if (space === undefined || typeof value !== 'string') continue;
    const found = await resolveReference(reference, tool, space, value, signal);
    ids[name] = found.id;
    if (found.resolved) resolved[name] = found.resolved;
  }
  return { ids, resolved };
}

/** Ids as the tools take them. */
function textsOf(ids: Readonly<Record<string, number>>): JsonObject {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, String(id)]));
}

function asQuery(name: string, value: unknown): [string, string | number][] {
  switch (typeof value) {
    case 'boolean':
      return [[name, value ? 1 : 0]];
    case 'string':
    case 'number':
      return [[name, value]];
    default:
      return [];
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
