import { clientMessages } from '../../client/messages.ts';
import { amsterdamIso, readTimestamp } from '../../core/calendar.ts';
import { isIdentifier } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';
import type { Period } from '../../core/periods.ts';
import { sayCount } from '../../core/text.ts';
import {
  type Endpoint,
  givesRows,
  isChangeFeed,
  isPaged,
  isReport,
  largestPage,
} from '../../endpoints/define.ts';
import type { Call, RecordAnswer, RowsAnswer, ToolCall } from '../answer.ts';
import { withhold } from '../fence.ts';
import { type Row, sortRows } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import {
  emptyDaysOf,
  findWarnings,
  isRepetition,
  leftOpen,
  reportNotes,
  returnsNote,
  shopsOfLocation,
} from './findings.ts';
import { endpointMessages } from './messages.ts';
import { type PreparedRequest, prepareRequest, type RequestServices } from './prepare-request.ts';

/**
 * Asks one endpoint. The answer's context holds the facts that a reader needs to trust it.
 * @throws {InputError} for arguments that make no sense
 * @throws {PlatformError} when the platform refuses or fails
 */
export async function askEndpoint(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
): Promise<RowsAnswer | RecordAnswer> {
  return (givesRows(endpoint) ? askList : askRecord)(endpoint, services, input, call);
}

/** @throws as {@link askEndpoint} */
export async function askList(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
): Promise<RowsAnswer> {
  if (input.top !== undefined && input.sort === undefined)
    throw await topWithoutSort(services, endpoint.tool, call.signal);
  const request = await prepareRequest(services, endpoint, input, call);
  const { period, resolvedArguments, isWhole } = request;
  const { sort, top, limit } = input;
  const [reading, returns] = await Promise.all([
    ask(services, request),
    returnsNote(services, request),
  ]);
  const { rows: readRows = [], rest, context, ...answered } = reading;
  const order = typeof sort === 'string' ? sortRows(readRows, sort, top !== undefined) : undefined;
  const rows = order?.rows ?? readRows;
  const count = top ?? limit;
  // A page already has the requested size; a whole list is cut to it.
  const isCut = typeof count === 'number' && (isWhole || !isPaged(endpoint));
  // Endpoints without pages, such as discounted orders, give all rows of a period.
  const isAll = isWhole || (period !== undefined && !isPaged(endpoint) && !rest);
  const since = readTimestamp(resolvedArguments.since);
  return {
    kind: 'rows',
    ...answered,
    rows,
    rest,
    noun: endpoint.noun ?? 'rows',
    context: {
      ...context,
      summary: [...(returns ? [returns] : []), ...context.summary],
      sorted: order?.sorted,
      since: since && { given: String(input.since), instant: amsterdamIso(since.ms) },
    },
    keep: rows.length > 1 && isAll,
    wanted: isCut ? { count, isTop: top !== undefined } : undefined,
  };
}

/** Names the columns that a list can be sorted by, after a look at the account. */
async function topWithoutSort({ survey }: Services, tool: string, signal: Call['signal']) {
  await survey.look([tool], signal);
  const columns = Object.entries(survey.columnsOf(tool).columns).flatMap(([name, type]) =>
    /^(integer|decimal|day|timestamp)$/.test(String(type)) && !isIdentifier(name) ? [name] : [],
  );
  return new InputError(endpointMessages.top_without_sort({ columns }), 'top');
}

/**
 * @param days set where the caller has resolved the period already, and warns of its days itself
 * @throws as {@link askEndpoint}
 */
export async function askRecord(
  endpoint: Endpoint,
  services: Services,
  input: JsonObject,
  call: Call,
  days?: Period,
): Promise<RecordAnswer> {
  const request = await prepareRequest(services, endpoint, input, call, days);
  const { payload, calls, toolCall, context } = await ask(services, request);
  const report = isReport(endpoint) ? { isReport: true as const } : {};
  return { kind: 'record', payload, calls, toolCall, context, ...report };
}

/** Reads rows or a record, without the columns that the caller may not see, and finds the facts about them. */
async function ask(services: Services, request: PreparedRequest) {
  const { endpoint, call, input, how, period, resolved, resolvedArguments } = request;
  const reading = readEndpoint(services, request);
  // The endpoint's own request goes first: it is under way already.
  if (!call.statementDeadline && !request.isPart) {
    const { fields } = input;
    const ids = (endpoint.namedIds ?? []).filter(
      (id) => !Array.isArray(fields) || fields.includes(id),
    );
    services.reference.prefetch(ids, call.signal);
  }
  const [{ readAtMs, calls, rest, notes, ...content }, shopWarnings] = await Promise.all([
    reading,
    shopsOfLocation(services, request),
  ]);
  const { rows, ...seen } = withhold(services.fence, endpoint, content);
  const { payload, more } = chooseSections(endpoint, input.sections, seen.payload);
  if (rows && endpoint.toolset === 'catalog') services.productIds.remember(rows);
  const found = { payload, rows, notes, warnings: [...shopWarnings, ...seen.warnings] };
  const warnings = await findWarnings(found, request, services);
  return {
    payload,
    rows,
    rest,
    calls,
    toolCall: { tool: endpoint.tool, arguments: resolvedArguments },
    context: {
      endpoint: how.endpoint,
      ...services.origin,
      as_of: amsterdamIso(readAtMs),
      cached: calls === 0 || undefined,
      period,
      resolved,
      more,
      left_open: leftOpen(endpoint, input, rows ?? [payload]),
      empty_days: rows && emptyDaysOf(request, rows, rest !== undefined),
      summary: notes.filter(isRepetition).map(({ text }) => text),
      definitions: reportNotes(request, payload, warnings, services.hasTool),
      warnings,
    },
  } as const;
}

