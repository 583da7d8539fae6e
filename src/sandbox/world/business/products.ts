/** Products with two ids, the times of their changes, and the range of each trade. */
import { excludeVat, GROUP, type Trade } from './account.ts';
import assortment from './assortment.json' with { type: 'json' };
import { Chance } from './chance.ts';

/** Amounts are cents. */
export interface Product {
  /** The inner id of lines, prices, stock and sales reports. */
  id: number;
  /** The key of GET /api/product/{id}: the same number, or the inner id of another product. */
  shopProductId: number;
  sku: string;
  title: readonly [nl: string, en: string];
  productGroupId: number;
  taxRateId: number;
  priceWtCents: number;
  priceExCents: number;
  costCents: number;
}

const FIRST_ID = 1001;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const SOLD_BY: Record<Trade, readonly number[]> = {
  web: [GROUP.books.id, GROUP.home.id, GROUP.toys.id, GROUP.deli.id, GROUP.workshops.id],
  till: [GROUP.books.id, GROUP.home.id, GROUP.toys.id, GROUP.deli.id],
  cafe: [GROUP.kitchen.id, GROUP.softDrinks.id, GROUP.deli.id],
  restaurant: [GROUP.kitchen.id, GROUP.softDrinks.id, GROUP.alcohol.id],
  wholesale: [GROUP.books.id, GROUP.home.id, GROUP.toys.id, GROUP.deli.id, GROUP.alcohol.id],
};

/** All products by inner id, the same for every seed. Some titles are hostile text of third parties. */
export const PRODUCTS: readonly Product[] = assortment
  .flatMap(({ products, ...shelf }) => products.map((product) => ({ ...shelf, ...product })))
  .map(({ productGroupId, taxRateId, skuPrefix, costShare, nl, en, cents, ...ids }, place) => {
    const id = FIRST_ID + place;
    const priceExCents = excludeVat(cents, taxRateId);
    return {
      id,
      shopProductId: ids.shopProductId ?? id,
      sku: `${skuPrefix}-${String(id).slice(1)}`,
      title: [nl, en],
      productGroupId,
      taxRateId,
      priceWtCents: cents,
      priceExCents,
      costCents: Math.round(priceExCents * costShare),
    };
  });

export function productById(id: number): Product | undefined {
  return PRODUCTS[id - FIRST_ID];
}

/** The products of a trade, favourites first, in another order for each seed. */
export function rangeOf(trade: Trade, seed: number): Product[] {
  return PRODUCTS.filter((product) => sells(trade, product))
    .map((product) => ({ product, rank: new Chance(seed, product.id, trade.length).next() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ product }) => product);
}

export function sells(trade: Trade, product: Product): boolean {
  return SOLD_BY[trade].includes(product.productGroupId);
}

/**
 * The last change of a product at or before `now` (epoch ms). Eight products change in the same second, so that pages
 * of the feed end among them.
 */
export function lastRevision(product: Product, now: number): number {
  const batch = Math.floor((product.id - FIRST_ID) / 8);
  const everyMs = (20 + batch) * DAY_MS;
  const phaseMs = new Chance(batch).between(0, 20 * 24) * HOUR_MS;
  return phaseMs + Math.floor((now - phaseMs) / everyMs) * everyMs;
}
