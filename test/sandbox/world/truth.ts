/** Sums worked out again from bare orders, by other code than the sandbox's. */
import { isRevenue, type Line, type Order } from '../../../src/sandbox/world/trade/order.ts';

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
