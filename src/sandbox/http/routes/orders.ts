/** Orders: list, one order, its lines, the change feed, discounted orders. */

import { type OrderCursor, readOrderCursor, writeCursor } from '../../wire/cursor.ts';
import { page, wholeList } from '../../wire/envelope.ts';
import {
  flag,
  id,
  number,
  optionalDay,
  paging,
  requiredDay,
  since,
  statusList,
  text,
} from '../../wire/parameter.ts';
import { badParameter, notFound } from '../../wire/problem.ts';
import type { Order } from '../../world/trade/order.ts';
import { defineRoute, type Request } from '../route.ts';
import { covers, requireBinding, visibleShops } from '../scope.ts';
import { itemRow, orderHeader, orderRow } from './order-rows.ts';
import { readPeriod } from './period.ts';

const shopFilter = id('One sales channel (shop id, not location id).');

export const listOrders = defineRoute({
  path: '/api/order',
  summary: 'Orders placed in a period, newest first',
  parameters: {
    from: requiredDay('First day.'),
    to: optionalDay('Last day, included; `from` when omitted.'),
    shop_id: shopFilter,
    status: statusList,
    is_internal: flag('1 internal orders only, 0 none; omitted: the platform default, none.'),
    is_paid: flag('1 paid orders only, 0 unpaid ones only.'),
    segment_id: id('Orders of customers of one segment.'),
    ...paging(100, 500),
  },
  payload: 'OrderPage',
  otherStatuses: [400],
  answer(values, request) {
    const { world, caller } = request;
    const [from, to] = readPeriod(values);
    const filter = {
      shopIds: visibleShops(caller.role, world.shops, values.shop_id),
      statuses: values.status,
      isInternal: values.is_internal,
      isPaid: values.is_paid,
      segmentId: values.segment_id,
    };
    const { start, limit } = values;
    const { total, orders } = world.listing.page(from, to, filter, start, limit);
    return page(
      total,
      orders.map((order) => orderRow(order, request)),
      start,
      limit,
    );
  },
});

export const getOrder = defineRoute({
  path: '/api/order/{id}',
  summary: 'One order with its addresses',
  parameters: {},
  payload: 'Order',
  otherStatuses: [404],
  answer: (_values, request) => orderHeader(findOrder(request), request),
});

export const listOrderItems = defineRoute({
  path: '/api/order/{id}/item',
  summary: 'All lines of an order, product lines and others',
  parameters: {},
  payload: 'OrderItemList',
  otherStatuses: [404],
  answer(_values, request) {
    const order = findOrder(request);
    return wholeList(order.lines.map((line, index) => itemRow(order, line, index)));
  },
});

/**
 * Section 4, rule 6: at least once. A full page is followed from its own last row on, which
 * therefore comes twice; a page that was not full is followed from its last moment on.
 */
export const listOrderChanges = defineRoute({
  path: '/api/order/delta',
  summary: 'Orders changed since a time or a cursor, by date_updated and id',
  parameters: {
    since,
    cursor: text('`next_cursor` of an earlier answer.'),
    limit: number('Rows on a page.', { minimum: 1, maximum: 250, default: 100 }),
  },
  payload: 'OrderDelta',
  otherStatuses: [400],
  answer(values, request) {
    const { world, caller } = request;
    const { limit } = values;
    const place = startOfFeed(values);
    const isVisible = ({ locationId }: Order) => covers(caller.role.scope, locationId);
    const changes = world.changes.from(place, limit, isVisible);
    const last = changes.at(-1);
    const hasMore = changes.length === limit;
    // A page of one row could never go on from that same row.
    const nextId = last === undefined || !hasMore ? 0 : last.order.id + (limit === 1 ? 1 : 0);
    return {
      count: changes.length,
      data: changes.map(({ order }) => orderRow(order, request)),
      next_cursor: writeCursor(last ? { feed: 'order', ms: last.atMs, id: nextId } : place),
      has_more: hasMore,
    };
  },
});

/** Section 4, rule 1. */
export const listDiscountOrders = defineRoute({
  path: '/api/discount-order',
  summary: 'Discounted orders of a period, not paged',
  parameters: {
    from: requiredDay('First day.'),
    to: optionalDay('Last day, included; `from` when omitted.'),
    shop_id: shopFilter,
    only_full: flag('Only orders whose own total is zero.'),
    include_negative: flag('Also negative discounts (refund-like corrections).'),
  },
  payload: 'DiscountOrderList',
  otherStatuses: [400, 403],
  answer(values, request) {
    const { world, caller } = request;
    const [from, to] = readPeriod(values);
    requireBinding(caller.role, world.locations);
    const shopIds = visibleShops(caller.role, world.shops, values.shop_id);
    const rows = world.listing
      .page(from, to, { shopIds })
      .orders.filter(({ discountWtCents }) =>
        values.include_negative === true ? discountWtCents !== 0 : discountWtCents > 0,
      )
      .filter(({ totalWtCents }) => values.only_full !== true || totalWtCents === 0);
    return wholeList(rows.map((order) => orderRow(order, request)));
  },
});

function startOfFeed(values: {
  since: number | undefined;
  cursor: string | undefined;
}): OrderCursor {
  if ((values.since === undefined) === (values.cursor === undefined)) {
    throw badParameter('since', 'give exactly one of since and cursor.');
  }
  if (values.cursor !== undefined) return readOrderCursor(values.cursor);
  return { feed: 'order', ms: values.since ?? 0, id: 0 };
}

/** Rule 7: missing and out of scope are the same. */
function findOrder({ world, id, caller }: Request): Order {
  const order = world.order(id);
  if (order === undefined || !covers(caller.role.scope, order.locationId)) throw notFound('order');
  return order;
}
