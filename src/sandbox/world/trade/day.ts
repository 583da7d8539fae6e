/** All orders of one day, as a function of seed and day. */
import { type DayNumber, dayNumber, formatDay } from '../business/calendar.ts';
import { Chance } from '../business/chance.ts';
import { customerCount, segmentOf, WALK_IN_ID } from '../business/customers.ts';
import {
  drawMoments,
  expectedOrders,
  SHORTAGE_CENTS,
  type Span,
  UNBALANCED_SHOP_ID,
} from '../business/opening.ts';
import { SHOPS, type Shop, type Trade } from '../business/places.ts';
import { type Product, rangeOf } from '../business/products.ts';
import { drawBasket } from './basket.ts';
import { drawProgress, settle } from './checkout.ts';
import { type Order, totalWtOf } from './order.ts';

/** The size and the seed of the business. */
export interface Scale {
  seed: number;
  ordersPerDay: number;
  /** Days with data, today included. @default 762 */
  days?: number | undefined;
}

const IDS_PER_DAY = 100_000;
const FIRST_ID_DAY = dayNumber('2015-01-01');
const NUMBERS_BEHIND = 400 * IDS_PER_DAY;
const WALK_IN_SHARE = { web: 0, till: 0.72, cafe: 0.95, restaurant: 0.85, wholesale: 0 };

/** The day that an order id belongs to. */
export function dayOfOrderId(id: number): DayNumber {
  return Math.floor(id / IDS_PER_DAY) + FIRST_ID_DAY;
}

/** Makes the orders of one seed and size; keeps none. */
export class OrderMaker {
  readonly #scale: Scale;
  readonly #span: Span;
  readonly #ranges: ReadonlyMap<Trade, Product[]>;

  constructor(scale: Scale, span: Span) {
    this.#scale = scale;
    this.#span = span;
    this.#ranges = new Map(SHOPS.map(({ trade }) => [trade, rangeOf(trade, scale.seed)]));
  }

  /** The orders of a day, by placed time and id, ascending. */
  ordersOf(day: DayNumber): Order[] {
    const { seed, ordersPerDay } = this.#scale;
    const chance = new Chance(seed, day);
    const orders = SHOPS.flatMap((shop) => {
      const most = expectedOrders(shop, day, ordersPerDay, this.#span);
      const count = chance.whole(most * (0.85 + 0.3 * chance.next()));
      return drawMoments(chance, shop, day, count).map((placedMs) => ({ shop, placedMs }));
    })
      .sort((a, b) => a.placedMs - b.placedMs)
      .map(({ shop, placedMs }, index) => this.makeOrder(shop, day, placedMs, index + 1));
    if (day === this.#span.unbalancedDay) fallShort(orders);
    return orders;
  }

  /** One more order, with the `sequence`-th id of its day. */
  makeOrder(shop: Shop, day: DayNumber, placedMs: number, sequence: number): Order {
    const { seed } = this.#scale;
    const chance = new Chance(seed, day, sequence);
    const { trade } = shop;
    const id = (day - FIRST_ID_DAY) * IDS_PER_DAY + sequence;
    const basket = drawBasket(chance, trade, this.#ranges.get(trade) ?? []);
    const discounts = basket.filter(({ kind }) => kind === 'discount');
    const isInternal = trade !== 'web' && trade !== 'wholesale' && chance.happens(0.015);
    const { lines, totalWtCents, payments, isPaid } = settle(chance, trade, basket);
    const n = this.#drawCustomer(chance, trade);
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
      discountWtCents: 0 - totalWtOf(discounts),
      lines,
      // Internal orders are settled inside the house: no money moves.
      payments: isInternal ? [] : payments,
      ...drawProgress(chance, trade, placedMs),
    };
  }

  /** Companies, the multiples of twenty, buy wholesale; every customer orders in the webshop. */
  #drawCustomer(chance: Chance, trade: Trade): number {
    const customers = customerCount(this.#scale.ordersPerDay);
    if (chance.happens(WALK_IN_SHARE[trade])) return 0;
    if (trade === 'wholesale') return 20 * (1 + chance.favourite(Math.floor(customers / 20)));
    return 1 + chance.favourite(customers, 1.3);
  }
}

/** Takes the shortage of the unbalanced day out of the largest payment of its shop. */
function fallShort(orders: readonly Order[]): void {
  const lastAmount = ({ payments }: Order) => payments.at(-1)?.amountCents ?? 0;
  const [largest] = orders
    .filter(({ shopId }) => shopId === UNBALANCED_SHOP_ID)
    .sort((a, b) => lastAmount(b) - lastAmount(a));
  const last = largest?.payments.at(-1);
  if (last !== undefined) last.amountCents -= SHORTAGE_CENTS;
}

function webNumber(day: DayNumber, sequence: number): string {
  return `W${formatDay(day).replaceAll('-', '')}-${String(sequence).padStart(4, '0')}`;
}
