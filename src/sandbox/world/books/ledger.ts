/** The current orders. A day is made when it is first asked for. */

import { SHOPS, type Shop, type Trade } from '../business/account.ts';
import {
  type DayNumber,
  dayNumber,
  dayOf,
  dayStart,
  drawMoments,
  expectedOrders,
  formatDay,
  SHORTAGE_CENTS,
  type Span,
  UNBALANCED_SHOP_ID,
} from '../business/calendar.ts';
import { Chance } from '../business/chance.ts';
import { customerCount, segmentOf, WALK_IN_ID } from '../business/customers.ts';
import { type Product, rangeOf } from '../business/products.ts';
import { drawBasket, drawProgress, LONGEST_PROGRESS_DAYS, settle } from '../trade/checkout.ts';
import { lastChange, type Order, statusAt, totalWtOf } from '../trade/order.ts';

export interface Scale {
  seed: number;
  ordersPerDay: number;
  /** Days with data, today included. @default 762 */
  days?: number | undefined;
}

/** All given filters must hold (docs/platform.md#orders). */
export interface OrderFilter {
  shopIds?: readonly number[] | undefined;
  statuses?: readonly string[] | undefined;
  isPaid?: boolean | undefined;
  segmentId?: number | undefined;
  /** Omitted: no internal orders, the default of this platform. */
  isInternal?: boolean | 'any' | undefined;
}

const IDS_PER_DAY = 100_000;
const FIRST_ID_DAY = dayNumber('2015-01-01');
const NUMBER_OFFSET = 400 * IDS_PER_DAY;
const WALK_IN_SHARE = { web: 0, till: 0.72, cafe: 0.95, restaurant: 0.85, wholesale: 0 };

export class Ledger {
  readonly #scale: Scale;
  readonly #span: Span;
  readonly #now: () => number;
  readonly #days = new Map<DayNumber, Order[]>();
  readonly #ranges: ReadonlyMap<Trade, Product[]>;
  /** Ids of orders that change later than `LONGEST_PROGRESS_DAYS`. */
  readonly changedLate = new Set<number>();

  constructor(scale: Scale, span: Span, now: () => number) {
    this.#scale = scale;
    this.#span = span;
    this.#now = now;
    this.#ranges = new Map(SHOPS.map(({ trade }) => [trade, rangeOf(trade, scale.seed)]));
  }

