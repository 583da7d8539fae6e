/** Accounting reports: financial report, payment report, daily close, product sales. */

import { euros, pageOf } from '../../wire/envelope.ts';
import { id, optionalDay, paging, requiredDay } from '../../wire/parameter.ts';
import { mergeTallies, type ShopTallies } from '../../world/books/accounts.ts';
import { type DayNumber, formatDay } from '../../world/business/calendar.ts';
import { productById } from '../../world/business/products.ts';
import { defineRoute, type Request } from '../route.ts';
import { reportLocation } from '../scope.ts';
import { readPeriod } from './period.ts';
import {
  balanceCheck,
  directPaid,
  nonRevenue,
  notPaidNow,
  payments,
  revenue,
  turnoverByGroup,
  turnoverFields,
} from './report-sections.ts';

const period = {
  from: requiredDay('First day.'),
  to: optionalDay('Last day, included; `from` when omitted.'),
};
const reportScope = id('Only the shops of one location.');

export const getFinancialReport = defineRoute({
  path: '/api/financial-report',
  summary: 'Revenue, paid and unpaid per rate, payments, turnover by group and shop',
  parameters: { ...period, location_id: reportScope },
  payload: 'FinancialReport',
  otherStatuses: [400, 403, 404],
  answer(values, request) {
    const [from, to] = readPeriod(values);
    const { shops, locationId } = talliesOf(request, from, to, values.location_id);
    const tally = mergeTallies(shops.values());
    return {
      ...reportHead(from, to, locationId),
      revenue: revenue(tally),
      direct_paid: directPaid(tally),
      not_paid_now: notPaidNow(tally),
      turnover_by_group: turnoverByGroup(shops),
    };
  },
});

export const getPaymentReport = defineRoute({
  path: '/api/report/payment',
  summary: 'Amount per payment method with the balance check',
  parameters: { ...period, location_id: reportScope },
  payload: 'PaymentReport',
  otherStatuses: [400, 403, 404],
  answer(values, request) {
    const [from, to] = readPeriod(values);
    const { shops, locationId } = talliesOf(request, from, to, values.location_id);
    const tally = mergeTallies(shops.values());
    return {
      ...reportHead(from, to, locationId),
      payments: payments(tally),
      total_wt: euros(tally.directPaidCents()),
      balance_check: balanceCheck(tally),
    };
  },
});

export const getDailyClose = defineRoute({
  path: '/api/report/daily-close',
  summary: 'Daily close (Z-report): turnover, non-revenue, payments, order count',
  parameters: { date: requiredDay('The day.'), location_id: reportScope },
  payload: 'DailyClose',
  otherStatuses: [400, 403, 404],
  answer({ date, location_id }, request) {
    const { shops, locationId } = talliesOf(request, date, date, location_id);
    const tally = mergeTallies(shops.values());
    return {
      date: formatDay(date),
      location_id: locationId ?? null,
      ...turnoverFields(tally.turnover()),
      non_revenue: nonRevenue(tally),
      payments: payments(tally),
      balance_check: balanceCheck(tally),
      order_count: tally.orderCount,
    };
  },
});

export const getProductSales = defineRoute({
  path: '/api/report/product-sale',
  summary: 'What each product sold in a period',
  parameters: {
    ...period,
    shop_id: id('One sales channel.'),
    location_id: reportScope,
    product_group_id: id('Products of one turnover group.'),
    ...paging(100, 500),
  },
  payload: 'ProductSalePage',
  otherStatuses: [400, 403, 404],
  answer(values, request) {
    const [from, to] = readPeriod(values);
    const { shops } = talliesOf(request, from, to, values.location_id);
    const { shop_id, product_group_id, start, limit } = values;
    const chosen = [...shops].filter(([id]) => id === (shop_id ?? id)).map(([, tally]) => tally);
    const rows = [...mergeTallies(chosen).products]
      .map(([productId, sale]) => ({ product: productById(productId), sale }))
      .filter(
        ({ product }) => product?.productGroupId === (product_group_id ?? product?.productGroupId),
      )
      .sort((a, b) => (a.product?.id ?? 0) - (b.product?.id ?? 0));
    return pageOf(rows, { start, limit }, ({ product, sale }) => ({
      product_id: product?.id,
      shop_product_id: product?.shopProductId,
      sku: product?.sku,
      title: product?.title[0],
      product_group_id: product?.productGroupId,
      quantity: sale.quantity,
      ...turnoverFields(sale),
      cost_of_goods_sold: euros(sale.costCents),
    }));
  },
});

function talliesOf(
  { world, caller }: Request,
  from: DayNumber,
  to: DayNumber,
  requestedLocation: number | undefined,
): { shops: ShopTallies; locationId: number | undefined } {
  const locationId = reportLocation(caller.role, requestedLocation, world.locations);
  const shopIds = world.shops
    .filter((shop) => shop.locationId === (locationId ?? shop.locationId))
    .map((shop) => shop.id);
  return { shops: world.accounts.perShop(from, to, shopIds), locationId };
}

function reportHead(from: DayNumber, to: DayNumber, locationId: number | undefined) {
  return { from: formatDay(from), to: formatDay(to), location_id: locationId ?? null };
}