/** Leaves out the sections of a report that were not chosen, and names them. */
function chooseSections({ sections = [] }: Endpoint, chosen: unknown, payload: JsonObject) {
  if (!Array.isArray(chosen) || chosen.length === 0) return { payload };
  const isOther = (name: string) => sections.includes(name) && !chosen.includes(name);
  const others = Object.keys(payload).filter(isOther);
  const shown = Object.entries(payload).filter(([name]) => !isOther(name));
  const more = others.length > 0 ? { sections: others } : undefined;
  return { payload: Object.fromEntries(shown), more };
}

interface EndpointReading {
  payload: JsonObject;
  rows?: readonly Row[] | undefined;
  rest?: RowsAnswer['rest'];
  readAtMs: number;
  notes: readonly Warning[];
  /** Requests that the platform answered. */
  calls: number;
}

/** Reads one page, or with `all` every page, and learns the columns. */
export async function readEndpoint(
  services: RequestServices,
  request: PreparedRequest,
): Promise<EndpointReading> {
  const isWhole = request.resolvedArguments.all === true;
  const reading = await (isWhole ? readWhole : readOnce)(services, request);
  services.learn(request.endpoint, reading);
  return reading;
}

async function readOnce(
  services: RequestServices,
  request: PreparedRequest,
): Promise<EndpointReading> {
  const { endpoint, path, how } = request;
  const response = await services.client.get(path, how);
  const { body, rows, envelope: payload = {}, readAtMs, cached } = response;
  const read = { readAtMs, calls: cached ? 0 : 1, notes: [] };
  if (!givesRows(endpoint)) return { ...read, payload: isRecord(body) ? body : { data: body } };
  return {
    ...read,
    payload,
    rows: rows.map((row) => (isRecord(row) ? row : { value: row })),
    ...restOf(request, payload, rows.length),
  };
}

/** A list with fewer rows than its `total` is never complete (docs/platform.md#lists). */
function restOf(
  { endpoint, resolvedArguments: args }: PreparedRequest,
  payload: JsonObject,
  count: number,
): Pick<EndpointReading, 'rest'> & { notes?: Warning[] } {
  if (isChangeFeed(endpoint)) {
    const next = nextCall(endpoint, args, { cursor: payload.next_cursor });
    return payload.has_more === true ? { rest: { next } } : {};
  }
  const total = toNumber(payload.total);
  const reached = toNumber(payload.start ?? args.start ?? 0) + count;
  if (total > reached && isPaged(endpoint) && count > 0)
    return { rest: { next: nextCall(endpoint, args, { start: reached }) } };
  if (!(total > reached || (total < reached && count > 0))) return {};
  const lack = clientMessages.not_whole({ why: 'fewer_given', rows: reached, total });
  return { rest: {}, notes: [lack] };
}

/** Reads every page of a list, or a feed to its end, in the largest pages; `limit` is only for the rows shown. */
async function readWhole(
  { client, maxRows }: RequestServices,
  { endpoint, path, how, resolvedArguments: args, call }: PreparedRequest,
): Promise<EndpointReading> {
  const { limit: _, ...query } = how.query;
  const options = {
    ...how,
    query,
    pageSize: largestPage(endpoint),
    maxRows,
    onProgress({ read, total }: { read: number; total?: number }) {
      const ofTotal = total === undefined ? '' : ` of ${sayCount(total)}`;
      const message = `read ${sayCount(read)}${ofTotal} ${endpoint.noun ?? 'rows'}`;
      call.onProgress?.({ done: read, total, message });
    },
  };
  if (isChangeFeed(endpoint)) {
    const { nextCursor, complete, ...read } = await client.followChanges(path, options);
    const rest = { next: nextCall(endpoint, args, { cursor: nextCursor }) };
    const payload = { count: read.rows.length, next_cursor: nextCursor, has_more: !complete };
    return { ...read, payload, rest: complete ? undefined : rest };
  }
  const { envelope, total, complete, ...read } = await client.readAllPages(path, options);
  // Only behind the bound on rows can the rest be asked for; rows that moved are in the notes.
  const reached = toNumber(query.start ?? 0) + read.rows.length;
  const isBounded = read.rows.length >= maxRows && reached < total;
  const rest = isBounded ? { next: nextCall(endpoint, args, { start: reached }) } : {};
  const payload = { ...envelope, count: read.rows.length, total };
  return { ...read, payload, rest: complete ? undefined : rest };
}

/** The same call from another `start` on, or from a cursor, which excludes `since`. */
function nextCall(
  { tool }: Endpoint,
  { since: _, ...args }: JsonObject,
  position: JsonObject,
): ToolCall {
  return { tool, arguments: { ...args, ...position } };
}
