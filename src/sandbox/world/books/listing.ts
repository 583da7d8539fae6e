/**
 * Orders of a period, newest first, in pages: a page costs the days it shows, not the days it
 * skips.
 */
import { LRUCache } from 'lru-cache';
import type { DayNumber } from '../business/calendar.ts';
import { type Order, type Status, statusAt } from '../trade/order.ts';
import { LONGEST_PROGRESS_DAYS } from '../trade/progress.ts';
import type { Ledger } from './ledger.ts';

/** Section 4, rule 5: every filter is optional, all given ones must hold. */
export interface OrderFilter {
  shopIds?: readonly number[] | undefined;
  statuses?: readonly Status[] | undefined;
  isPaid?: boolean | undefined;
  segmentId?: number | undefined;
  /** Omitted: internal orders are left out, which is the platform's default here. */
  isInternal?: boolean | 'any' | undefined;
}

/** One page and the number of rows overall. */
export interface OrderPage {
  total: number;
  orders: Order[];
}

/** Pages over a ledger; the row counts of days that are over are remembered. */
export class Listing {
  readonly #ledger: Ledger;
  /** Bounded by size: with `max` it would make room for all of them at once. */
  readonly #counts = new LRUCache<string, number>({ maxSize: 20_000, sizeCalculation: () => 1 });

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Rows `start` to `start + limit` of the days `from` to `to`, both included. */
  page(
    from: DayNumber,
    to: DayNumber,
    filter: OrderFilter,
    start = 0,
    limit = Infinity,
  ): OrderPage {
    const first = Math.max(from, this.#ledger.span.first);
    const last = Math.min(to, this.#ledger.today());
    const key = JSON.stringify(filter);
    const orders: Order[] = [];
    let total = 0;
    for (let day = last; day >= first; day -= 1) {
      const count = this.#count(day, filter, key);
      const isShown = total + count > start && orders.length < limit;
      if (isShown) {
        const newestFirst = this.#matches(day, filter).reverse();
        const skipped = Math.max(0, start - total);
        orders.push(...newestFirst.slice(skipped, skipped + limit - orders.length));
      }
      total += count;
    }
    return { total, orders };
  }

  #count(day: DayNumber, filter: OrderFilter, filterKey: string): number {
    const settledDays = filter.statuses === undefined ? 1 : LONGEST_PROGRESS_DAYS + 1;
    if (day > this.#ledger.today() - settledDays) return this.#matches(day, filter).length;
    const key = `${day}/${this.#ledger.edition(day)}/${filterKey}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const count = this.#matches(day, filter).length;
    this.#counts.set(key, count);
    return count;
  }

  #matches(day: DayNumber, filter: OrderFilter): Order[] {
    const now = this.#ledger.now();
    return this.#ledger.placed(day).filter((order) => matches(order, filter, now));
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
