/** Figures over periods of days: the financial report read as facts, and the orders counted. */
import { type Day, type Days, lengthOf } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { toNumber } from '../../core/json.ts';
import { type Decimal, toDecimal, zero } from '../../core/money.ts';
import { periodOf, sayDays } from '../../core/periods.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import { askRecord, readEndpoint } from '../endpoint/ask-endpoint.ts';
import { type DayReport, pastDaysOf, readDayReports } from '../endpoint/day-reports.ts';
import { prepareRequest } from '../endpoint/prepare-request.ts';
import { type FactSplit, readFacts } from '../reference/facts.ts';
import type { ReferenceEntry } from '../reference/reference.ts';
import { referenceOf } from './earlier-periods.ts';
import {
  addedTotals,
  addFigures,
  addParts,
  addVat,
  asksForOrders,
  averageOrders,
  orderCount,
  reportedTotals,
  type Subject,
  type TurnoverFigure,
} from './measures.ts';
import { turnoverMessages } from './messages.ts';
import { daysOf, type Question } from './question.ts';
import { wholeTurnover } from './split-turnover.ts';

interface Reading {
  reports: readonly Awaited<ReturnType<typeof readReport>>[];
  figures: readonly TurnoverFigure[];
  /** How many orders there are in all, where a difference is explained. */
  orders?: Decimal | undefined;
  /** Requests that the platform answered. */
  calls: number;
}

/** The readings of all periods, for the location and the shops that were named. */
export type Readings = Awaited<ReturnType<typeof readPeriods>>;

/** Reads the figures of each period, once for the same days. */
export async function readPeriods(question: Question, all: readonly Days[]) {
  const { args, by, places, call } = question;
  const shopIds = places.shops && new Set(places.shops.map(({ id }) => id));
  const showsOrders = asksForOrders(args.measures) && canCountOrders(question, by);
  const explainsOrders = args.explain && canCountOrders(question, 'total');
  const naming = namesFor(question, by);
  const [subjects, counts] = await Promise.all([
    subjectsOfReports(question),
    showsOrders || explainsOrders
      ? ordersToCount(question, showsOrders ? by : 'total', shopIds)
      : [],
  ]);
  const periods = new Map(all.map((days) => [sayDays(days), days]));
  refuseCost(question, periods.size, subjects.length + counts.flatMap(({ shops }) => shops).length);
  const readings = new Map<string, Reading>();
  const readPeriod = async (days: Days, key: string) => {
    const [reports, orders] = await Promise.all([
      Promise.all(subjects.map((subject) => readReport(question, subject, days, naming))),
      countOrders(question, counts, days),
    ]);
    const shownOrders = showsOrders ? orders.figures : [];
    const parts = [...reports.flatMap((report) => report.figures), ...shownOrders].filter(
      ({ subject }) => !shopIds || shopIds.has(subject.id ?? 0),
    );
    const figures = [...parts, ...totalsFor(question, reports, shownOrders)];
    readings.set(key, {
      reports,
      figures: [...figures, ...averageOrders(figures)],
      orders: counts.length > 0 ? addFigures(orders.figures) : undefined,
      calls: reports.reduce((sum, { answer }) => sum + answer.calls, orders.calls),
    });
    const [done, total] = [readings.size, periods.size];
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
  };
  await Promise.all([...periods].map(([key, days]) => readPeriod(days, key)));
  const nothing: Reading = { reports: [], figures: [], calls: 0 };
  const readingOn = (days: Days) => readings.get(sayDays(days)) ?? nothing;
  return {
    all: [...readings.values()],
    on: readingOn,
    factsOn: (days: Days) => readingOn(days).reports.flatMap(({ facts }) => facts),
  };
}

async function subjectsOfReports({ services, by, places, call }: Question): Promise<Subject[]> {
  const location = places.location?.id;
  const visible =
    by === 'location'
      ? await services.reference.entriesForTranslation('location', call.signal)
      : [];
  const compared = visible.filter(({ id }) => location === undefined || id === location);
  if (compared.length > 0) return compared.map(({ id, name }) => ({ id, name }));
  return [location === undefined ? {} : { id: location }];
}

