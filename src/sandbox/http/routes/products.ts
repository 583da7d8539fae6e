/** Catalogue and stock: search, one product, prices, the change feed, stock per location. */

import { type ProductCursor, readProductCursor, writeCursor } from '../../wire/cursor.ts';
import { euros, pageOf } from '../../wire/envelope.ts';
import { id, languageCode, number, paging, productIds, since, text } from '../../wire/parameter.ts';
import { badParameter, notFound, ProblemError } from '../../wire/problem.ts';
import { isKept } from '../../world/books/stock.ts';
import { formatMoment } from '../../world/business/calendar.ts';
import { type Product, productByShopId } from '../../world/business/products.ts';
import type { World } from '../../world/world.ts';
import { defineRoute } from '../route.ts';
import { requireStockView, seesStock } from '../scope.ts';

const stockLocation = id('Stock at one location; rolled up over all when omitted.');

export const searchProducts = defineRoute({
  path: '/api/product',
  summary: 'Products by name or SKU',
  parameters: {
    q: text('Part of a name or SKU; omit to list all.'),
    language_code: languageCode,
    location_id: stockLocation,
    ...paging(25, 200),
  },
  payload: 'ProductPage',
  otherStatuses: [400, 403],
  answer({ q, language_code, location_id, start, limit }, { world, caller }) {
    requireStockView(caller.role, location_id);
    const wanted = q?.toLowerCase();
    const found = world.products.filter(
      (product) =>
        wanted === undefined ||
        product.sku.toLowerCase().includes(wanted) ||
        titleIn(product, language_code).toLowerCase().includes(wanted),
    );
    return pageOf(found, { start, limit }, productRows(world, language_code, location_id));
  },
});

export const getProduct = defineRoute({
  path: '/api/product/{id}',
  summary: 'One product by its shop_product_id (an inner id answers another product)',
  parameters: { location_id: stockLocation },
  payload: 'Product',
  otherStatuses: [400, 403, 404],
  answer({ location_id }, { world, caller, id }) {
    requireStockView(caller.role, location_id);
    const product = productByShopId(id);
    if (product === undefined) throw notFound('product');
    return productRows(world, 'nl', location_id)(product);
  },
});

/** Section 4, rule 6: exactly once, by the ids that the cursor carries for its own moment. */
export const listProductChanges = defineRoute({
  path: '/api/product/delta',
  summary: 'Products changed since a time or a cursor',
  parameters: {
    since,
    cursor: text('`next_cursor` of an earlier answer.'),
    limit: number('Rows on a page.', { minimum: 1, maximum: 250, default: 100 }),
    language_code: languageCode,
    location_id: stockLocation,
  },
  payload: 'ProductDelta',
  otherStatuses: [400, 403],
  answer(values, { world, caller }) {
    requireStockView(caller.role, values.location_id);
    const cursor = startOfFeed(values);
    const changed = world.products
      .map((product) => ({ product, ms: world.revisedMs(product) }))
      .filter(({ ms, product }) => ms > cursor.ms || isUnseen(product, ms, cursor))
      .sort((a, b) => a.ms - b.ms || a.product.id - b.product.id)
      .slice(0, values.limit);
    const show = productRows(world, values.language_code, values.location_id);
    return {
      count: changed.length,
      data: changed.map(({ product, ms }) => ({
        ...show(product),
        date_updated: formatMoment(ms),
      })),
      next_cursor: writeCursor(advance(cursor, changed)),
      has_more: changed.length === values.limit,
    };
  },
});

/** Section 4, rule 10. */
export const listProductPrices = defineRoute({
  path: '/api/product-price',
  summary: 'Price rows by inner product id; type 1 is the sale price',
  parameters: { product_ids: productIds, ...paging(100, 500) },
  payload: 'ProductPricePage',
  otherStatuses: [400],
  answer({ product_ids, start, limit }, { world }) {
    const rows = world.products
      .filter(({ id }) => product_ids === undefined || product_ids.includes(id))
      .flatMap(priceRows);
    return pageOf(rows, { start, limit }, (row) => row);
  },
});

export const listStock = defineRoute({
  path: '/api/stock',
  summary: 'Stock per product and location',
  parameters: {
    location_id: id('One location.'),
    product_id: id('One product, by inner id.'),
    ...paging(100, 500),
  },
  payload: 'StockPage',
  otherStatuses: [400, 403],
  answer({ location_id, product_id, start, limit }, { world, caller: { role } }) {
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
      .flatMap((product) => locations.map((location) => ({ product, locationId: location.id })))
      .filter(({ product, locationId }) => isKept(product, locationId));
    return pageOf(kept, { start, limit }, ({ product, locationId }) => ({
      product_id: product.id,
      location_id: locationId,
      sku: product.sku,
      title: titleIn(product, 'nl'),
      stock: level(product, locationId),
    }));
  },
});

function productRows(world: World, language: string, locationId: number | undefined) {
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

function priceRows({ id, taxRateId, priceWtCents, priceExCents, costCents }: Product) {
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

function startOfFeed(values: {
  since: number | undefined;
  cursor: string | undefined;
}): ProductCursor {
  if ((values.since === undefined) === (values.cursor === undefined)) {
    throw badParameter('since', 'give exactly one of since and cursor.');
  }
  if (values.cursor !== undefined) return readProductCursor(values.cursor);
  return { feed: 'product', ms: values.since ?? 0, seen: [] };
}

function isUnseen(product: Product, ms: number, cursor: ProductCursor): boolean {
  return ms === cursor.ms && !cursor.seen.includes(product.id);
}

function advance(
  cursor: ProductCursor,
  changed: readonly { product: Product; ms: number }[],
): ProductCursor {
  const last = changed.at(-1);
  if (last === undefined) return cursor;
  const atLast = changed.filter(({ ms }) => ms === last.ms).map(({ product }) => product.id);
  const seenBefore = last.ms === cursor.ms ? cursor.seen : [];
  return { feed: 'product', ms: last.ms, seen: [...seenBefore, ...atLast] };
}
