/** Numbers of orders, and turnover per order: counted beside the report, where `measures` asks for them. */
import { isRecord, numberIn } from '../../core/json.ts';
import { type Decimal, rounded, toDecimal } from '../../core/money.ts';
import type { Period } from '../../core/periods.ts';
import { endpointName } from '../../endpoints/define.ts';
import { listOrders } from '../../endpoints/orders.ts';
import type { Call } from '../answer.ts';
import { tableTtlMs } from '../endpoint/read-endpoint.ts';
import type { ReferenceEntry } from '../reference/reference.ts';
import type { Services } from '../services.ts';
import type { FactSplit, TurnoverFigure } from './facts.ts';
import { turnoverAmong, twin } from './measures.ts';

const orderMeasures = ['order_count', 'average_order_value', 'average_order_value_wt'] as const;

type OrderMeasure = (typeof orderMeasures)[number];

export function isOrderMeasure(measure: string): boolean {
  return orderMeasures.some((name) => name === measure);
}

/** A shorter part of a name, such as `_wt`, does not ask for a count: counting costs requests. */
const minPart = 4;

/** Whether these measures, or parts of their names, ask for orders to be counted. */
export function asksForOrders(wanted: readonly string[] = []): boolean {
  return wanted
    .map((given) => given.trim().toLowerCase().replace(twin, ''))
    .some((part) => part.length >= minPart && orderMeasures.some((name) => name.includes(part)));
}

/** Whether a caller may have orders counted for a split: the platform counts them by shop at most. */
export function countsOrders({ fence }: Pick<Services, 'fence'>, by: FactSplit): boolean {
  return fence.has(listOrders.toolset) && ['total', 'shop', 'location'].includes(by);
}

/** Orders that are counted together: those of a shop, of a location, or all that the key may see. */
export interface OrderGroup {
  id?: number;
  name?: string;
  /** Ids of their shops; undefined: of every shop, by one request. */
  shops: readonly number[] | undefined;
}

/**
 * The orders to count for a split. The list of orders takes no location and, unlike reports, is not
 * bound to the locations of the key (docs/platform.md#capabilities): a location's orders are those of
 * its shops, and a key that does not see every location counts by shop.
 */
export async function groupOrders(
  { reference }: Pick<Services, 'reference'>,
  by: FactSplit,
  location: number | undefined,
  { signal }: Call,
): Promise<readonly OrderGroup[]> {
  const [shops, visible] = await Promise.all([
    reference.entries('shop', signal),
    reference.entries('location', signal),
  ]);
  const isBound = shops.some((shop) => {
    const place = placeOf(shop);
    return place !== undefined && !visible.some(({ id }) => id === place);
  });
  const locations = visible.filter(({ id }) => location === undefined || id === location);
  const own = shops.filter((shop) => {
    const place = placeOf(shop);
    return place === undefined
      ? location === undefined && !isBound
      : locations.some(({ id }) => id === place);
  });
  if (by === 'shop') return own.map(({ id, name }) => ({ id, name, shops: [id] }));
  if (by === 'total')
    return [{ shops: own.length === shops.length ? undefined : own.map(({ id }) => id) }];
  return locations.map(({ id, name }) => ({
    id,
    name,
    shops: own.filter((shop) => placeOf(shop) === id).map((shop) => shop.id),
  }));
}

/** How many orders the list has of a group's days, and how many requests that took. */
export async function countOrders(
  { client }: Pick<Services, 'client'>,
  { shops = [undefined] }: { shops?: readonly (number | undefined)[] | undefined },
  period: Period,
  { signal, bulk, nowMs }: Call,
): Promise<{ count: Decimal | undefined; calls: number }> {
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
  const sum = totals.reduce((a, b) => a + b, 0);
  return {
    count: Number.isSafeInteger(sum) ? toDecimal(sum) : undefined,
    calls: replies.filter(({ cached }) => !cached).length,
  };
}

/** The number of orders, and turnover divided by it for each side of VAT that the report gives. */
export function orderFigures(
  { shops: _, ...of }: OrderGroup,
  count: Decimal,
  figures: readonly TurnoverFigure[],
): TurnoverFigure[] {
  const averages = averagedMeasures(figures.map(({ measure }) => measure)).flatMap(
    ([average, measure]) => {
      const turnover = figures.find((it) => it.measure === measure);
      if (turnover === undefined || count.isZero()) return [];
      return [{ ...of, measure: average, value: rounded(turnover.value.div(count), 2) }];
    },
  );
  return [{ ...of, measure: 'order_count', value: count }, ...averages];
}

/** The measures added to those of a report, each with its definition. */
export function defineOrderMeasures(names: readonly string[]): Record<string, string> {
  const averages = averagedMeasures(names).map(([average, measure]) => [
    average,
    `is ${measure} divided by order_count, to the cent`,
  ]);
  const count = `is the orders of ${listOrders.tool}, is_internal left to the platform`;
  return Object.fromEntries([['order_count', count], ...averages]);
}

/** Each average with the measure it divides; where two measures are called turnover, none: it would be a guess. */
function averagedMeasures(names: readonly string[]): [OrderMeasure, string][] {
  const turnover = [...new Set(turnoverAmong(names))];
  const only = (average: OrderMeasure, isIncl: boolean): [OrderMeasure, string][] => {
    const [measure, ...others] = turnover.filter((name) => name.endsWith('_wt') === isIncl);
    return measure === undefined || others.length > 0 ? [] : [[average, measure]];
  };
  return [...only('average_order_value', false), ...only('average_order_value_wt', true)];
}

/** The location of a shop; a webshop may have none. */
function placeOf({ row }: ReferenceEntry): number | undefined {
  const id = numberIn(row.location_id);
  return Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}
