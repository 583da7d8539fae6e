/** Orders by the time they last changed: what the order change feed reads. */
import { LRUCache } from 'lru-cache';
import { type DayNumber, dayOf, dayStart } from '../business/calendar.ts';
import type { Order } from '../trade/order.ts';
import { LONGEST_PROGRESS_DAYS } from '../trade/progress.ts';
import type { Ledger } from './ledger.ts';

/** One change of one order; it shows from `atMs` until the next change of that order. */
export interface OrderChange {
  order: Order;
  atMs: number;
  untilMs: number;
}

/** A place in the feed: rows at `ms` with at least this id, and all later ones. */
export interface FeedPlace {
  ms: number;
  id: number;
}

/** Changes in order of time and id, a day at a time. */
export class Changes {
  readonly #ledger: Ledger;
  readonly #days = new LRUCache<string, readonly OrderChange[]>({ max: 40 });

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** At most `limit` changes from `place` on, of orders that `isWanted`. */
  from(place: FeedPlace, limit: number, isWanted: (order: Order) => boolean): OrderChange[] {
    const now = this.#ledger.now();
    const found: OrderChange[] = [];
    const first = Math.max(dayOf(place.ms), this.#ledger.span.first);
    for (let day = first; day <= this.#ledger.today() && found.length < limit; day += 1) {
      const shown = this.#on(day).filter(
        ({ order, atMs, untilMs }) =>
          atMs <= now &&
          now < untilMs &&
          (atMs > place.ms || (atMs === place.ms && order.id >= place.id)) &&
          isWanted(order),
      );
      found.push(...shown.slice(0, limit - found.length));
    }
    return found;
  }

  #on(day: DayNumber): readonly OrderChange[] {
    const key = `${day}/${this.#ledger.edits}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const placedOn = Array.from({ length: LONGEST_PROGRESS_DAYS + 1 }, (_, back) => day - back);
    const recent = placedOn.flatMap((each) => this.#ledger.book(each));
    // Nothing changes by itself after so many days, but a hand may touch any order.
    const older = [...this.#ledger.touchedIds()]
      .map((id) => this.#ledger.order(id))
      .filter((order) => order !== undefined)
      .filter((order) => order.day < day - LONGEST_PROGRESS_DAYS);
    const changes = changesBetween([...recent, ...older], dayStart(day), dayStart(day + 1));
    this.#days.set(key, changes);
    return changes;
  }
}

function changesBetween(orders: readonly Order[], fromMs: number, beforeMs: number): OrderChange[] {
  const found: OrderChange[] = [];
  for (const order of orders) {
    order.changes.forEach(({ atMs }, index) => {
      if (atMs < fromMs || atMs >= beforeMs) return;
      found.push({ order, atMs, untilMs: order.changes[index + 1]?.atMs ?? Infinity });
    });
  }
  return found.sort((a, b) => a.atMs - b.atMs || a.order.id - b.order.id);
}
