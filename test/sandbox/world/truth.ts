/** What the books of the business say, worked out from bare orders by other code than the sandbox's and the server's. */
import type { TAX_RATES } from '../../../src/sandbox/world/business/account.ts';
import { isRevenue, type Line, type Order } from '../../../src/sandbox/world/trade/order.ts';
import type { World } from '../../../src/sandbox/world/world.ts';

/** A number of an element: under a name, or worked out. */
type NumberOf<T> = keyof T | ((item: T) => number);

function read<T>(item: T, number: NumberOf<T>): number {
  return typeof number === 'function' ? number(item) : Number(item[number]);
}

/** The sum of a number per element. */
export function sumOf<T>(items: readonly T[], number: NumberOf<T>): number {
  return items.reduce((total, item) => total + read(item, number), 0);
}

/** All turnover lines of these orders. */
export function revenueLines(orders: readonly Order[]) {
  return orders.flatMap((order) => order.lines.filter(isRevenue));
}

/** All lines that are no turnover. */
export function otherLines(orders: readonly Order[]): Line[] {
  return orders.flatMap((order) => order.lines.filter((line) => !isRevenue(line)));
}

/** Cents per key. */
export function perKey<T>(
  items: readonly T[],
  key: NumberOf<T>,
  cents: NumberOf<T>,
): Map<number, number> {
  const sums = new Map<number, number>();
  for (const item of items)
    sums.set(read(item, key), (sums.get(read(item, key)) ?? 0) + read(item, cents));
  return sums;
}

/** An amount of whole cents as the platform writes it. */
export function euros(cents: number): number {
  return cents / 100;
}

/** The month before 20 November 2026, on which the clocks of the tests stand still. */
export const lastMonth = ['2026-10-01', '2026-10-31'] as const;
export const thisMonth = ['2026-11-01', '2026-11-20'] as const;
export const lastWeek = ['2026-11-09', '2026-11-15'] as const;
export const weekBefore = ['2026-11-02', '2026-11-08'] as const;

/** Turnover of some orders in euros, from their bare lines. */
export function turnover(orders: readonly Order[]): { wt: number; ex: number } {
  const lines = revenueLines(orders);
  return { wt: euros(sumOf(lines, 'totalWtCents')), ex: euros(sumOf(lines, 'totalExCents')) };
}

/** All that customers owe for some orders, in euros. */
export function total(orders: readonly Order[]): number {
  return euros(sumOf(orders, 'totalWtCents'));
}

/** The orders of a location. */
export function ordersAt(world: World, locationId: number, from: string, to = from): Order[] {
  return world.orders(from, to).filter((order) => order.locationId === locationId);
}

/** Cents incl. VAT per turnover group. */
export function perGroup(orders: readonly Order[]): Map<number, number> {
  return perKey(revenueLines(orders), 'productGroupId', 'totalWtCents');
}

/** Cents of VAT per rate. */
export function vatPerRate(orders: readonly Order[]): Map<number, number> {
  const lines = revenueLines(orders);
  return perKey(lines, 'taxRateId', (line) => line.totalWtCents - line.totalExCents);
}

/** Cents received per payment method. */
export function perMethod(orders: readonly Order[]): Map<number, number> {
  const payments = orders.flatMap((order) => order.payments);
  return perKey(payments, 'methodId', 'amountCents');
}

/** The orders of each customer, the oldest first. */
export function perCustomer(orders: readonly Order[]): Map<number, Order[]> {
  const own = new Map<number, Order[]>();
  for (const order of orders.toSorted((a, b) => a.placedMs - b.placedMs || a.id - b.id))
    own.set(order.relationId, [...(own.get(order.relationId) ?? []), order]);
  return own;
}

/** What was billed or paid under each of these ids, with the name: those with anything alone. */
export function named<T extends { id: number }>(
  items: readonly T[],
  cents: ReadonlyMap<number, number>,
  nameOf: (item: T) => string,
): [name: string, euros: number][] {
  return items.flatMap((item) => {
    const own = cents.get(item.id);
    return own === undefined ? [] : [[nameOf(item), euros(own)]];
  });
}

/** A VAT rate as answers name it. */
export function labelOfRate({ country_code, percentage }: (typeof TAX_RATES)[number]): string {
  return `${country_code} ${percentage}%`;
}

/** Rows in the order of their names. */
export function byName<T extends { name: string | undefined }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
}
