import { z } from 'zod';
import {
  changesOf,
  code,
  decimal,
  defineEndpoint,
  fieldsOf,
  integer,
  listOf,
  outputOnly,
  text,
  timestamp,
  unsent,
} from './define.ts';
import {
  changeFeed,
  compactList,
  flag,
  id,
  page,
  range,
  segmentRef,
  shopRef,
  wholeList,
  words,
} from './parameters.ts';

const order = {
  id: integer,
  order_number: code,
  relation_data_id: integer,
  shop_id: integer,
  discount_value_wt: decimal,
  date_updated: timestamp,
};

/** Gives an order by its id, or by the number that people know. */
const orderReference = {
  order_id: id.optional().describe('Order id; not the order_number'),
  order_number: words.optional().describe('Instead of order_id').meta(unsent),
  period: words.optional().describe('Where to look for order_number; default 90 days').meta(unsent),
};

/** docs/platform.md#orders: there may be others. */
const statuses = ['new', 'complete', 'shipped'];

/** docs/platform.md#orders. */
export const listOrders = defineEndpoint({
  tool: 'list_orders',
  title: 'List orders',
  description:
    'Orders of a period, newest first. Counts and sums: limit 0. Totals hold gift cards, tips, prepayments; turnover (reports) does not.',
  path: '/api/order',
  toolset: 'orders',
  isOfCustomer: true,
  input: z.strictObject({
    ...range,
    shop_id: shopRef.optional(),
    status: words.overwrite(compactList).optional().describe(`Comma list, e.g. ${statuses.join()}`),
    is_internal: flag.optional().describe('true: only, false: none, omitted: platform default'),
    is_paid: flag.optional().describe('Only paid, or only unpaid'),
    segment_id: segmentRef.optional(),
    ...page(100, 500, '<order columns|order_number>'),
  }),
  output: listOf(order),
  noun: 'orders',
  knownValues: { status: statuses },
  namedIds: ['shop_id', 'segment_id'],
});

/** docs/platform.md#orders. */
export const getOrder = defineEndpoint({
  tool: 'get_order',
  title: 'Get an order',
  description: 'Order header with addresses, and its lines if asked.',
  path: '/api/order/{id}',
  toolset: 'orders',
  isOfCustomer: true,
  input: z.strictObject({
    ...orderReference,
    lines: flag.optional().describe('Also its lines').meta(outputOnly),
  }),
  output: fieldsOf(order),
  pathId: 'order_id',
  namedIds: ['shop_id', 'provider_method_type_id'],
});

/** docs/platform.md#order-lines. */
export const listOrderItems = defineEndpoint({
  tool: 'list_order_items',
  title: 'List order lines',
  description: 'All lines of an order; kind tells products from shipping, payment and discount.',
  path: '/api/order/{id}/item',
  toolset: 'orders',
  input: z.strictObject({ ...orderReference, ...wholeList('kind') }),
  output: listOf({ kind: text }),
  pathId: 'order_id',
  noun: 'order lines',
  namedIds: ['tax_rate_id', 'product_group_id'],
});

/** docs/platform.md#change-feeds: at least once, so rows are upserted by id. */
export const listOrderChanges = defineEndpoint({
  tool: 'list_order_changes',
  title: 'List changed orders',
  description:
    'Orders changed since a time or cursor, oldest first; rows can recur: all and query keep each once, in its last version. Payments may not count; never-touched orders are missing.',
  path: '/api/order/delta',
  toolset: 'orders',
  isOfCustomer: true,
  input: z.strictObject({ ...changeFeed('date_updated') }),
  output: changesOf(order),
  noun: 'changed orders',
  namedIds: ['shop_id', 'segment_id'],
});