/** Refuses before the first request: a partial answer would waste budget. Statements are bounded by `max_calls` instead. */
function refuseCost({ services, call }: Question, periods: number, each: number): void {
  const max = services.statements.maxCalls;
  const calls = periods * each;
  if (!call.statementDeadline && calls > max)
    throw new InputError(turnoverMessages.too_many_calls({ calls, periods, each, max }), 'period');
}

/** The names of the account's list; empty if it cannot be read. */
export async function namesFor({ services, call }: Question, by: FactSplit) {
  const isNamed = by !== 'total' && by !== 'location';
  const entries = isNamed
    ? await services.reference.entriesForTranslation(by, call.signal).catch(() => [])
    : [];
  return new Map(entries.map(({ id, name }) => [id, name]));
}

/** Totals next to the rows of a split comparison. None for named shops: no report has their total. */
function totalsFor(
  { by, args, size }: Question,
  reports: Reading['reports'],
  orders: readonly TurnoverFigure[],
): TurnoverFigure[] {
  if (size || by === 'total' || args.shop_id) return [];
  const ofReports =
    by === 'location'
      ? addedTotals(reports.flatMap(({ figures }) => figures))
      : reports.flatMap(({ totals }) => totals);
  return [...ofReports, ...addedTotals(orders)];
}

async function readReport(
  { services, by, call }: Question,
  location: Subject,
  days: Days,
  naming: ReturnType<typeof namesFor>,
) {
  const input = typeof location.id === 'number' ? { location_id: String(location.id) } : {};
  const answer = await askRecord(getFinancialReport, services, input, call, periodOf(days));
  const names = await naming;
  const facts = readFacts(answer.payload);
  const isByLocation = by === 'location';
  const figuresOf = (split: FactSplit) =>
    facts
      .filter((fact) => fact.split === split)
      .map(({ measure, value, ids, name: reported }): TurnoverFigure => {
        const [id] = Object.values(ids);
        if (id === undefined) return { measure, value, subject: isByLocation ? location : {} };
        // The name in the account's list comes before that in the report; what belongs to none has no name.
        const name = id === null ? undefined : (names.get(id) ?? reported);
        return { measure, value, subject: { id, ...(name !== undefined && { name }) } };
      });
  const ofRates = figuresOf('tax_rate');
  const total = figuresOf('total');
  const ofWhole = [...addVat(ofRates, isByLocation ? location : {}), ...total];
  if (isByLocation || by === 'total')
    return { location, answer, facts, figures: ofWhole, totals: [] };
  const figures = by === 'tax_rate' ? [...addParts(ofRates), ...ofRates] : figuresOf(by);
  return { location, answer, facts, figures, totals: reportedTotals(figures, ofWhole) };
}

/** Orders to count together, by a request for each shop; `undefined` stands for every shop at once. */
interface OrderCount {
  subject: Subject;
  shops: readonly (number | undefined)[];
}

