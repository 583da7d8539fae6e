/** Figures over spans of days: the financial report read as facts, and orders counted beside it. */
import { CommerceError, InputError } from '../../core/errors.ts';
import { isRecord, numberIn } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { endpointName } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { AnswerContext, Call } from '../answer.ts';
import { askEndpoint } from '../endpoint/ask-endpoint.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import { type ReferenceEntry, spaceOfKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { type FactSplit, factsBy, readFacts, type TurnoverFigure } from './facts.ts';
import {
  addParts,
  asksForOrders,
  averageOrders,
  chooseMeasures,
  defineMeasures,
  defineOrderMeasures,
} from './measures.ts';

/** Days to read figures of, and the days to compare them with. */
export interface Span {
  period: Period;
  reference?: Period | undefined;
}

/** The figures of a {@link Span}. */
export interface SpanFigures {
  current: readonly TurnoverFigure[];
  reference?: readonly TurnoverFigure[] | undefined;
}

interface Question {
  tool: string;
  by?: FactSplit | undefined;
  location_id?: string | undefined;
  measures?: readonly string[] | undefined;
}

/** Figures, and what is to be said of them. */
interface Reading {
  figures: readonly TurnoverFigure[];
  /** Its warnings are about the figures alone. */
  context: AnswerContext;
  /** Warnings for an answer that shows payments. */
  balance: readonly string[];
  /** Requests that the platform answered. */
  calls: number;
}

/** How many requests spans cost at least: a report each, and the orders where they are counted. */
export function countReports(spans: readonly Span[], wanted?: readonly string[]): number {
  const reports = spans.reduce((sum, { reference }) => sum + (reference ? 2 : 1), 0);
  return reports * (asksForOrders(wanted) ? 2 : 1);
}

/** The chosen figures of all spans, in the order of the spans, and the context of an answer with them. */
export async function readTurnover(
  services: Services,
  question: Question,
  spans: readonly Span[],
  call: Call,
): Promise<{ spans: SpanFigures[]; context: AnswerContext; calls: number }> {
  const { tool, by = 'total', measures: wanted } = question;
  const scope = await resolveScope(services, question, call);
  const total = countReports(spans);
  let done = 0;
  const read = async (period: Period): Promise<Reading> => {
    const reading = await readDays(services, scope, period, call);
    done += 1;
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
    return reading;
  };
  const found = await Promise.all(
    spans.map(async ({ period, reference }) => {
      const [current, other] = await Promise.all([read(period), reference && read(reference)]);
      return { current, other };
    }),
  );
  const all = join(found.flatMap(({ current, other }) => (other ? [current, other] : [current])));
  const names = [...new Set(all.figures.map(({ measure }) => measure))];
  const ofOrders = countsOrders(services, by) ? defineOrderMeasures(names) : [];
  const choice = chooseMeasures([...ofOrders.map(([name]) => name), ...names], wanted, {
    tool,
    by,
  });
  const isCompared = found.some(({ other }) => other);
  const definitions = [
    ...(scope.orders.length > 0 ? ofOrders : []),
    ...defineMeasures(names, isCompared),
  ].filter(([name]) => choice.isChosen(name));
  const chosen = ({ figures }: Reading) => figures.filter((it) => choice.isChosen(it.measure));
  const { period: _, ...context } = all.context;
  return {
    spans: found.map(({ current, other }) => ({
      current: chosen(current),
      reference: other && chosen(other),
    })),
    context: {
      ...context,
      ...(scope.resolved && { resolved: scope.resolved }),
      ...(choice.others.length > 0 && { more: { measures: choice.others } }),
      ...(definitions.length > 0 && { definitions: Object.fromEntries(definitions) }),
      warnings: [
        ...(context.warnings ?? []),
        ...(names.some((it) => it.startsWith('direct_paid.') && choice.isChosen(it))
          ? all.balance
          : []),
        ...choice.warnings,
        ...(names.length === 0 ? [`The report carries no figures by ${by}.`] : []),
      ],
    },
    calls: all.calls,
  };
}

