/** Sums over orders, which the reports show. */
import { groupBy } from '../../../core/json.ts';
import {
  isRevenue,
  type NonRevenueKind,
  type Order,
  type RevenueLine,
  totalWtOf,
} from '../trade/order.ts';

/** Sums of lines. Amounts with and without VAT are summed separately. */
export interface Sums {
  wtCents: number;
  exCents: number;
  costCents: number;
  quantity: number;
}

/** Sums of orders; maps are by the ids of lines or payments. */
export type Tally = ReturnType<typeof tallyOf>;

/** Internal orders do not count. */
export function tallyOf(all: readonly Order[]) {
  const orders = all.filter(({ isInternal }) => !isInternal);
  const lines = orders.flatMap((order) => order.lines);
  const revenue = lines.filter(isRevenue);
  const goods = revenue.filter(({ kind }) => kind !== 'rounding');
  const nonRevenue = lines.filter((line) => !isRevenue(line));
  const byRate = (isPaid: boolean) => {
    const ordersOfKind = orders.filter((order) => order.isPaid === isPaid);
    return sumBy(ordersOfKind.flatMap((order) => order.lines).filter(isRevenue), 'taxRateId');
  };
  const paidByRate = byRate(true);
  const nonRevenueCents = totalWtOf(nonRevenue);
  const payments = new Map<number, number>();
  for (const { methodId, amountCents } of orders.flatMap((order) => order.payments))
    payments.set(methodId, (payments.get(methodId) ?? 0) + amountCents);
  return {
    orderCount: orders.length,
    turnover: sumOf(revenue),
    sales: sumOf(goods.filter(({ quantity }) => quantity >= 0)),
    /** Negative for returned goods. */
    returns: sumOf(goods.filter(({ quantity }) => quantity < 0)),
    /** Negative if rounding lost money. */
    differences: sumOf(revenue.filter(({ kind }) => kind === 'rounding')),
    nonRevenueOf: (kind: NonRevenueKind) =>
      totalWtOf(nonRevenue.filter((line) => line.kind === kind)),
    nonRevenueCents,
    paidByRate,
    unpaidByRate: byRate(false),
    byGroup: sumBy(revenue, 'productGroupId'),
    products: sumBy(revenue, 'productId'),
    payments,
    paymentCents: [...payments.values()].reduce((total, cents) => total + cents, 0),
    directPaidCents: totalOf(paidByRate.values()).wtCents + nonRevenueCents,
  };
}

function sumBy(
  lines: readonly RevenueLine[],
  key: 'taxRateId' | 'productGroupId' | 'productId',
): ReadonlyMap<number, Sums> {
  const identified = lines.filter((line) => line[key] !== null);
  const groups = groupBy(identified, (line) => String(line[key]));
  return new Map([...groups].map(([id, group]) => [Number(id), sumOf(group)]));
}

function sumOf(lines: readonly RevenueLine[]): Sums {
  const sums = lines.map(({ totalWtCents, totalExCents, costCents, quantity }) => {
    return { wtCents: totalWtCents, exCents: totalExCents, costCents, quantity };
  });
  return totalOf(sums);
}

export function totalOf(all: Iterable<Sums>): Sums {
  const total = { wtCents: 0, exCents: 0, costCents: 0, quantity: 0 };
  for (const { wtCents, exCents, costCents, quantity } of all) {
    total.wtCents += wtCents;
    total.exCents += exCents;
    total.costCents += costCents;
    total.quantity += quantity;
  }
  return total;
}
