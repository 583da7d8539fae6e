/** Figures over spans of days: the financial report read as facts, and orders counted beside it. */
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { endpointName } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { AnswerContext, Call, ResolvedName } from '../answer.ts';
import { askEndpoint } from '../endpoint/ask-endpoint.ts';
import { tableTtlMs } from '../endpoint/prepare-request.ts';
import { spaceOfKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { type FactSplit, factsBy, readFacts } from './facts.ts';
import { addParts, asksForOrders, averageOrders, type TurnoverFigure } from './measures.ts';

/** Days to read figures of, and the days to compare them with. */
export interface Span {
  period: Period;
  reference?: Period | undefined;
}

/** Figures, and what is to be said of them. */
export interface TurnoverReading {
  figures: readonly TurnoverFigure[];
  /** Of reports. */
  context?: AnswerContext;
  /** Warnings about the figures alone, and those of them for an answer that shows payments. */
  warnings: readonly string[];
  balance: readonly string[];
  /** Requests that the platform answered. */
  calls: number;
}

interface Question {
  tool: string;
  by: FactSplit;
  location_id?: string | undefined;
  measures?: readonly string[] | undefined;
}

/** How many requests spans cost at least: a report each, and the orders where they are counted. */
export function countReports(spans: readonly Span[], wanted?: readonly string[]): number {
  const reports = spans.reduce((sum, { reference }) => sum + (reference ? 2 : 1), 0);
  return reports * (asksForOrders(wanted) ? 2 : 1);
}

/** The figures of each span and of its reference, and what a location's name was read as. */
export async function readSpans(
  services: Services,
  { tool, by, location_id: given, measures }: Question,
  spans: readonly Span[],
  call: Call,
): Promise<{
  found: [TurnoverReading, TurnoverReading | undefined][];
  resolved: ResolvedName | undefined;
}> {
  const { reference } = services;
  const { signal } = call;
  const space = spaceOfKind('location');
  const location = given && (await resolveReference(reference, tool, space, given, signal));
  const { id = undefined, resolved } = location || {};
  const visible = by === 'location' ? await reference.entries('location', signal) : [];
  const places: readonly Place[] =
    by === 'location' ? visible.filter((it) => id === undefined || it.id === id) : [{ id }];
  if (places.length === 0)
    throw new InputError(
      `${tool}: there is no such location that this key may see.`,
      'location_id',
    );
  const isCounting = asksForOrders(measures) && countsOrders(services, by);
  const groups = isCounting ? await groupOrders(services, by, id, call) : [];

  const total = countReports(spans);
  let done = 0;
  const read = async (period: Period): Promise<TurnoverReading> => {
    const readings = await Promise.all([
      ...places.map((place) => readReport(services, by, period, place, call)),
      ...groups.map((group) => countOrders(services, group, period, call)),
    ]);
    done += 1;
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
    const { figures, ...rest } = joinReadings(readings);
    return { ...rest, figures: [...figures, ...averageOrders(figures)] };
  };
  const found = spans.map(({ period, reference }) =>
    Promise.all([read(period), reference && read(reference)]),
  );
  return { found: await Promise.all(found), resolved };
}

/** Several readings as one, as old as the oldest of their reports. */
export function joinReadings(readings: readonly TurnoverReading[]) {
  const contexts = readings.flatMap(({ context }) => context ?? []);
  return {
    figures: readings.flatMap(({ figures }) => figures),
    context: contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b)),
    warnings: readings.flatMap(({ warnings }) => warnings),
    balance: readings.flatMap(({ balance }) => balance),
    calls: readings.reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** A location whose report is read; without an id all that the key may see, named where places are compared. */
type Place = Partial<Pick<TurnoverFigure, 'name'>> & { id: number | undefined };

/** The financial report of one place. */
async function readReport(
  services: Services,
  by: FactSplit,
  period: Period,
  { id, name }: Place,
  call: Call,
): Promise<TurnoverReading> {
  const input = id === undefined ? {} : { location_id: String(id) };
  const [{ payload, context, balance = [], calls = 1 }, names] = await Promise.all([
    askEndpoint(getFinancialReport, services, input, call, period),
    namesFor(services, by, call),
  ]);
  const isOfPlace = by === 'location';
  const figures = factsBy(readFacts(payload), isOfPlace ? 'total' : by).map(
    ({ measure, value, ids, name: ownName }): TurnoverFigure => {
      if (isOfPlace) return { measure, value, id, name };
      const [text] = Object.values(ids);
      if (text === undefined) return { measure, value };
      if (text === null) return { measure, value, id: null };
      return { measure, value, id: Number(text), name: names.get(Number(text)) ?? ownName };
    },
  );
  const say = (warning: string) => (isOfPlace ? `${name}: ${warning}` : warning);
  return {
    figures: [...(by === 'tax_rate' ? addParts(figures) : []), ...figures],
    context,
    warnings: (context.warnings ?? []).filter((it) => !balance.includes(it)).map(say),
    balance: balance.map(say),
    calls,
  };
}

/** The account's own names come before those in the report, which serve where the list is out of reach. */
async function namesFor({ reference }: Services, by: FactSplit, { signal }: Call) {
  if (by === 'total' || by === 'location') return new Map<number, string>();
  const entries = await reference.entries(by, signal).catch((error) => {
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    return [];
  });
  return new Map(entries.map(({ id, name }) => [id, name]));
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
export function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
  return fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/** Orders that are counted together: those of a shop, of a location, or all that the key may see. */
interface OrderGroup {
  of: Pick<TurnoverFigure, 'id' | 'name'>;
  /** Ids of their shops; `[undefined]`: of every shop, by one request. */
  shops: readonly (number | undefined)[];
}

/**
 * The orders to count for a split. The list of orders takes no location and, unlike reports, is not
 * bound to the locations of the key (docs/platform.md#capabilities): a location's orders are those of
 * its shops, and a key that does not see every location counts by shop.
 */
async function groupOrders(
  { reference }: Services,
  by: FactSplit,
  location: number | undefined,
  { signal }: Call,
): Promise<OrderGroup[]> {
  const [all, visible] = await Promise.all([
    reference.entries('shop', signal),
    reference.entries('location', signal),
  ]);
  const sees = (place: number) => visible.some(({ id }) => id === place);
  // A webshop may have no location.
  const shops = all.map((it) => ({ ...it, place: numberIn(it.row.location_id) || 0 }));
  const isBound = shops.some(({ place }) => place > 0 && !sees(place));
  const own = shops.filter(({ place }) => {
    if (location !== undefined) return place === location && sees(place);
    return place > 0 ? sees(place) : !isBound;
  });
  const idsOf = (some: typeof own) => some.map(({ id }) => id);
  if (by === 'shop') return own.map(({ id, name }) => ({ of: { id, name }, shops: [id] }));
  if (by === 'total')
    return [{ of: {}, shops: own.length === shops.length ? [undefined] : idsOf(own) }];
  return visible
    .filter(({ id }) => location === undefined || id === location)
    .map(({ id, name }) => ({
      of: { id, name },
      shops: idsOf(own.filter(({ place }) => place === id)),
    }));
}

/** How many orders the list has of a group's days. */
async function countOrders(
  { client }: Services,
  { of, shops }: OrderGroup,
  period: Period,
  { signal, bulk, nowMs }: Call,
): Promise<TurnoverReading> {
  const { from, to } = period;
  const replies = await Promise.all(
    shops.map((shop) =>
      client.get(listOrders.path, {
        endpoint: endpointName(listOrders),
        query: { from, to, ...(shop !== undefined && { shop_id: shop }), limit: 1 },
        holdsRows: true,
        cacheForMs: tableTtlMs(period, nowMs),
        ...(signal && { signal }),
        ...(bulk && { priority: 'drain', deadline: bulk }),
      }),
    ),
  );
  const totals = replies.map(({ body }) => (isRecord(body) ? numberIn(body.total) : Number.NaN));
  const value = toDecimal(totals.reduce((a, b) => a + b, 0));
  return {
    figures: value ? [{ ...of, measure: 'order_count', value }] : [],
    warnings: [],
    balance: [],
    calls: replies.filter(({ cached }) => !cached).length,
  };
}
