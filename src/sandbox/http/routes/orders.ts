import { z } from 'zod';
import { amsterdamIso } from '../../../core/calendar.ts';
import { dayNumber } from '../../world/business/calendar.ts';
import { productById } from '../../world/business/products.ts';
import { isRevenue, type Line, lastChange, type Order, statusAt } from '../../world/trade/order.ts';
import { covers, requireBinding, visibleShops } from '../access.ts';
import { endpoint, euros, feed, list, page, type Request } from '../endpoint.ts';
import { feedStart, flag, id, limit, paging, period, readCursor, statuses } from '../parameters.ts';
import { notFound } from '../problem.ts';

const shop_id = id('One sales channel (shop id, not location id).');

export const listOrders = endpoint({
  path: '/api/order',
  query: period.safeExtend({
    shop_id,
    status: statuses,
    is_internal: flag('1 internal orders only, 0 none; omitted: the platform default, none.'),
    is_paid: flag('1 paid orders only, 0 unpaid ones only.'),
    segment_id: id('Orders of customers of one segment.'),
    ...paging(100, 500),
  }),
  answer({ from, to = from, start, limit, ...filters }, request) {
    const { world, caller } = request;
    const filter = {
      shopIds: visibleShops(caller.role, world.shops, filters.shop_id),
      statuses: filters.status?.split(',').map((word) => word.trim()),
      isInternal: filters.is_internal,
      isPaid: filters.is_paid,
      segmentId: filters.segment_id,
    };
    const days = [dayNumber(from), dayNumber(to)] as const;
    const { total, orders } = world.ledger.page(...days, filter, start, limit);
    const rows = orders.map((order) => showRow(order, request));
    return page(rows, total, { start, limit });
  },
});

/** A feed goes on at `ms`, with the orders of that moment from `id` on. */
const orderCursor = z.object({ feed: z.literal('order'), ms: z.int(), id: z.int() });

// Delivers at least once: the cursor after a full page is its last row, which comes twice; after any other page it is
// the last moment (docs/platform.md#change-feeds).
export const listOrderChanges = endpoint({
  path: '/api/order/delta',
  query: z.object({ ...feedStart, limit: limit(100, 250) }),
  answer({ limit, ...start }, request) {
    const { world, caller } = request;
    const from = readCursor(start, orderCursor, (ms) => ({ feed: 'order', ms, id: 0 }));
    const isSeen = ({ locationId }: Order) => covers(caller.role.scope, locationId);
    const changes = world.ledger.changes(from, limit, isSeen);
    const last = changes.at(-1);
    const hasMore = changes.length === limit;
    // A page of one row would otherwise never advance.
    const nextId = last === undefined || !hasMore ? 0 : last.order.id + (limit === 1 ? 1 : 0);
    const cursor = last ? { feed: 'order', ms: last.atMs, id: nextId } : from;
    const rows = changes.map(({ order }) => showRow(order, request));
    return feed(rows, cursor, limit);
  },
});

export const getOrder = endpoint({
  path: '/api/order/{id}',
  answer: ({ id }, request) => showOrder(findOrder(id, request), request),
});

export const listOrderItems = endpoint({
  path: '/api/order/{id}/item',
  answer: ({ id }, request) => list(showItems(findOrder(id, request))),
});

export const listDiscountOrders = endpoint({
  path: '/api/discount-order',
  query: period.safeExtend({
    shop_id,
    only_full: flag('Only orders whose own total is zero.'),
    include_negative: flag('Also negative discounts (refund-like corrections).'),
  }),
  answer({ from, to, shop_id, only_full, include_negative }, request) {
    const { world, caller } = request;
    requireBinding(caller.role, world.locations);
    const orders = world
      .orders(from, to, { shopIds: visibleShops(caller.role, world.shops, shop_id) })
      .filter(({ discountWtCents: cents }) => (include_negative ? cents !== 0 : cents > 0))
      .filter(({ totalWtCents }) => !only_full || totalWtCents === 0);
    return list(orders.map((order) => showRow(order, request)));
  },
});

/** Missing and out-of-scope orders have the same answer (docs/platform.md#order-lines). */
function findOrder(id: number, { world, caller: { role } }: Request): Order {
  const order = world.ledger.order(id);
  if (order === undefined || !covers(role.scope, order.locationId)) throw notFound('order');
  return order;
}

function showFields(order: Order, { world }: Request) {
  const changed = lastChange(order, world.now());
  return {
    id: order.id,
    order_number: order.number,
    shop_id: order.shopId,
    relation_data_id: order.relationId,
    customer_name: world.customer(order.relationId)?.name ?? null,
    segment_id: order.segmentId,
    status: statusAt(order, world.now()),
    is_internal: order.isInternal,
    is_paid: order.isPaid,
    total_wt: euros(order.totalWtCents),
    total_ex: euros(order.totalExCents),
    discount_value_wt: euros(order.discountWtCents),
    date_created: amsterdamIso(order.placedMs),
    date_updated: changed ? amsterdamIso(changed.atMs) : null,
  };
}

function showRow(order: Order, request: Request) {
  const backoffice_url = `${request.url}/backoffice/order/${order.id}`;
  return { ...showFields(order, request), backoffice_url };
}

/** A single order has addresses and payments, but no link. */
function showOrder(order: Order, request: Request) {
  const customer = request.world.customer(order.relationId);
  const address = customer ? { name: customer.name, ...customer.address } : null;
  return {
    ...showFields(order, request),
    billing_address: address,
    shipping_address: address,
    payments: order.payments.map(({ methodId, amountCents }) => {
      return { provider_method_type_id: methodId, amount_wt: euros(amountCents) };
    }),
  };
}

const LINE_TITLES: Record<Exclude<Line['kind'], 'product'>, string> = {
  shipping: 'Verzendkosten',
  payment: 'Betaalkosten',
  discount: 'Korting',
  rounding: 'Afronding',
  gift_card: 'Cadeaubon',
  tip: 'Fooi',
  invoice_payment: 'Betaling op factuur',
  prepayment: 'Aanbetaling',
};

/** Only turnover has a rate and a group, and only product lines a product. */
function showItems({ id: orderId, lines }: Order) {
  return lines.map((line, index) => {
    const { kind, quantity, totalWtCents, totalExCents } = line;
    const revenue = isRevenue(line) ? line : undefined;
    const product = productById(revenue?.productId ?? 0);
    return {
      id: orderId * 100 + index + 1,
      order_id: orderId,
      kind,
      product_id: product?.id ?? null,
      shop_product_id: product?.shopProductId ?? null,
      sku: product?.sku ?? null,
      title: kind === 'product' ? (product?.title[0] ?? '') : LINE_TITLES[kind],
      quantity,
      price_wt: euros(totalWtCents / quantity),
      total_wt: euros(totalWtCents),
      total_ex: euros(totalExCents),
      tax_rate_id: revenue?.taxRateId ?? null,
      product_group_id: revenue?.productGroupId ?? null,
    };
  });
}
