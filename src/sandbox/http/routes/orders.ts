/** Orders: list, one order, its lines, the change feed, discounted orders. */
import { z } from 'zod';
import { dayNumber } from '../../world/business/calendar.ts';
import type { Order } from '../../world/trade/order.ts';
import { endpoint } from '../endpoint.ts';
import { feedPlace, feedStart, flag, id, limit, paging, period, statuses } from '../parameters.ts';
import { feed, list, page, type Request } from '../payload.ts';
import { notFound } from '../problem.ts';
import { covers, requireBinding, visibleShops } from '../scope.ts';
import { itemsOf, orderHeader, orderItem, orderRow } from './order-rows.ts';

const shop_id = id('One sales channel (shop id, not location id).');

const listOrders = endpoint({
  path: '/api/order',
  summary: 'Orders placed in a period, newest first',
  query: period.safeExtend({
    shop_id,
    status: statuses,
    is_internal: flag('1 internal orders only, 0 none; omitted: the platform default, none.'),
    is_paid: flag('1 paid orders only, 0 unpaid ones only.'),
    segment_id: id('Orders of customers of one segment.'),
    ...paging(100, 500),
  }),
  payload: page(orderRow),
  answer({ from, to = from, start, limit, ...wanted }, { world, caller }) {
    const filter = {
      shopIds: visibleShops(caller.role, world.shops, wanted.shop_id),
      statuses: wanted.status?.split(',').map((word) => word.trim()),
      isInternal: wanted.is_internal,
      isPaid: wanted.is_paid,
      segmentId: wanted.segment_id,
    };
    const days = [dayNumber(from), dayNumber(to)] as const;
    const { total, orders } = world.ledger.page(...days, filter, start, limit);
    return { rows: orders, total, start, limit };
  },
});

/** Where the order feed goes on: at this moment, from this order id up. */
const orderCursor = z.object({ feed: z.literal('order'), ms: z.int(), id: z.int() });

// At least once: a full page is followed from its own last row on, which therefore comes twice; a
// page that was not full is followed from its last moment on (docs/platform.md#change-feeds).
const listOrderChanges = endpoint({
  path: '/api/order/delta',
  summary: 'Orders changed since a time or a cursor, by date_updated and id',
  query: z.object({ ...feedStart, limit: limit(100, 250) }),
  payload: feed(orderRow),
  answer({ limit, ...start }, { world, caller }) {
    const place = feedPlace(start, orderCursor, (ms) => ({ feed: 'order', ms, id: 0 }));
    const isSeen = ({ locationId }: Order) => covers(caller.role.scope, locationId);
    const changes = world.ledger.changes(place, limit, isSeen);
    const last = changes.at(-1);
    const hasMore = changes.length === limit;
    // A page of one row could never go on from that same row.
    const nextId = last === undefined || !hasMore ? 0 : last.order.id + (limit === 1 ? 1 : 0);
    const cursor = last ? { feed: 'order', ms: last.atMs, id: nextId } : place;
    return { rows: changes.map(({ order }) => order), cursor, hasMore };
  },
});

const getOrder = endpoint({
  path: '/api/order/{id}',
  summary: 'One order with its addresses',
  payload: orderHeader,
  answer: ({ id }, request) => findOrder(id, request),
});

const listOrderItems = endpoint({
  path: '/api/order/{id}/item',
  summary: 'All lines of an order, product lines and others',
  payload: list(orderItem),
  answer: ({ id }, request) => itemsOf(findOrder(id, request)),
});

const listDiscountOrders = endpoint({
  path: '/api/discount-order',
  summary: 'Discounted orders of a period, not paged',
  query: period.safeExtend({
    shop_id,
    only_full: flag('Only orders whose own total is zero.'),
    include_negative: flag('Also negative discounts (refund-like corrections).'),
  }),
  payload: list(orderRow),
  problems: [403],
  answer({ from, to, shop_id, only_full, include_negative }, { world, caller }) {
    requireBinding(caller.role, world.locations);
    return world
      .orders(from, to, { shopIds: visibleShops(caller.role, world.shops, shop_id) })
      .filter(({ discountWtCents: cents }) => (include_negative ? cents !== 0 : cents > 0))
      .filter(({ totalWtCents }) => !only_full || totalWtCents === 0);
  },
});

/** The endpoints of orders; fixed paths come before those with an id. */
export const orders = [listOrders, listOrderChanges, getOrder, listOrderItems, listDiscountOrders];

/** Missing and out of scope are the same (docs/platform.md#order-lines). */
function findOrder(id: number, { world, caller }: Request): Order {
  const order = world.order(id);
  if (order === undefined || !covers(caller.role.scope, order.locationId)) throw notFound('order');
  return order;
}
