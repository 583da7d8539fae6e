/** Figures over spans of days: the financial report read as facts, and the orders counted. */

import type { Days } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { numberIn } from '../../core/json.ts';
import { type Decimal, toDecimal, zero } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Answer, Call } from '../answer.ts';
import { askEndpoint, readEndpoint } from '../endpoint/ask-endpoint.ts';
import { prepareRequest } from '../endpoint/prepare-request.ts';
import { type ReferenceEntry, spaceByKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import { type Fact, type FactSplit, readFacts } from './facts.ts';
import {
  addParts,
  asksForOrders,
  averageOrders,
  orderCount,
  type Subject,
  type TurnoverFigure,
} from './measures.ts';

/** Figures of some days, how many requests the platform answered for them, and the report that they are from. */
interface Part {
  figures: readonly TurnoverFigure[];
  calls: number;
  report?: PlaceReport;
}

/** A report as facts, and the location that it is of. */
export interface PlaceReport {
  place: Subject;
  answer: Answer;
  facts: readonly Fact[];
}

/** What was read of a period. */
export interface PeriodReading {
  figures: readonly TurnoverFigure[];
  reports: readonly PlaceReport[];
  /** Whether any amount of its reports as a whole is not zero. */
  hasTrade: boolean;
}

/** The figures of each period, read once by its days, and what a location's name was read as. */
export async function readPeriods(
  services: Services,
  tool: string,
  by: FactSplit,
  args: { location_id?: string | undefined; measures?: readonly string[] | undefined },
  all: readonly Period[],
  call: Call,
) {
  const { reference: lists } = services;
  const periods = [...new Map(all.map((period) => [sayDays(period), period])).values()];
  const { location_id: wanted } = args;
  const location =
    wanted === undefined
      ? undefined
      : await resolveReference(lists, tool, spaceByKind.location, wanted, call.signal);
  const whole: Subject = location ? { id: location.id } : {};
  const visible = by === 'location' ? await lists.entries('location', call.signal) : [];
  const compared = visible.filter(({ id }) => !location || id === location.id);
  const places = compared.length > 0 ? compared.map(({ id, name }) => ({ id, name })) : [whole];
  const isCounting = asksForOrders(args.measures) && countsOrders(services, by);
  const groups = isCounting ? await groupOrders(services, by, whole.id, call) : [];
  const naming = namesFor(services, by, call);

  const total = periods.length;
  const readings = new Map<string, PeriodReading>();
  let [done, calls] = [0, 0];
  const read = async (period: Period) => {
    const parts: Part[] = await Promise.all([
      ...places.map((place) => readReport(services, by, period, place, naming, call)),
      ...groups.map((group) => countOrders(services, group, period, call)),
    ]);
    done += 1;
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
    const figures = parts.flatMap((part) => part.figures);
    const reports = parts.flatMap(({ report }) => report ?? []);
    const hasTrade = reports.some(({ facts }) => facts.some(isTrade));
    calls += parts.reduce((sum, part) => sum + part.calls, 0);
    const withAverages = [...figures, ...averageOrders(figures)];
    readings.set(sayDays(period), { figures: withAverages, reports, hasTrade });
  };
  await Promise.all(periods.map(read));
  return {
    all: [...readings.values()],
    of: (days: Days): PeriodReading =>
      readings.get(sayDays(days)) ?? { figures: [], reports: [], hasTrade: false },
    calls,
    location,
  };
}

/** An amount of a report as a whole that is not zero. */
function isTrade({ split, measure, value }: Fact): boolean {
  return split === 'total' && !isPercentage(measure) && !value.isZero();
}

/** How many orders the list has of each period, in the order of the periods; undefined for who may not see orders. */
export async function countOrdersIn(
  services: Services,
  location: number | undefined,
  periods: readonly Period[],
  call: Call,
): Promise<{ counts: readonly Decimal[]; calls: number } | undefined> {
  if (!countsOrders(services, 'total')) return undefined;
  const [group = { shops: [] }] = await groupOrders(services, 'total', location, call);
  const parts = await Promise.all(
    periods.map((period) => countOrders(services, group, period, call)),
  );
  const counts = parts.map(({ figures: [figure] }) => figure?.value ?? zero);
  return { counts, calls: parts.reduce((sum, { calls }) => sum + calls, 0) };
}

/** The names of the account's list, where that can be had. */
export async function namesFor({ reference }: Services, by: FactSplit, { signal }: Call) {
  const isNamed = by !== 'total' && by !== 'location';
  const entries = isNamed ? await reference.entries(by, signal).catch(() => []) : [];
  return new Map(entries.map(({ id, name }) => [id, name]));
}

/** The financial report of a location, or of all that the key may see. */
async function readReport(
  services: Services,
  by: FactSplit,
  period: Period,
  place: Subject,
  naming: ReturnType<typeof namesFor>,
  call: Call,
): Promise<Part> {
  const input = typeof place.id === 'number' ? { location_id: String(place.id) } : {};
  const answer = await askEndpoint(getFinancialReport, services, input, call, period);
  const names = await naming;
  const split = by === 'location' ? 'total' : by;
  const facts = readFacts(answer.payload);
  const ofSplit = facts.filter((fact) => fact.split === split);
  const figures = ofSplit.map(({ measure, value, ids, name: named }): TurnoverFigure => {
    const [id] = Object.values(ids);
    if (id === undefined) return { measure, value, of: by === 'location' ? place : {} };
    // The name in the account's list comes before that in the report; what belongs to none has no name.
    const name = id === null ? undefined : (names.get(id) ?? named);
    return { measure, value, of: { id, ...(name !== undefined && { name }) } };
  });
  const parts = by === 'tax_rate' ? addParts(figures) : [];
  const report = { place, answer, facts };
  return { figures: [...parts, ...figures], calls: answer.calls ?? 1, report };
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
export function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
  return fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/** Orders that are counted together, by ids of their shops; `[undefined]`: of every shop, by one request. */
type OrderGroup = Subject & { shops: readonly (number | undefined)[] };

/**
 * The orders to count for a split. The list of orders takes no location and, unlike reports, is not
 * bound to the locations of the key (docs/platform.md#capabilities): a location's orders are those of
 * its shops, and a key that does not see every location counts by shop.
 */
async function groupOrders(
  { reference }: Services,
  by: FactSplit,
  location: Subject['id'],
  { signal }: Call,
): Promise<OrderGroup[]> {
  const [all, visible] = await Promise.all([
    reference.entries('shop', signal),
    reference.entries('location', signal),
  ]);
  const places = visible.filter(({ id }) => location === undefined || id === location);
  // A webshop may have no location: its orders count where nothing is out of sight.
  const placeOf = ({ row }: ReferenceEntry) => numberIn(row.location_id) || undefined;
  const isIn = (shop: ReferenceEntry) => places.some(({ id }) => id === placeOf(shop));
  const seesAll = location === undefined && all.every((it) => isIn(it) || !placeOf(it));
  const shops = seesAll ? all : all.filter(isIn);
  if (by === 'total') return [{ shops: seesAll ? [undefined] : shops.map(({ id }) => id) }];
  if (by === 'shop') return shops.map(({ id, name }) => ({ id, name, shops: [id] }));
  return places.map(({ id, name }) => {
    const atPlace = shops.filter((shop) => placeOf(shop) === id);
    return { id, name, shops: atPlace.map((shop) => shop.id) };
  });
}

/** How many orders the list has of a group's days. */
async function countOrders(
  services: Services,
  { shops, ...of }: OrderGroup,
  period: Period,
  call: Call,
): Promise<Part> {
  const counting = shops.map(async (shop) => {
    const input = { limit: 1, ...(shop !== undefined && { shop_id: String(shop) }) };
    return readEndpoint(await prepareRequest(services, listOrders, input, call, period));
  });
  const pages = await Promise.all(counting);
  const value = toDecimal(pages.reduce((sum, { payload }) => sum + numberIn(payload.total), 0));
  const definition = `is the orders of ${listOrders.tool} without is_internal`;
  return {
    figures: value ? [{ of, measure: orderCount, value, definition }] : [],
    calls: pages.reduce((sum, { calls }) => sum + calls, 0),
  };
}
