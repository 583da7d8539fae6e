import { z } from 'zod';
import { amsterdamIso } from '../../../core/calendar.ts';
import type { Product } from '../../world/business/products.ts';
import { isSoldAt, type World } from '../../world/world.ts';
import { requireStockView, seesStock } from '../access.ts';
import { endpoint, euros, feed, showPage } from '../endpoint.ts';
import {
  feedStart,
  freeText,
  id,
  languageCode,
  limit,
  paging,
  productIds,
  readCursor,
} from '../parameters.ts';
import { notFound, ProblemError } from '../problem.ts';

const location_id = id('Stock at one location; rolled up over all when omitted.');

export const searchProducts = endpoint({
  path: '/api/product',
  query: z.object({
    q: freeText('Part of a name or SKU; omit to list all.'),
    language_code: languageCode,
    location_id,
    ...paging(25, 200),
  }),
  answer({ q = '', language_code, location_id, ...paging }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const isMatch = (name: string) => name.toLowerCase().includes(q.toLowerCase());
    const products = world.products.filter(
      (each) => isMatch(each.sku) || isMatch(titleIn(each, language_code)),
    );
    return showPage(products, paging, showIn(world, language_code, location_id));
  },
});

/** A feed goes on after `ms`, and at `ms` with ids that are not in `seen`. */
const productCursor = z.object({ feed: z.literal('product'), ms: z.int(), seen: z.array(z.int()) });

// Delivers exactly once, since a cursor holds the ids of its moment (docs/platform.md#change-feeds).
export const listProductChanges = endpoint({
  path: '/api/product/delta',
  query: z.object({
    ...feedStart,
    limit: limit(100, 250),
    language_code: languageCode,
    location_id,
  }),
  answer({ limit, language_code, location_id, ...start }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const feedName = 'product' as const;
    const from = readCursor(start, productCursor, (ms) => ({ feed: feedName, ms, seen: [] }));
    const changed = world.products
      .map((product) => ({ product, ms: world.revisedMs(product) }))
      .filter(({ ms, product: { id } }) =>
        ms === from.ms ? !from.seen.includes(id) : ms > from.ms,
      )
      .sort((a, b) => a.ms - b.ms || a.product.id - b.product.id)
      .slice(0, limit);
    const lastMs = changed.at(-1)?.ms ?? from.ms;
    const lastIds = changed.filter(({ ms }) => ms === lastMs).map(({ product }) => product.id);
    const seen = lastMs === from.ms ? [...from.seen, ...lastIds] : lastIds;
    const show = showIn(world, language_code, location_id);
    const rows = changed.map(({ product, ms }) => {
      return { ...show(product), date_updated: amsterdamIso(ms) };
    });
    return feed(rows, { feed: feedName, ms: lastMs, seen }, limit);
  },
});

export const getProduct = endpoint({
  path: '/api/product/{id}',
  query: z.object({ location_id }),
  answer({ id, location_id }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const product = world.products.find(({ shopProductId }) => shopProductId === id);
    if (product === undefined) throw notFound('product');
    return showIn(world, 'nl', location_id)(product);
  },
});

export const listProductPrices = endpoint({
  path: '/api/product-price',
  query: z.object({ product_ids: productIds, ...paging(100, 500) }),
  answer({ product_ids, ...paging }, { world }) {
    const ids = product_ids?.split(',').map(Number);
    const products = world.products.filter(({ id }) => ids === undefined || ids.includes(id));
    return showPage(products.flatMap(showPrices), paging, (row) => row);
  },
});

/** The sale price (1) with VAT, and the purchase price (2). */
function showPrices({ id, taxRateId, priceWtCents, priceExCents, costCents }: Product) {
  const row = (type: 1 | 2) => {
    return { id: id * 10 + type, product_id: id, product_price_type_id: type };
  };
  const sale = { price_wt: euros(priceWtCents), price_ex: euros(priceExCents) };
  return [
    { ...row(1), tax_rate_id: taxRateId, ...sale },
    { ...row(2), price_ex: euros(costCents) },
  ];
}

export const listStock = endpoint({
  path: '/api/stock',
  query: z.object({
    location_id: id('One location.'),
    product_id: id('One product, by inner id.'),
    ...paging(100, 500),
  }),
  answer({ location_id, product_id, ...paging }, { world, caller: { role } }) {
    requireStockView(role, location_id);
    const locations = world.locations
      .filter(({ id }) => id === (location_id ?? id))
      .filter(({ id }) => seesStock(role, id));
    if (locations.length === 0 && location_id === undefined) {
      throw new ProblemError(403, `The role ${role.title} may see the stock of no location.`);
    }
    const level = world.stockLevels();
    const rows = world.products
      .filter(({ id }) => id === (product_id ?? id))
      .flatMap((product) => locations.map(({ id }) => ({ product, locationId: id })))
      .filter(({ product, locationId }) => isSoldAt(product, locationId));
    return showPage(rows, paging, ({ product, locationId }) => ({
      product_id: product.id,
      location_id: locationId,
      sku: product.sku,
      title: product.title[0],
      stock: level(product, locationId),
    }));
  },
});

function showIn(world: World, language: string, locationId: number | undefined) {
  const level = world.stockLevels();
  const locations = world.locations.filter(({ id }) => id === (locationId ?? id));
  return (product: Product) => ({
    id: product.id,
    shop_product_id: product.shopProductId,
    sku: product.sku,
    title: titleIn(product, language),
    product_group_id: product.productGroupId,
    price_wt: euros(product.priceWtCents),
    price_ex: euros(product.priceExCents),
    stock: locations.reduce((total, location) => total + level(product, location.id), 0),
  });
}

/** Other languages fall back to Dutch. */
function titleIn({ title }: Product, language: string): string {
  return language === 'en' ? title[1] : title[0];
}
