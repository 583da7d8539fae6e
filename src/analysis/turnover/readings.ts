/** Figures over periods of days: the financial report read as facts, and the orders counted. */
import { type BucketSize, type Days, timezone } from '../../core/calendar.ts';
import { isPercentage } from '../../core/column-name.ts';
import { InputError } from '../../core/errors.ts';
import { toNumber } from '../../core/json.ts';
import { toDecimal } from '../../core/money.ts';
import { type Period, sayDays } from '../../core/periods.ts';
import { countNoun, sayCount } from '../../core/text.ts';
import { listOrders } from '../../endpoints/orders.ts';
import { getFinancialReport } from '../../endpoints/reports.ts';
import type { Call } from '../answer.ts';
import { askEndpoint, readEndpoint } from '../endpoint/ask-endpoint.ts';
import { prepareRequest } from '../endpoint/prepare-request.ts';
import type { Fact, FactSplit } from '../reference/facts.ts';
import { type ReferenceEntry, spaceByKind } from '../reference/reference.ts';
import { resolveReference } from '../reference/resolve.ts';
import type { Services } from '../services.ts';
import {
  addParts,
  asksForOrders,
  averageOrders,
  orderCount,
  type Subject,
  type TurnoverFigure,
} from './measures.ts';
import type { TurnoverArguments } from './spans.ts';

/** A question about turnover: the arguments of a tool, and what it is answered with. */
export interface Question {
  services: Services;
  tool: string;
  args: TurnoverArguments;
  by: FactSplit;
  /** Of the buckets, where it is about some. */
  size?: BucketSize;
  call: Call;
}

/** Figures of some days, and how many requests the platform answered for them. */
interface Figures {
  figures: readonly TurnoverFigure[];
  calls: number;
}

/** A report as facts and figures, and the location that it is of. */
export type Report = Awaited<ReturnType<typeof readReport>>;

/** What was read of a period. */
interface Reading extends Figures {
  reports: readonly Report[];
  /** Whether any amount of its reports as a whole is not zero. */
  hasTrade: boolean;
}

/** What was read of each period, by its days, and what a location's name was read as. */
export type Readings = Awaited<ReturnType<typeof readPeriods>>;

/** Reads the figures of each period, once for the same days. */
export async function readPeriods(question: Question, all: readonly Days[]) {
  const { services, args, by, call } = question;
  const { reference: lists, statements } = services;
  const { maxCalls } = statements;
  const { location_id: wanted } = args;
  const location =
    wanted === undefined
      ? undefined
      : await resolveReference(lists, spaceByKind.location, wanted, call.signal);
  const visible =
    by === 'location' ? await lists.entriesForTranslation('location', call.signal) : [];
  const compared = visible.filter(({ id }) => !location || id === location.id);
  const whole: Subject = location ? { id: location.id } : {};
  const locations = compared.length > 0 ? compared.map(({ id, name }) => ({ id, name })) : [whole];
  const naming = namesFor(question, by);

  const periods = new Map(all.map((days) => [sayDays(days), days]));
  // Small questions do not wait for the lists that tell how many requests their orders need.
  const isLarge = periods.size * (locations.length + (by === 'total' ? 5 : 50)) > maxCalls;
  const hasOrders = asksForOrders(args.measures) && countsOrders(services, by);
  const seen = hasOrders && isLarge ? await seenBy(question, location?.id) : undefined;
  const ofOrders = by === 'total' && seen?.seesAll ? 1 : (seen?.shops.length ?? 0);
  refuseCost(question, maxCalls, { periods: periods.size, each: locations.length + ofOrders });
  const readings = new Map<string, Reading>();
  const read = async (days: Days, key: string) => {
    const [reports, orders] = await Promise.all([
      Promise.all(locations.map((it) => readReport(question, it, days, naming))),
      asksForOrders(args.measures) ? countOrders(question, by, location?.id, days) : none,
    ]);
    const { figures, calls } = mergeFigures([...reports, orders]);
    const hasTrade = reports.some(({ facts }) => facts.some(isTrade));
    const withAverages = [...figures, ...averageOrders(figures)];
    readings.set(key, { figures: withAverages, calls, reports, hasTrade });
    const [done, total] = [readings.size, periods.size];
    call.onProgress?.({ done, total, message: `read ${done} of ${total} reports` });
  };
  await Promise.all([...periods].map(([key, days]) => read(days, key)));
  const of = (days: Days): Reading =>
    readings.get(sayDays(days)) ?? { ...none, reports: [], hasTrade: false };
  return {
    ...{ all: [...readings.values()], of, location },
    hasTrade: (days: Days) => of(days).hasTrade,
  };
}

/**
 * Before the first of them, so that no budget is spent on a part; a statement counts by its own `max_calls`.
 * @param needed.each requests of one period
 */