  today(): DayNumber {
    return dayOf(this.#now());
  }

  /** Orders placed by now, by day, newest day first; both days are included. */
  *placed(from: DayNumber, to: DayNumber): Generator<readonly Order[]> {
    const now = this.#now();
    const today = this.today();
    for (let day = Math.min(to, today); day >= Math.max(from, this.#span.first); day -= 1) {
      const orders = this.day(day);
      yield day < today ? orders : orders.filter(({ placedMs }) => placedMs <= now);
    }
  }

  page(from: DayNumber, to: DayNumber, filter: OrderFilter, start = 0, limit = Infinity) {
    const now = this.#now();
    const orders: Order[] = [];
    let total = 0;
    for (const day of this.placed(from, to)) {
      const matching = day.filter((order) => matches(order, filter, now));
      const skipped = Math.max(0, start - total);
      const missing = limit - orders.length;
      total += matching.length;
      if (missing > 0) orders.push(...matching.reverse().slice(skipped, skipped + missing));
    }
    return { total, orders };
  }

  order(id: number): Order | undefined {
    const day = Math.floor(id / IDS_PER_DAY) + FIRST_ID_DAY;
    const [orders = []] = this.placed(day, day);
    return orders.find((order) => order.id === id);
  }

  /** At most `limit` orders by time and id of their last change: after `ms`, and at `ms` from `id` on. */
  changes(start: { ms: number; id: number }, limit: number, isWanted: (order: Order) => boolean) {
    const now = this.#now();
    const changes: { order: Order; atMs: number }[] = [];
    const first = Math.max(dayOf(start.ms), this.#span.first);
    for (let day = first; day <= this.today() && changes.length < limit; day += 1) {
      const [fromMs, endMs] = [Math.max(start.ms, dayStart(day)), dayStart(day + 1)];
      const changed = this.#changeableOn(day)
        .map((order) => ({ order, atMs: lastChange(order, now)?.atMs ?? -Infinity }))
        .filter(({ atMs }) => atMs >= fromMs && atMs < endMs)
        .filter(({ order, atMs }) => atMs > start.ms || order.id >= start.id)
        .filter(({ order }) => isWanted(order))
        .sort((a, b) => a.atMs - b.atMs || a.order.id - b.order.id);
      changes.push(...changed.slice(0, limit - changes.length));
    }
    return changes;
  }

  /** All orders of a day by time and id, including those still to come. */
  day(day: DayNumber): Order[] {
    const orders = this.#days.get(day) ?? this.#ordersOf(day);
    this.#days.set(day, orders);
    return orders;
  }

  /** The same order for the same day and sequence. */
  makeOrder(shop: Shop, day: DayNumber, placedMs: number, sequence: number): Order {
    const { seed } = this.#scale;
    const chance = new Chance(seed, day, sequence);
    const { trade } = shop;
    const id = (day - FIRST_ID_DAY) * IDS_PER_DAY + sequence;
    const basket = drawBasket(chance, trade, this.#ranges.get(trade) ?? []);
    const discounts = basket.filter(({ kind }) => kind === 'discount');
    const isInternal = trade !== 'web' && trade !== 'wholesale' && chance.happens(0.015);
    const { lines, payments, isPaid } = settle(chance, trade, basket);
    const n = this.#drawCustomer(chance, trade);
    const date = formatDay(day).replaceAll('-', '');
    const sequenceText = String(sequence).padStart(4, '0');
    return {
      id,
      // Numbers of tills look like ids, often of an older order.
      number: trade === 'web' ? `W${date}-${sequenceText}` : id - NUMBER_OFFSET,
      shopId: shop.id,
      locationId: shop.locationId,
      day,
      placedMs,
      relationId: WALK_IN_ID + n,
      segmentId: segmentOf(seed, n),
      isInternal,
      isPaid: isPaid || isInternal,
      totalWtCents: totalWtOf(lines),
      totalExCents: lines.reduce((total, line) => total + line.totalExCents, 0),
      discountWtCents: 0 - totalWtOf(discounts),
      lines,
      // No money moves for internal orders.
      payments: isInternal ? [] : payments,
      ...drawProgress(chance, trade, placedMs),
    };
  }

  /** Orders that may have changed on a day: recent ones, and those that change late. */
  #changeableOn(day: DayNumber): Order[] {
    const recent = [...this.placed(day - LONGEST_PROGRESS_DAYS, day)].flat();
    const older = [...this.changedLate]
      .map((id) => this.order(id))
      .filter((order) => order !== undefined)
      .filter((order) => order.day < day - LONGEST_PROGRESS_DAYS);
    return [...recent, ...older];
  }

  #ordersOf(day: DayNumber): Order[] {
    const { seed, ordersPerDay } = this.#scale;
    const chance = new Chance(seed, day);
    const orders = SHOPS.flatMap((shop) => {
      const expected = expectedOrders(shop, day, ordersPerDay, this.#span);
      const count = chance.whole(expected * (0.85 + 0.3 * chance.next()));
      return drawMoments(chance, shop, day, count).map((placedMs) => ({ shop, placedMs }));
    })
      .sort((a, b) => a.placedMs - b.placedMs)
      .map(({ shop, placedMs }, index) => this.makeOrder(shop, day, placedMs, index + 1));
    if (day === this.#span.unbalancedDay) fallShort(orders);
    return orders;
  }

  /** Companies buy wholesale; every customer orders in the webshop. */
  #drawCustomer(chance: Chance, trade: Trade): number {
    const customers = customerCount(this.#scale.ordersPerDay);
    if (chance.happens(WALK_IN_SHARE[trade])) return 0;
    if (trade === 'wholesale') return 20 * (1 + chance.favourite(Math.floor(customers / 20)));
    return 1 + chance.favourite(customers, 1.3);
  }
}

/** Subtracts the shortage from the largest payment of its shop. */
function fallShort(orders: readonly Order[]): void {
  const lastAmount = ({ payments }: Order) => payments.at(-1)?.amountCents ?? 0;
  const [largest] = orders
    .filter(({ shopId }) => shopId === UNBALANCED_SHOP_ID)
    .sort((a, b) => lastAmount(b) - lastAmount(a));
  const last = largest?.payments.at(-1);
  if (last !== undefined) last.amountCents -= SHORTAGE_CENTS;
}

function matches(order: Order, filter: OrderFilter, now: number): boolean {
  const { shopIds, statuses, isPaid, segmentId, isInternal = false } = filter;
  return (
    (isInternal === 'any' || order.isInternal === isInternal) &&
    (shopIds === undefined || shopIds.includes(order.shopId)) &&
    (isPaid === undefined || order.isPaid === isPaid) &&
    (segmentId === undefined || order.segmentId === segmentId) &&
    (statuses === undefined || statuses.includes(statusAt(order, now)))
  );
}
