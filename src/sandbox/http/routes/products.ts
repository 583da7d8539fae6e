/** Catalogue and stock: search, one product, prices, the change feed, stock per location. */
import { z } from 'zod';
import { isKept } from '../../world/books/stock.ts';
import { type Product, productByShopId } from '../../world/business/products.ts';
import type { World } from '../../world/world.ts';
import { endpoint } from '../endpoint.ts';
import {
  feedPlace,
  feedStart,
  freeText,
  id,
  languageCode,
  limit,
  paging,
  productIds,
} from '../parameters.ts';
import {
  euros,
  feed,
  integer,
  moment,
  page,
  pageOf,
  record,
  type Shape,
  text,
} from '../payload.ts';
import { notFound, ProblemError } from '../problem.ts';
import { requireStockView, seesStock } from '../scope.ts';

/** A product as it is asked for: in a language, with its stock somewhere. */
interface Shown {
  product: Product;
  title: string;
  stock: number;
}

const fields: Readonly<Record<string, Shape<Shown>>> = {
  id: integer('Inner product id.', ({ product }) => product.id),
  shop_product_id: integer('The key of /api/product/{id}.', (row) => row.product.shopProductId),
  sku: text('SKU.', ({ product }) => product.sku),
  title: text('In the requested language.', ({ title }) => title),
  product_group_id: integer('Turnover group.', ({ product }) => product.productGroupId),
  price_wt: euros('Sale price incl. VAT.', ({ product }) => product.priceWtCents),
  price_ex: euros('Sale price excl. VAT.', ({ product }) => product.priceExCents),
  stock: integer('Pieces, at the location asked for or over all.', ({ stock }) => stock),
};

const product = record(fields);

const location_id = id('Stock at one location; rolled up over all when omitted.');

const searchProducts = endpoint({
  path: '/api/product',
  summary: 'Products by name or SKU',
  query: z.object({
    q: freeText('Part of a name or SKU; omit to list all.'),
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
    return pageOf(found.map(shownIn(world, language_code, location_id)), window);
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
  payload: feed(
    record<Shown & { ms: number }>({
      ...fields,
      date_updated: moment('When the product itself changed.', ({ ms }) => ms),
    }),
  ),
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
    const show = shownIn(world, language_code, location_id);
    const rows = changed.map(({ product, ms }) => ({ ...show(product), ms }));
    const cursor = { feed: 'product', ms: lastMs, seen };
    return { rows, cursor, hasMore: rows.length === limit };
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
    return shownIn(world, 'nl', location_id)(found);
  },
});

/** A sale price (1), which has VAT, or a purchase price (2). */
interface Price {
  productId: number;
  type: 1 | 2;
  taxRateId?: number;
  wtCents?: number;
  exCents: number;
}

const listProductPrices = endpoint({
  path: '/api/product-price',
  summary: 'Price rows by inner product id; type 1 is the sale price',
  query: z.object({ product_ids: productIds, ...paging(100, 500) }),
  payload: page(
    record<Price>({
      id: integer('Price row id.', ({ productId, type }) => productId * 10 + type),
      product_id: integer('Inner product id.', ({ productId }) => productId),
      product_price_type_id: integer('1 is the sale price, 2 the purchase price.', (p) => p.type),
      tax_rate_id: integer.optional('On sale-price rows.', ({ taxRateId }) => taxRateId),
      price_wt: euros.optional('Incl. VAT, on sale-price rows.', ({ wtCents }) => wtCents),
      price_ex: euros('Excl. VAT.', ({ exCents }) => exCents),
    }),
  ),
  answer({ product_ids, ...window }, { world }) {
    const ids = product_ids?.split(',').map(Number);
    const rows = world.products
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .flatMap(({ id: productId, taxRateId, priceWtCents, priceExCents, costCents }): Price[] => [
        { productId, type: 1, taxRateId, wtCents: priceWtCents, exCents: priceExCents },
        { productId, type: 2, exCents: costCents },
      ]);
    return pageOf(rows, window);
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
  payload: page(
    record<{ product: Product; locationId: number; pieces: number }>({
      product_id: integer('Inner product id.', ({ product }) => product.id),
      location_id: integer('Location.', ({ locationId }) => locationId),
      sku: text('SKU.', ({ product }) => product.sku),
      title: text('Name.', ({ product }) => product.title[0]),
      stock: integer('Pieces; below zero when more was sold than counted.', (row) => row.pieces),
    }),
  ),
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
    const rows = world.products
      .filter(({ id }) => id === (product_id ?? id))
      .flatMap((product) => locations.map(({ id }) => ({ product, locationId: id })))
      .filter(({ product, locationId }) => isKept(product, locationId))
      .map((row) => ({ ...row, pieces: level(row.product, row.locationId) }));
    return pageOf(rows, window);
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

function shownIn(world: World, language: string, locationId: number | undefined) {
  const level = world.stockLevels();
  const locations = world.locations.filter(({ id }) => id === (locationId ?? id));
  return (product: Product): Shown => ({
    product,
    title: titleIn(product, language),
    stock: locations.reduce((total, location) => total + level(product, location.id), 0),
  });
}

/** Titles exist in Dutch and English; any other language falls back to Dutch. */
function titleIn({ title }: Product, language: string): string {
  return language === 'en' ? title[1] : title[0];
}
