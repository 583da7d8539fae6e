import { isRecord, numberIn } from '../../core/json.ts';
import { type Decimal, rounded, toDecimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { endpointName } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call } from '../answer.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import type { ReferenceEntry } from '../reference/reference.ts';
import type { Services } from '../services.ts';
import type { FactSplit } from './fact-splits.ts';
import type { Fact } from './facts.ts';
import { turnoverAmong, twin } from './measures.ts';

/** What `measures` may name beside the measures of the report. */
const orderMeasures = ['order_count', 'average_order_value', 'average_order_value_wt'] as const;

type OrderMeasure = (typeof orderMeasures)[number];

/** Shorter parts of a name, such as `_wt`, are not worth the requests that counting takes. */
const minPart = 4;

/** Whether somebody who names these measures, or parts of them, asks for orders to be counted. */
export function asksForOrders(wanted: readonly string[] = []): boolean {
  return wanted
    .map((given) => given.trim().toLowerCase().replace(twin, ''))
    .some((part) => part.length >= minPart && orderMeasures.some((name) => name.includes(part)));
}

/** A number of orders, or what they are worth on average. */
export interface OrderFigure {
  measure: OrderMeasure;
  value: Decimal;
  id?: number | null;
  name?: string;
}

/** Orders that are counted together: those of a shop, of a location, or all that the key may see. */
export interface OrderGroup {
  id?: number;
  name?: string;
  /** Ids of the shops they came in by; undefined: of every shop, by one request. */
  shops: readonly number[] | undefined;
}

/**
 * Whose orders stand beside the figures of a split that {@link countsOrders}. The list of orders knows
 * no location and, unlike reports, no binding of the key (section 5.8): a location's orders are those
 * of its shops, and a key that does not see every location counts by shop.
 */
export async function groupOrders(
  { reference }: Pick<Services, 'reference'>,
  by: FactSplit,
  location: number | undefined,
  { signal }: Call,
): Promise<readonly OrderGroup[]> {
  const [shops, locations] = await Promise.all([
    reference.entries('shop', signal),
    reference.entries('location', signal),
  ]);
  const seen = locations
    .map((entry) => entry.id)
    .filter((id) => location === undefined || id === location);
  const isBound = shops.some((shop) => isElsewhere(shop, locations));
  const own = shops.filter((shop) => {
    const place = placeOf(shop);
    return place === undefined ? location === undefined && !isBound : seen.includes(place);
  });
  if (by === 'total')
    return [{ shops: own.length === shops.length ? undefined : own.map(({ id }) => id) }];
  if (by === 'shop') return own.map(({ id, name }) => ({ id, name, shops: [id] }));
  return locations
    .filter(({ id }) => seen.includes(id))
    .map(({ id, name }) => ({
      id,
      name,
      shops: own.filter((shop) => placeOf(shop) === id).map((shop) => shop.id),
    }));
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
export function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
  return fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/** How many orders the list has of a group's days, and how many requests that took. */
export async function countOrders(
  { client }: Pick<Services, 'client'>,
  { shops }: OrderGroup,
  period: Period,
  call: Call,
): Promise<{ count: Decimal | undefined; calls: number }> {
  const { signal, bulk, nowMs } = call;
  const { from, to } = period;
  const replies = await Promise.all(
    (shops ?? [undefined]).map((shop) =>
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
  const sum = totals.reduce((a, b) => a + b, 0);
  return {
    count: Number.isSafeInteger(sum) ? toDecimal(sum) : undefined,
    calls: replies.filter(({ cached }) => !cached).length,
  };
}

/** The number of orders of a row, and its turnover a piece where the report gives one to divide. */
export function orderFigures(
  { id, name }: Pick<OrderGroup, 'id' | 'name'>,
  count: Decimal,
  figures: readonly Pick<Fact, 'measure' | 'value'>[],
): OrderFigure[] {
  const of = { ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
  const averages = averagedMeasures(figures.map(({ measure }) => measure)).flatMap(
    ([average, measure]): OrderFigure[] => {
      const turnover = figures.find((it) => it.measure === measure);
      if (turnover === undefined || count.isZero()) return [];
      return [{ ...of, measure: average, value: rounded(turnover.value.div(count), 2) }];
    },
  );
  return [{ ...of, measure: 'order_count', value: count }, ...averages];
}

/** The measures of ours that go with those of a report, each with what it is, in words. */
export function defineOrderMeasures(names: readonly string[]): Record<string, string> {
  const averages = averagedMeasures(names).map(([average, measure]) => [
    average,
    `is ${measure} divided by order_count, to the cent`,
  ]);
  const count = `is the orders of ${listOrders.tool}, is_internal left to the platform`;
  return Object.fromEntries([['order_count', count], ...averages]);
}

/**
 * Each average with the measure of turnover that it divides, one of each side of VAT. Where two
 * measures are called turnover, which one is meant would be a guess.
 */
function averagedMeasures(names: readonly string[]): [OrderMeasure, string][] {
  const turnover = [...new Set(turnoverAmong(names))];
  const only = (average: OrderMeasure, isIncl: boolean): [OrderMeasure, string][] => {
    const [measure, ...others] = turnover.filter((name) => name.endsWith('_wt') === isIncl);
    return measure === undefined || others.length > 0 ? [] : [[average, measure]];
  };
  return [...only('average_order_value', false), ...only('average_order_value_wt', true)];
}

/** Whether a shop stands at a location that the key does not see. */
function isElsewhere(shop: ReferenceEntry, locations: readonly ReferenceEntry[]): boolean {
  const place = placeOf(shop);
  return place !== undefined && !locations.some(({ id }) => id === place);
}

/** A webshop may stand at no location. */
function placeOf({ row }: ReferenceEntry): number | undefined {
  const id = numberIn(row.location_id);
  return Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}
