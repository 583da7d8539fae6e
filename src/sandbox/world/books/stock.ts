/** Stock per location: filled up every Monday morning, and less what was sold there since. */

import { weekday } from '../business/calendar.ts';
import { Chance } from '../business/chance.ts';
import { SHOPS } from '../business/places.ts';
import { type Product, sells } from '../business/products.ts';
import type { Scale } from '../trade/day.ts';
import type { Accounts } from './accounts.ts';

/**
 * The stock of one product at one location, in pieces; below zero when more was sold than counted.
 */
export type StockLevel = (product: Product, locationId: number) => number;

/** Stock levels as they are on the day `today`. */
export function stockLevels(accounts: Accounts, scale: Scale, today: number): StockLevel {
  const monday = today - (weekday(today) - 1);
  const days = accounts.perDay(monday, today);
  return (product, locationId) => {
    if (!isKept(product, locationId)) return 0;
    let level = mondayStock(scale, product, locationId);
    for (const shop of SHOPS) {
      if (shop.locationId !== locationId) continue;
      for (const day of days) level -= day.get(shop.id)?.products.get(product.id)?.quantity ?? 0;
    }
    return level;
  };
}

/** Whether a location deals in a product: the restaurant keeps no books. */
export function isKept(product: Product, locationId: number): boolean {
  return SHOPS.some((shop) => shop.locationId === locationId && sells(shop.trade, product));
}

/** What a location has of a product after the Monday delivery. */
function mondayStock(scale: Scale, product: Product, locationId: number): number {
  const chance = new Chance(scale.seed, product.id, locationId, 0x57);
  return Math.ceil(chance.between(12, 80) * Math.max(1, scale.ordersPerDay / 60));
}