function refuseCost(
  { tool, call }: Question,
  maxCalls: number,
  needed: { periods: number; each: number },
): void {
  const calls = needed.periods * needed.each;
  if (call.statementDeadline || calls <= maxCalls) return;
  throw new InputError(
    `${tool}: this takes up to ${countNoun(calls, 'platform call')} (${countNoun(needed.periods, 'period')}, ${needed.each} for each), and ${sayCount(maxCalls)} is the most (COMMERCE_QUERY_MAX_CALLS). Nothing of it was read. Ask for fewer days, a larger bucket, or one location.`,
    'period',
  );
}

const none: Figures = { figures: [], calls: 0 };

function mergeFigures(parts: readonly Figures[]): Figures {
  return {
    figures: parts.flatMap(({ figures }) => figures),
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
  };
}

/** An amount of a report as a whole that is not zero. */
function isTrade({ split, measure, value }: Fact): boolean {
  return split === 'total' && !isPercentage(measure) && !value.isZero();
}

/** The names of the account's list, where that can be had. */
export async function namesFor({ services, call }: Question, by: FactSplit) {
  const isNamed = by !== 'total' && by !== 'location';
  const entries = isNamed
    ? await services.reference.entriesForTranslation(by, call.signal).catch(() => [])
    : [];
  return new Map(entries.map(({ id, name }) => [id, name]));
}

async function readReport(
  { services, by, call }: Question,
  location: Subject,
  days: Days,
  naming: ReturnType<typeof namesFor>,
) {
  const input = typeof location.id === 'number' ? { location_id: String(location.id) } : {};
  const answer = await askEndpoint(getFinancialReport, services, input, call, periodOf(days));
  const names = await naming;
  const { facts } = answer;
  const isByLocation = by === 'location';
  const ofSplit = facts.filter(({ split }) => split === (isByLocation ? 'total' : by));
  const figures = ofSplit.map(({ measure, value, ids, name: reported }): TurnoverFigure => {
    const [id] = Object.values(ids);
    if (id === undefined) return { measure, value, of: isByLocation ? location : {} };
    // The name in the account's list comes before that in the report; what belongs to none has no name.
    const name = id === null ? undefined : (names.get(id) ?? reported);
    return { measure, value, of: { id, ...(name !== undefined && { name }) } };
  });
  const parts = by === 'tax_rate' ? addParts(figures) : [];
  return { location, answer, facts, figures: [...parts, ...figures], calls: answer.calls ?? 1 };
}

function periodOf({ from, to }: Days): Period {
  return { from, to, timezone, given: sayDays({ from, to }) };
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
export function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
  return fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/**
 * How many orders the list has of some days, where they can be counted. The list takes no location and, unlike
 * reports, is not bound to the locations of the key (docs/platform.md#capabilities): a location's orders are those
 * of its shops, and a key that does not see every location counts by shop.
 */
export async function countOrders(
  question: Question,
  by: FactSplit,
  location: number | undefined,
  days: Days,
): Promise<Figures> {
  const { services, call } = question;
  if (!countsOrders(services, by)) return none;
  const { shops, locations, seesAll } = await seenBy(question, location);
  /** Those of some shops together; of undefined, of every shop, by one request. */
  const count = async (ids: readonly (number | undefined)[], of: Subject): Promise<Figures> => {
    const counting = ids.map(async (id) => {
      const input = { limit: 1, ...(id !== undefined && { shop_id: String(id) }) };
      return readEndpoint(await prepareRequest(services, listOrders, input, call, periodOf(days)));
    });
    const pages = await Promise.all(counting);
    const value = toDecimal(pages.reduce((sum, { payload }) => sum + toNumber(payload.total), 0));
    const definition = `is the orders of ${listOrders.tool} without is_internal`;
    const figures = value ? [{ of, measure: orderCount, value, definition }] : [];
    return { figures, calls: pages.reduce((sum, { calls }) => sum + calls, 0) };
  };
  const countIn = (shops: readonly ReferenceEntry[], of: Subject) =>
    count(
      shops.map(({ id }) => id),
      of,
    );
  if (by === 'total') return seesAll ? count([undefined], {}) : countIn(shops, {});
  const subjects = by === 'shop' ? shops : locations;
  const counted = subjects.map(({ id, name }) => {
    const isOf = (shop: ReferenceEntry) => (by === 'shop' ? shop.id : locationOf(shop)) === id;
    return countIn(shops.filter(isOf), { id, name });
  });
  return mergeFigures(await Promise.all(counted));
}

/** A webshop may have no location. */
function locationOf({ row }: ReferenceEntry): number | undefined {
  return toNumber(row.location_id) || undefined;
}

/** The locations that a question is about, their shops, and whether these are all of the account. */
async function seenBy({ services: { reference }, call }: Question, location: number | undefined) {
  const [all, visible] = await Promise.all([
    reference.entriesForTranslation('shop', call.signal),
    reference.entriesForTranslation('location', call.signal),
  ]);
  const locations = visible.filter(({ id }) => location === undefined || id === location);
  const isIn = (shop: ReferenceEntry) => locations.some(({ id }) => id === locationOf(shop));
  // The orders of a webshop without a location count where nothing is out of sight.
  const seesAll = location === undefined && all.every((it) => isIn(it) || !locationOf(it));
  return { shops: seesAll ? all : all.filter(isIn), locations, seesAll };
}
