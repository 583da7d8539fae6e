/** Sums worked out again from bare orders, by other code than the sandbox's. */
import { isRevenue, type Line, type Order } from '../../../src/sandbox/world/trade/order.ts';

/** The sum of a number per element. */
export function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
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
  key: (item: T) => number,
  cents: (item: T) => number,
): Map<number, number> {
  const sums = new Map<number, number>();
  for (const item of items) sums.set(key(item), (sums.get(key(item)) ?? 0) + cents(item));
  return sums;
}