/** Whether orders can be counted for a split by this caller: the platform counts them in total and by shop only. */
export function canCountOrders({ services }: Pick<Question, 'services'>, by: FactSplit): boolean {
  return services.fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/**
 * The counts that a split needs. The list takes no location and, unlike reports, is not bound to the locations of the
 * key (docs/platform.md#capabilities): the orders of a location are counted by its shops, and a key that does not see
 * every location counts by shop.
 */
async function ordersToCount(
  { services, places, call }: Question,
  by: FactSplit,
  only: ReadonlySet<number> | undefined,
): Promise<OrderCount[]> {
  const location = places.location?.id;
  const [all, visible] = await Promise.all([
    services.reference.entriesForTranslation('shop', call.signal),
    services.reference.entriesForTranslation('location', call.signal),
  ]);
  const locations = visible.filter(({ id }) => location === undefined || id === location);
  // A shop without a location is included only if the key sees every location.
  const locationOf = ({ row }: ReferenceEntry) => toNumber(row.location_id) || undefined;
  const isSeen = (shop: ReferenceEntry) => locations.some(({ id }) => id === locationOf(shop));
  const seesAll = location === undefined && all.every((shop) => isSeen(shop) || !locationOf(shop));
  const shops = (seesAll ? all : all.filter(isSeen)).filter(({ id }) => only?.has(id) ?? true);
  const ids = (entries: readonly ReferenceEntry[]) => entries.map(({ id }) => id);
  if (by === 'total') return [{ subject: {}, shops: seesAll && !only ? [undefined] : ids(shops) }];
  const isShop = by === 'shop';
  return (isShop ? shops : locations).map(({ id, name }) => ({
    subject: { id, name },
    shops: isShop ? [id] : ids(shops.filter((shop) => locationOf(shop) === id)),
  }));
}

/** The number of orders on some days, and of the requests that it took. */
async function countOrders(
  { services, call }: Question,
  counts: readonly OrderCount[],
  days: Days,
) {
  const count = async (shop: number | undefined) => {
    const input = { limit: 1, ...(shop !== undefined && { shop_id: String(shop) }) };
    const request = await prepareRequest(services, listOrders, input, call, periodOf(days));
    return readEndpoint(services, request);
  };
  const pages = await Promise.all(counts.map(({ shops }) => Promise.all(shops.map(count))));
  const figures = counts.flatMap(({ subject }, index): TurnoverFigure[] => {
    const totals = pages[index]?.map(({ payload }) => toNumber(payload.total)) ?? [];
    const value = toDecimal(totals.reduce((sum, total) => sum + total, 0));
    const definition = 'is the orders of list_orders without is_internal';
    return value ? [{ subject, measure: orderCount, value, definition }] : [];
  });
  return { figures, calls: pages.flat().reduce((sum, { calls }) => sum + calls, 0) };
}

/** The days of an explained week and of the eight before it. */
const maxExplainedDays = 63;

/** Reads days one by one where those tell more than their period. */
export function readSingleDays(question: Question, readings: Readings): Promise<DayReport[]> {
  const { services, places, call } = question;
  const input = places.location ? { location_id: String(places.location.id) } : {};
  return readDayReports(services, input, call, singleDays(question, readings));
}

/**
 * Every day of an explained comparison, or of its period where those are too many; otherwise the days of periods that
 * lack half a day's turnover compared with the best one.
 */
function singleDays({ args, call, spans }: Question, readings: Readings): Day[] {
  const all = spans.flatMap(daysOf);
  const sides = spans.flatMap((span) => [span.period, ...(referenceOf(span) ? span.others : [])]);
  if (args.explain) {
    const days = pastDaysOf(all, call.nowMs, maxExplainedDays);
    return days.length > 0 ? days : pastDaysOf(sides, call.nowMs, maxExplainedDays);
  }
  // The cost of a statement is known before it is read.
  if (call.statementDeadline) return [];
  const perDayOf = (days: Days) => {
    const [turnover = zero] = wholeTurnover([readings.factsOn(days)]) ?? [];
    return turnover.div(lengthOf(days));
  };
  const perDayByPeriod = new Map(all.map((days) => [days, perDayOf(days)]));
  const [best = zero] = [...perDayByPeriod.values()].sort((a, b) => b.cmp(a));
  const doubtful = sides
    .map((days) => ({ days, perDay: perDayByPeriod.get(days) ?? zero }))
    .filter(({ days, perDay }) => perDay.lte(best.times(1 - 0.5 / lengthOf(days))))
    .sort((a, b) => a.perDay.cmp(b.perDay))
    .map(({ days }) => days);
  // As many periods as two weeks hold, those first that lack most.
  for (let count = doubtful.length; count > 0; count--) {
    const days = pastDaysOf(doubtful.slice(0, count), call.nowMs);
    if (days.length > 0) return days;
  }
  return [];
}
