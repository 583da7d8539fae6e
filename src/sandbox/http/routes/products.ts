/** Catalogue and stock: search, one product, prices, the change feed, stock per location. */
import { z } from 'zod';
import { isKept } from '../../world/books/stock.ts';
import { formatMoment } from '../../world/business/calendar.ts';
import { type Product, productByShopId } from '../../world/business/products.ts';
import type { World } from '../../world/world.ts';
import { feedPlace, writeCursor } from '../cursor.ts';
import { endpoint, euros, feed, page, pageOf } from '../endpoint.ts';
import { feedStart, id, languageCode, limit, paging, productIds, text } from '../parameters.ts';
import { notFound, ProblemError } from '../problem.ts';
import { requireStockView, seesStock } from '../scope.ts';

const product = z.object({
  id: z.int().describe('Inner product id.'),
  shop_product_id: z
    .int()
    .describe('The key of /api/product/{id}; usually, not always, equal to id.'),
  sku: z.string().describe('SKU.'),
  title: z.string().describe('In the requested language.'),
  product_group_id: z.int().describe('Turnover group.'),
  price_wt: z.number().describe('Sale price incl. VAT.'),
  price_ex: z.number().describe('Sale price excl. VAT.'),
  stock: z.int().describe('Pieces, at the location asked for or rolled up over all.'),
});

const changedProduct = product.extend({
  date_updated: z.iso.datetime({ offset: true }).describe('When the product itself changed.'),
});

const price = z.object({
  id: z.int().describe('Price row id.'),
  product_id: z.int().describe('Inner product id.'),
  product_price_type_id: z.int().describe('1 is the sale price, 2 the purchase price.'),
  tax_rate_id: z.int().describe('On sale-price rows.').optional(),
  price_wt: z.number().describe('Incl. VAT, on sale-price rows.').optional(),
  price_ex: z.number().describe('Excl. VAT.'),
});

const stockRow = z.object({
  product_id: z.int().describe('Inner product id.'),
  location_id: z.int().describe('Location.'),
  sku: z.string().describe('SKU.'),
  title: z.string().describe('Name.'),
  stock: z.int().describe('Pieces; below zero when more was sold than counted.'),
});

const location_id = id('Stock at one location; rolled up over all when omitted.');

const searchProducts = endpoint({
  path: '/api/product',
  summary: 'Products by name or SKU',
  query: z.object({
    q: text('Part of a name or SKU; omit to list all.'),
    language_code: languageCode,
    location_id,
    ...paging(25, 200),
  }),
  payload: page(product),
  problems: [403],
  answer({ q = '', language_code, location_id, ...window }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const isMatch = (name: string) => name.toLowerCase().includes(q.toLowerCase());
    const found = world.products.filter(
      (each) => isMatch(each.sku) || isMatch(titleIn(each, language_code)),
    );
    return pageOf(found, window, showProducts(world, language_code, location_id));
  },
});

/** Where the product feed goes on: after this moment, or at it with ids not yet seen. */
const productCursor = z.object({
  feed: z.literal('product'),
  ms: z.int(),
  seen: z.array(z.int()),
});

// Exactly once, by the ids that the cursor carries for its own moment
// (docs/platform.md#change-feeds).
const listProductChanges = endpoint({
  path: '/api/product/delta',
  summary: 'Products changed since a time or a cursor',
  query: z.object({
    ...feedStart,
    limit: limit(100, 250),
    language_code: languageCode,
    location_id,
  }),
  payload: feed(changedProduct),
  problems: [403],
  answer({ limit, language_code, location_id, ...start }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const place = feedPlace(start, productCursor, (ms) => ({
      feed: 'product' as const,
      ms,
      seen: [],
    }));
    const changed = world.products
      .map((product) => ({ product, ms: world.revisedMs(product) }))
      .filter(({ ms, product: { id } }) =>
        ms === place.ms ? !place.seen.includes(id) : ms > place.ms,
      )
      .sort((a, b) => a.ms - b.ms || a.product.id - b.product.id)
      .slice(0, limit);
    const lastMs = changed.at(-1)?.ms ?? place.ms;
    const atLast = changed.filter(({ ms }) => ms === lastMs).map(({ product }) => product.id);
    const seen = lastMs === place.ms ? [...place.seen, ...atLast] : atLast;
    const show = showProducts(world, language_code, location_id);
    return {
      count: changed.length,
      data: changed.map(({ product, ms }) => ({
        ...show(product),
        date_updated: formatMoment(ms),
      })),
      next_cursor: writeCursor({ feed: 'product', ms: lastMs, seen }),
      has_more: changed.length === limit,
    };
  },
});

const getProduct = endpoint({
  path: '/api/product/{id}',
  summary: 'One product by its shop_product_id (an inner id answers another product)',
  query: z.object({ location_id }),
  payload: product,
  problems: [403],
  answer({ id, location_id }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const found = productByShopId(id);
    if (found === undefined) throw notFound('product');
    return showProducts(world, 'nl', location_id)(found);
  },
});

const listProductPrices = endpoint({
  path: '/api/product-price',
  summary: 'Price rows by inner product id; type 1 is the sale price',
  query: z.object({ product_ids: productIds, ...paging(100, 500) }),
  payload: page(price),
  answer({ product_ids, ...window }, { world }) {
    const ids = product_ids?.split(',').map(Number);
    const rows = world.products
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .flatMap(showPrices);
    return pageOf(rows, window, (row) => row);
  },
});

const listStock = endpoint({
  path: '/api/stock',
  summary: 'Stock per product and location',
  query: z.object({
    location_id: id('One location.'),
    product_id: id('One product, by inner id.'),
    ...paging(100, 500),
  }),
  payload: page(stockRow),
  problems: [403],
  answer({ location_id, product_id, ...window }, { world, caller: { role } }) {
    requireStockView(role, location_id);
    const locations = world.locations
      .filter(({ id }) => id === (location_id ?? id))
      .filter(({ id }) => seesStock(role, id));
    if (locations.length === 0 && location_id === undefined) {
      throw new ProblemError(403, `The role ${role.title} may see the stock of no location.`);
    }
    const level = world.stockLevels();
    const kept = world.products
      .filter(({ id }) => id === (product_id ?? id))
      .flatMap((product) => locations.map(({ id }) => ({ product, location_id: id })))
      .filter(({ product, location_id }) => isKept(product, location_id));
    return pageOf(kept, window, ({ product, location_id }) => ({
      product_id: product.id,
      location_id,
      sku: product.sku,
      title: titleIn(product, 'nl'),
      stock: level(product, location_id),
    }));
  },
});

/** The endpoints of the catalogue and of stock; fixed paths come before those with an id. */
export const products = [
  searchProducts,
  listProductChanges,
  getProduct,
  listProductPrices,
  listStock,
];

function showProducts(world: World, language: string, locationId: number | undefined) {
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

function showPrices({ id, taxRateId, priceWtCents, priceExCents, costCents }: Product) {
  return [
    {
      id: id * 10 + 1,
      product_id: id,
      product_price_type_id: 1,
      tax_rate_id: taxRateId,
      price_wt: euros(priceWtCents),
      price_ex: euros(priceExCents),
    },
    { id: id * 10 + 2, product_id: id, product_price_type_id: 2, price_ex: euros(costCents) },
  ];
}

/** Titles exist in Dutch and English; any other language falls back to Dutch. */
function titleIn({ title }: Product, language: string): string {
  return language === 'en' ? title[1] : title[0];
}