/** Several readings as one, as old as the oldest of them. */
function join(readings: readonly Reading[]): Reading {
  const contexts = readings.map(({ context }) => context);
  return {
    figures: readings.flatMap(({ figures }) => figures),
    context: {
      ...contexts.reduce((a, b) => (a.as_of <= b.as_of ? a : b)),
      warnings: contexts.flatMap(({ warnings = [] }) => warnings),
    },
    balance: readings.flatMap(({ balance }) => balance),
    calls: readings.reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** What is read of each span of days. */
interface Scope {
  by: FactSplit;
  /** The places whose reports are read, one by one; undefined: all that the key may see. */
  places: readonly (Pick<ReferenceEntry, 'id'> & Partial<ReferenceEntry>)[] | [undefined];
  /** Whose orders are counted. */
  orders: readonly OrderGroup[];
  resolved: AnswerContext['resolved'];
}

async function resolveScope(
  services: Services,
  { tool, by = 'total', location_id: given, measures: wanted }: Question,
  call: Call,
): Promise<Scope> {
  const { reference } = services;
  const { signal } = call;
  const space = spaceOfKind('location');
  const found =
    given === undefined ? undefined : await resolveReference(reference, tool, space, given, signal);
  const id = found?.id;
  const isOwn = (entry: ReferenceEntry) => id === undefined || entry.id === id;
  const places =
    by === 'location' ? (await reference.entries('location', signal)).filter(isOwn) : [];
  if (by === 'location' && places.length === 0)
    throw new InputError(
      `${tool}: there is no such location that this key may see.`,
      'location_id',
    );
  const isCounting = asksForOrders(wanted) && countsOrders(services, by);
  return {
    by,
    places: by === 'location' ? places : id === undefined ? [undefined] : [{ id }],
    orders: isCounting ? await groupOrders(services, by, id, call) : [],
    resolved: found?.resolved && { [space.idField]: found.resolved },
  };
}

/** The figures of some days: of the financial report (of one report for each location) and of the orders. */
async function readDays(
  services: Services,
  scope: Scope,
  period: Period,
  call: Call,
): Promise<Reading> {
  const [reports, counts] = await Promise.all([
    Promise.all(scope.places.map((place) => readReport(services, scope.by, period, place, call))),
    Promise.all(scope.orders.map((group) => countOrders(services, group, period, call))),
  ]);
  const read = join(reports);
  const counted = counts.flatMap(({ figure }): TurnoverFigure[] => {
    if (figure === undefined) return [];
    return [
      figure,
      ...averageOrders(
        figure,
        read.figures.filter(({ id }) => id === figure.id),
      ),
    ];
  });
  const calls = counts.reduce((sum, count) => sum + count.calls, read.calls);
  return { ...read, figures: [...read.figures, ...counted], calls };
}

/** The financial report of one place, or of all that the key may see. */
async function readReport(
  services: Services,
  by: FactSplit,
  period: Period,
  place: Scope['places'][number],
  call: Call,
): Promise<Reading> {
  const input = place === undefined ? {} : { location_id: String(place.id) };
  const isOfPlace = by === 'location';
  const [{ payload, context, dataWarnings, balance, calls = 1 }, names] = await Promise.all([
    askEndpoint(getFinancialReport, services, input, call, period),
    isOfPlace || by === 'total' ? new Map<number, string>() : namesFor(services, by, call),
  ]);
  const figures = factsBy(readFacts(payload), isOfPlace ? 'total' : by).map(
    ({ measure, value, ids, name }): TurnoverFigure => {
      if (isOfPlace) return { measure, value, id: place?.id, name: place?.name };
      const [text] = Object.values(ids);
      if (text === undefined || text === null)
        return { measure, value, ...(text === null && { id: null }) };
      return { measure, value, id: Number(text), name: names.get(Number(text)) ?? name };
    },
  );
  const both = by === 'tax_rate' ? addParts(figures) : [];
  const say = (warning: string) => (isOfPlace ? `${place?.name}: ${warning}` : warning);
  const warnings = dataWarnings.filter((it) => !balance.includes(it)).map(say);
  return {
    figures: [...both, ...figures],
    context: { ...context, warnings },
    balance: balance.map(say),
    calls,
  };
}

/** The account's own names come before those in the report, which serve where the list is out of reach. */
async function namesFor(
  { reference }: Services,
  by: Exclude<FactSplit, 'total'>,
  { signal }: Call,
): Promise<Map<number, string>> {
  try {
    const entries = await reference.entries(by, signal);
    return new Map(entries.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (!(error instanceof CommerceError) || error.code === 'cancelled') throw error;
    return new Map();
  }
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
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
  { reference }: Pick<Services, 'reference'>,
  by: FactSplit,
  location: number | undefined,
  { signal }: Call,
): Promise<readonly OrderGroup[]> {
  const [entries, visible] = await Promise.all([
    reference.entries('shop', signal),
    reference.entries('location', signal),
  ]);
  // A webshop may have no location.
  const shops = entries.map(({ id, name, row }) => ({
    id,
    name,
    place: numberIn(row.location_id) || 0,
  }));
  const sees = (place: number) => visible.some(({ id }) => id === place);
  const isBound = shops.some(({ place }) => place > 0 && !sees(place));
  const own = shops.filter(({ place }) => {
    if (location !== undefined) return place === location && sees(place);
    return place > 0 ? sees(place) : !isBound;
  });
  if (by === 'shop') return own.map(({ id, name }) => ({ of: { id, name }, shops: [id] }));
  if (by === 'total')
    return [{ of: {}, shops: own.length === shops.length ? [undefined] : own.map(({ id }) => id) }];
  return visible
    .filter(({ id }) => location === undefined || id === location)
    .map(({ id, name }) => ({
      of: { id, name },
      shops: own.filter(({ place }) => place === id).map((shop) => shop.id),
    }));
}

/** How many orders the list has of a group's days, and how many requests that took. */
async function countOrders(
  { client }: Pick<Services, 'client'>,
  { of, shops }: OrderGroup,
  period: Period,
  { signal, bulk, nowMs }: Call,
): Promise<{ figure: TurnoverFigure | undefined; calls: number }> {
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
    figure: value && { ...of, measure: 'order_count', value },
    calls: replies.filter(({ cached }) => !cached).length,
  };
}
