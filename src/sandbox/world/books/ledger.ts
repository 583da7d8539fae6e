/** The orders as they are at this moment, a day at a time: each is made when it is first asked for. */
import { type DayNumber, dayOf, dayStart } from '../business/calendar.ts';
import type { Span } from '../business/opening.ts';
import type { Shop } from '../business/places.ts';
import { LONGEST_PROGRESS_DAYS } from '../trade/checkout.ts';
import { dayOfOrderId, type OrderMaker } from '../trade/day.ts';
import { lastChange, type Order, statusAt } from '../trade/order.ts';

/** Every filter is optional, all given ones must hold (docs/platform.md#orders). */
export interface OrderFilter {
  shopIds?: readonly number[] | undefined;
  statuses?: readonly string[] | undefined;
  isPaid?: boolean | undefined;
  segmentId?: number | undefined;
  /** Omitted: internal orders are left out, which is the platform's default here. */
  isInternal?: boolean | 'any' | undefined;
}

/** Ids of orders added by hand begin here within their day. */
const FIRST_ADDED_SEQUENCE = 50_000;

/** Days of orders, with what was added or changed by hand. */
export class Ledger {
  readonly #maker: OrderMaker;
  readonly #span: Span;
  readonly #now: () => number;
  /** All orders of a day by time and id, those still to come included. */
  readonly #days = new Map<DayNumber, Order[]>();
  readonly #changedByHand = new Set<number>();
  #added = 0;

  constructor(maker: OrderMaker, span: Span, now: () => number) {
    this.#maker = maker;
    this.#span = span;
    this.#now = now;
  }

  today(): DayNumber {
    return dayOf(this.#now());
  }

  /** The orders placed by now on the days `from` to `to`, both included, newest day first. */
  *placed(from: DayNumber, to: DayNumber): Generator<readonly Order[]> {
    const now = this.#now();
    const today = this.today();
    for (let day = Math.min(to, today); day >= Math.max(from, this.#span.first); day -= 1) {
      const orders = this.#day(day);
      yield day < today ? orders : orders.filter(({ placedMs }) => placedMs <= now);
    }
  }

  /** Rows `start` to `start + limit` of a period, newest first, and how many there are overall. */
  page(from: DayNumber, to: DayNumber, filter: OrderFilter, start = 0, limit = Infinity) {
    const now = this.#now();
    const orders: Order[] = [];
    let total = 0;
    for (const day of this.placed(from, to)) {
      const matching = day.filter((order) => matches(order, filter, now));
      const skipped = Math.max(0, start - total);
      const wanted = limit - orders.length;
      total += matching.length;
      if (wanted > 0) orders.push(...matching.reverse().slice(skipped, skipped + wanted));
    }
    return { total, orders };
  }

  /** The order with this id, when it exists and has been placed by now. */
  order(id: number): Order | undefined {
    const day = dayOfOrderId(id);
    const [orders = []] = this.placed(day, day);
    return orders.find((order) => order.id === id);
  }

  /** At most `limit` orders that last changed at `place` or later, by time and id. */
  changes(place: { ms: number; id: number }, limit: number, isWanted: (order: Order) => boolean) {
    const now = this.#now();
    const found: { order: Order; atMs: number }[] = [];
    const first = Math.max(dayOf(place.ms), this.#span.first);
    for (let day = first; day <= this.today() && found.length < limit; day += 1) {
      const [from, before] = [Math.max(place.ms, dayStart(day)), dayStart(day + 1)];
      const changed = this.#changeableOn(day)
        .map((order) => ({ order, atMs: lastChange(order, now)?.atMs ?? -Infinity }))
        .filter(({ atMs }) => atMs >= from && atMs < before)
        .filter(({ order, atMs }) => atMs > place.ms || order.id >= place.id)
        .filter(({ order }) => isWanted(order))
        .sort((a, b) => a.atMs - b.atMs || a.order.id - b.order.id);
      found.push(...changed.slice(0, limit - found.length));
    }
    return found;
  }

  /** Places one more order, now or at a given moment of the past. */
  add(shop: Shop, placedMs: number): Order {
    const day = dayOf(placedMs);
    const order = this.#maker.makeOrder(shop, day, placedMs, FIRST_ADDED_SEQUENCE + this.#added);
    this.#added += 1;
    this.#day(day).push(order);
    this.#day(day).sort((a, b) => a.placedMs - b.placedMs || a.id - b.id);
    return order;
  }

  /** Changes an order by hand and moves its `date_updated`; its status stays as it is. */
  change(id: number, atMs: number, edit = (order: Order): Order => order): Order | undefined {
    const order = this.order(id);
    if (order === undefined) return undefined;
    const changes = [...order.changes, { atMs, status: statusAt(order, atMs) }];
    const changed = { ...edit(order), changes: changes.sort((a, b) => a.atMs - b.atMs) };
    const orders = this.#day(order.day);
    orders[orders.indexOf(order)] = changed;
    this.#changedByHand.add(id);
    return changed;
  }

  #day(day: DayNumber): Order[] {
    const orders = this.#days.get(day) ?? this.#maker.ordersOf(day);
    this.#days.set(day, orders);
    return orders;
  }

  /** The orders that may have changed on a day: recent ones, and those changed by hand. */
  #changeableOn(day: DayNumber): Order[] {
    const recent = [...this.placed(day - LONGEST_PROGRESS_DAYS, day)].flat();
    const older = [...this.#changedByHand]
      .map((id) => this.order(id))
      .filter((order) => order !== undefined)
      .filter((order) => order.day < day - LONGEST_PROGRESS_DAYS);
    return [...recent, ...older];
  }
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
