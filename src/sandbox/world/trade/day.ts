/** All orders of one day, as a function of seed and day. */

import { type DayNumber, formatDay, parseDay } from '../business/calendar.ts';
import { Chance } from '../business/chance.ts';
import { customerCount, segmentOf, WALK_IN_ID } from '../business/customers.ts';
import {
  expectedOrders,
  SHORTAGE_CENTS,
  type Span,
  UNBALANCED_SHOP_ID,
} from '../business/opening.ts';
import { SHOPS, type Shop, type Trade } from '../business/places.ts';
import { type Product, rangeOf } from '../business/products.ts';
import { drawMoments } from '../business/timetable.ts';
import { drawBasket } from './basket.ts';
import { settle } from './checkout.ts';
import type { Order } from './order.ts';
import { drawProgress } from './progress.ts';

/** Generates orders; nothing is kept. */
export interface DayMaker {
  /** The orders of a day, by placed time and id, ascending. */
  ordersOf(day: DayNumber): Order[];
  /** One more order, with the `sequence`-th id of its day. */
  makeOrder(shop: Shop, day: DayNumber, placedMs: number, sequence: number): Order;
}

/** The size and the seed of the business. */
export interface Scale {
  seed: number;
  ordersPerDay: number;
}

const IDS_PER_DAY = 100_000;
const FIRST_ID_DAY = parseDay('2015-01-01') ?? 0;
const NUMBERS_BEHIND = 400 * IDS_PER_DAY;

const WALK_IN_SHARE: Record<Trade, number> = {
  web: 0,
  till: 0.72,
  cafe: 0.95,
  restaurant: 0.85,
  wholesale: 0,
};

/**
 * The day that an order id belongs to: ids are laid out by day, so one day tells whether it exists.
 */
export function dayOfOrderId(id: number): DayNumber {
  return Math.floor(id / IDS_PER_DAY) + FIRST_ID_DAY;
}

/** A maker for one seed and size. */
export function createDayMaker({ seed, ordersPerDay }: Scale, span: Span): DayMaker {
  const ranges = new Map<Trade, Product[]>(
    SHOPS.map(({ trade }) => [trade, rangeOf(trade, seed)] as const),
  );
  const customers = customerCount(ordersPerDay);

  function ordersOf(day: DayNumber): Order[] {
    const chance = new Chance(seed, day);
    const orders = SHOPS.flatMap((shop) => {
      const expected = expectedOrders(shop, day, ordersPerDay, span) * (0.85 + 0.3 * chance.next());
      const moments = drawMoments(chance, shop, day, chance.whole(expected));
      return moments.map((placedMs) => ({ shop, placedMs }));
    })
      .sort((a, b) => a.placedMs - b.placedMs)
      .map(({ shop, placedMs }, index) => makeOrder(shop, day, placedMs, index + 1));
    return day === span.unbalancedDay ? fallShort(orders) : orders;
  }

  function makeOrder(shop: Shop, day: DayNumber, placedMs: number, sequence: number): Order {
    const chance = new Chance(seed, day, sequence);
    const { trade } = shop;
    const id = (day - FIRST_ID_DAY) * IDS_PER_DAY + sequence;
    const basket = drawBasket(chance, trade, ranges.get(trade) ?? []);
    const isInternal = trade !== 'web' && trade !== 'wholesale' && chance.happens(0.015);
    const { lines, totalWtCents, payments, isPaid } = settle(chance, trade, basket.lines);
    const n = drawCustomer(chance, trade);
    return {
      id,
      // Till numbers look like ids, and often are the id of another, older order.
      number: trade === 'web' ? webNumber(day, sequence) : id - NUMBERS_BEHIND,
      shopId: shop.id,
      locationId: shop.locationId,
      day,
      placedMs,
      relationId: WALK_IN_ID + n,
      segmentId: segmentOf(seed, n),
      isInternal,
      isPaid: isPaid || isInternal,
      totalWtCents,
      totalExCents: lines.reduce((total, line) => total + line.totalExCents, 0),
      discountWtCents: basket.discountWtCents,
      lines,
      // Internal orders are settled inside the house: no money moves.
      payments: isInternal ? [] : payments,
      ...drawProgress(chance, trade, placedMs),
    };
  }

  /**
   * Companies, which have the multiples of twenty, buy wholesale; every customer orders in the
   * webshop.
   */
  function drawCustomer(chance: Chance, trade: Trade): number {
    if (chance.happens(WALK_IN_SHARE[trade])) return 0;
    if (trade === 'wholesale') return 20 * (1 + chance.favourite(Math.floor(customers / 20)));
    return 1 + chance.favourite(customers, 1.3);
  }

  return { ordersOf, makeOrder };
}

/** Takes the shortage of the unbalanced day out of the largest payment of its shop. */
function fallShort(orders: readonly Order[]): Order[] {
  const ownShop = orders.filter((order) => order.shopId === UNBALANCED_SHOP_ID);
  const [largest] = ownShop.sort((a, b) => lastAmount(b) - lastAmount(a));
  return orders.map((order) => {
    if (order !== largest) return order;
    const payments = order.payments.map((payment, index) =>
      index === order.payments.length - 1
        ? { ...payment, amountCents: payment.amountCents - SHORTAGE_CENTS }
        : payment,
    );
    return { ...order, payments };
  });
}

function lastAmount(order: Order): number {
  return order.payments.at(-1)?.amountCents ?? 0;
}

function webNumber(day: DayNumber, sequence: number): string {
  return `W${formatDay(day).replaceAll('-', '')}-${String(sequence).padStart(4, '0')}`;
}
