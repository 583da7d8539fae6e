import { z } from 'zod';
import {
  changesOf,
  decimal,
  defineEndpoint,
  fieldsOf,
  integer,
  listOf,
  outputOnly,
  text,
  timestamp,
} from './define.ts';
import {
  changeFeed,
  compactList,
  flag,
  id,
  languageCode,
  locationRef,
  page,
  wholeList,
  words,
} from './parameters.ts';

const product = {
  id: integer,
  shop_product_id: integer,
  sku: text,
  title: text,
  product_group_id: integer,
  stock: decimal,
};

const stockLocation = locationRef.optional().describe('Location id or name: stock there only');
const inventory = {
  names: ['inventory.view_local', 'inventory.view_other_locations'],
  sentence: 'inventory.view_local (own locations) or inventory.view_other_locations',
};

/** docs/platform.md#stock-by-location. */
export const searchProducts = defineEndpoint({
  tool: 'search_products',
  title: 'Search products',
  description:
    'Products by name or SKU with stock. id is the inner id (prices), shop_product_id the one for get_product.',
  path: '/api/product',
  toolset: 'catalog',
  input: z.strictObject({
    q: words.optional().describe('Part of name or SKU; omit for all'),
    language_code: languageCode,
    location_id: stockLocation,
    prices: flag.optional().describe('Also the sale price').meta(outputOnly),
    ...page(25, 200, 'title'),
  }),
  output: listOf(product),
  noun: 'products',
  capabilities: inventory,
  namedIds: ['product_group_id'],
});

/** docs/platform.md#product-ids: the inner id would silently give another product. */
export const getProduct = defineEndpoint({
  tool: 'get_product',
  title: 'Get a product',
  description:
    'One product by shop_product_id. Never pass the inner id: it silently gives another product.',
  path: '/api/product/{id}',
  toolset: 'catalog',
  input: z.strictObject({
    shop_product_id: id.describe('Never the inner id'),
    location_id: stockLocation,
  }),
  output: fieldsOf(product),
  pathId: 'shop_product_id',
  capabilities: inventory,
  namedIds: ['product_group_id'],
});

/** docs/platform.md#prices. */
export const listProductPrices = defineEndpoint({
  tool: 'list_product_prices',
  title: 'List product prices',
  description:
    'Prices by inner product id; product_price_type_id 1 is the sale price, others cost. Give product_ids: the full list is large.',
  path: '/api/product-price',
  toolset: 'catalog',
  input: z.strictObject({
    product_ids: z
      .string()
      .max(4000)
      .regex(
        /^\s*[1-9]\d*\s*(,\s*[1-9]\d*\s*)*$/,
        'must be whole numbers of 1 or more, comma-separated, such as 101,102',
      )
      .overwrite(compactList)
      .optional()
      .describe('Inner ids, comma-separated'),
    ...page(100, 500, 'product_id'),
  }),
  output: listOf({ product_id: integer, product_price_type_id: integer, tax_rate_id: integer }),
  noun: 'price rows',
  batchArgument: 'product_ids',
  namedIds: ['tax_rate_id'],
});

/** docs/platform.md#change-feeds: each change exactly once. */
export const listProductChanges = defineEndpoint({
  tool: 'list_product_changes',
  title: 'List changed products',
  description:
    'Products changed since a time or cursor, each change once. Shop-level assignment may not count as a change.',
  path: '/api/product/delta',
  toolset: 'catalog',
  input: z.strictObject({
    ...changeFeed('date_updated'),
    language_code: languageCode,
    location_id: stockLocation,
  }),
  output: changesOf({ ...product, date_updated: timestamp }),
  noun: 'changed products',
  capabilities: inventory,
  namedIds: ['product_group_id'],
});

/** docs/platform.md#what-is-not-documented: its parameters are completed from openapi.json. */
export const listStock = defineEndpoint({
  tool: 'list_stock',
  title: 'List stock',
  description: 'Stock per product and location. For one product by name use search_products.',
  path: '/api/stock',
  toolset: 'catalog',
  input: z.strictObject({ location_id: stockLocation, ...wholeList() }),
  output: listOf({}),
  noun: 'stock rows',
  hasOpenParameters: true,
  capabilities: inventory,
  namedIds: ['location_id'],
});
