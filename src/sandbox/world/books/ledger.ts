/** The orders as they stand at this moment: generated a day at a time, kept while there is room. */
import { LRUCache } from 'lru-cache';
import { type DayNumber, dayOf } from '../business/calendar.ts';
import type { Span } from '../business/opening.ts';
import type { Shop } from '../business/places.ts';
import { type DayMaker, dayOfOrderId } from '../trade/day.ts';
import { type Change, type Order, statusAt } from '../trade/order.ts';

/** About 100 MB when full; a month of 46,000 orders fits twice. */
const MOST_ORDERS_KEPT = 120_000;
/** Ids of orders added by hand begin here within their day. */
const FIRST_ADDED_SEQUENCE = 50_000;

/** Days of orders, including what was added or touched by hand. */
export class Ledger {
  readonly span: Span;
  readonly now: () => number;
  readonly #maker: DayMaker;
  readonly #books = new LRUCache<DayNumber, readonly Order[]>({
    maxSize: MOST_ORDERS_KEPT,
    sizeCalculation: (orders) => orders.length + 1,
  });
  readonly #added = new Map<DayNumber, Order[]>();
  readonly #touches = new Map<number, Change[]>();
  readonly #editions = new Map<DayNumber, number>();
  #edits = 0;

  constructor(maker: DayMaker, span: Span, now: () => number) {
    this.#maker = maker;
    this.span = span;
    this.now = now;
  }

  today(): DayNumber {
    return dayOf(this.now());
  }

  /** All orders of a day by time and id, those still to come included. */
  book(day: DayNumber): readonly Order[] {
    const kept = this.#books.get(day);
    if (kept !== undefined) return kept;
    const orders = [...this.#maker.ordersOf(day), ...(this.#added.get(day) ?? [])]
      .map((order) => this.#withTouches(order))
      .sort((a, b) => a.placedMs - b.placedMs || a.id - b.id);
    this.#books.set(day, orders);
    return orders;
  }

  /** The orders of a day that have been placed by now. */
  placed(day: DayNumber): readonly Order[] {
    const today = this.today();
    if (day > today) return [];
    const orders = this.book(day);
    if (day < today) return orders;
    const now = this.now();
    const next = orders.findIndex((order) => order.placedMs > now);
    return next === -1 ? orders : orders.slice(0, next);
  }

  /** The order with this id, when it exists and has been placed by now. */
  order(id: number): Order | undefined {
    const day = dayOfOrderId(id);
    if (day < this.span.first) return undefined;
    return this.placed(day).find((order) => order.id === id);
  }

  /** How many times an order was added or touched by hand, on any day. */
  get edits(): number {
    return this.#edits;
  }

  /** The same for the orders of one day; part of the key of what is derived from them. */
  edition(day: DayNumber): number {
    return this.#editions.get(day) ?? 0;
  }

  /** Places one more order, now or at a given moment of the past. */
  add(shop: Shop, placedMs: number): Order {
    const day = dayOf(placedMs);
    const added = this.#added.get(day) ?? [];
    const sequence = FIRST_ADDED_SEQUENCE + added.length;
    const order = this.#maker.makeOrder(shop, day, placedMs, sequence);
    this.#added.set(day, [...added, order]);
    this.#reissue(day);
    return order;
  }

  /** Moves `date_updated` of an order; its status stays as it is. */
  touch(id: number, atMs: number): Order | undefined {
    const order = this.order(id);
    if (order === undefined) return undefined;
    const touches = this.#touches.get(id) ?? [];
    this.#touches.set(id, [...touches, { atMs, status: statusAt(order, atMs) }]);
    this.#reissue(order.day);
    return this.order(id);
  }

  /** Ids of orders touched by hand, whenever they were placed. */
  touchedIds(): Iterable<number> {
    return this.#touches.keys();
  }

  #reissue(day: DayNumber): void {
    this.#books.delete(day);
    this.#editions.set(day, this.edition(day) + 1);
    this.#edits += 1;
  }

  #withTouches(order: Order): Order {
    const touches = this.#touches.get(order.id);
    if (touches === undefined) return order;
    const changes = [...order.changes, ...touches].sort((a, b) => a.atMs - b.atMs);
    return { ...order, changes };
  }
}
