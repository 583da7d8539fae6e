/** Tallies of any period and shops, from tallies per day that are computed once. */
import { LRUCache } from 'lru-cache';
import type { DayNumber } from '../business/calendar.ts';
import type { Ledger } from './ledger.ts';
import { Tally } from './tally.ts';

/** Tallies per shop id, every shop asked for included. */
export type ShopTallies = ReadonlyMap<number, Tally>;

/** The sums behind all reports. */
export class Accounts {
  readonly #ledger: Ledger;
  readonly #days = new LRUCache<string, ShopTallies>({ max: 800 });

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** One tally a shop over the days `from` to `to`, both included. */
  perShop(from: DayNumber, to: DayNumber, shopIds: readonly number[]): ShopTallies {
    const tallies = new Map(shopIds.map((id) => [id, new Tally()] as const));
    for (const day of this.perDay(from, to)) {
      for (const [shopId, tally] of day) tallies.get(shopId)?.merge(tally);
    }
    return tallies;
  }

  /** The tallies of each day from `from` to `to`, both included, as far as there are any. */
  perDay(from: DayNumber, to: DayNumber): ShopTallies[] {
    const days: ShopTallies[] = [];
    const last = Math.min(to, this.#ledger.today());
    for (let day = Math.max(from, this.#ledger.span.first); day <= last; day += 1)
      days.push(this.#on(day));
    return days;
  }

  #on(day: DayNumber): ShopTallies {
    // Today grows while the clock runs: the number of its orders tells its states apart.
    const isOver = day < this.#ledger.today();
    const size = isOver ? 'over' : this.#ledger.placed(day).length;
    const key = `${day}/${this.#ledger.edition(day)}/${size}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const tallies = new Map<number, Tally>();
    for (const order of this.#ledger.placed(day)) {
      const tally = tallies.get(order.shopId) ?? new Tally();
      tally.add(order);
      tallies.set(order.shopId, tally);
    }
    this.#days.set(key, tallies);
    return tallies;
  }
}

/** One tally of several. */
export function mergeTallies(tallies: Iterable<Tally>): Tally {
  const merged = new Tally();
  for (const tally of tallies) merged.merge(tally);
  return merged;
}
