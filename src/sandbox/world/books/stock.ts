/** Stock per location: filled up every Monday morning, and less what was sold there since. */
import { Chance } from '../business/chance.ts';
import { SHOPS } from '../business/places.ts';
import { type Product, sells } from '../business/products.ts';
import type { Scale } from '../trade/day.ts';

/** Whether a location deals in a product: the restaurant keeps no books. */
export function isKept(product: Product, locationId: number): boolean {
  return SHOPS.some((shop) => shop.locationId === locationId && sells(shop.trade, product));
}

/** What a location has of a product after the Monday delivery. */
export function mondayStock(scale: Scale, product: Product, locationId: number): number {
  const chance = new Chance(scale.seed, product.id, locationId, 0x57);
  return Math.ceil(chance.between(12, 80) * Math.max(1, scale.ordersPerDay / 60));
}
