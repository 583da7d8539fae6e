/** Accounting reports: financial report, payment report, daily close, product sales. */
import { z } from 'zod';
import type { ProductSale, Tally } from '../../world/books/tally.ts';
import type { Product } from '../../world/business/products.ts';
import { endpoint } from '../endpoint.ts';
import { day as dayParameter, id, paging, period } from '../parameters.ts';
import {
  day,
  euros,
  integer,
  page,
  pageOf,
  part,
  type Request,
  record,
  type Shape,
  text,
} from '../payload.ts';
import { reportLocation } from '../scope.ts';
import * as section from './report-sections.ts';

/** The sums of a period at one location, or at all. */
interface Report {
  from: string;
  to: string;
  locationId: number | undefined;
  tally: Tally;
}

const location = integer.orNull('The location it is limited to; null: all.', locationOf);
const days: Readonly<Record<string, Shape<Report>>> = {
  from: day('First day.', ({ from }) => from),
  to: day('Last day, included.', ({ to }) => to),
  location_id: location,
};
const payments = part(section.payments, tallyOf);
const balance_check = part(section.balanceCheck, tallyOf);

const location_id = id('Only the shops of one location.');

const getFinancialReport = endpoint({
  path: '/api/financial-report',
  summary: 'Revenue, paid and unpaid per rate, payments, turnover by group and shop',
  query: period.safeExtend({ location_id }),
  payload: record<Report & section.Split>({
    ...days,
    revenue: part(section.revenue, tallyOf),
    direct_paid: part(section.directPaid, tallyOf),
    not_paid_now: part(section.notPaidNow, tallyOf),
    turnover_by_group: part(section.turnoverByGroup, (report) => report),
  }),
  problems: [403, 404],
  answer({ from, to, location_id }, request) {
    const report = sumUp(request, from, to, location_id);
    return { ...report, shops: request.world.reportPerShop(from, to, report) };
  },
});

const getPaymentReport = endpoint({
  path: '/api/report/payment',
  summary: 'Amount per payment method with the balance check',
  query: period.safeExtend({ location_id }),
  payload: record<Report>({
    ...days,
    payments,
    total_wt: euros('What should have been received.', ({ tally }) => tally.directPaidCents()),
    balance_check,
  }),
  problems: [403, 404],
  answer: ({ from, to, location_id }, request) => sumUp(request, from, to, location_id),
});

const getDailyClose = endpoint({
  path: '/api/report/daily-close',
  summary: 'Daily close (Z-report): turnover, non-revenue, payments, order count',
  query: z.object({ date: dayParameter('The day.'), location_id }),
  payload: record<Report>({
    date: day('The day.', ({ from }) => from),
    location_id: location,
    ...section.turnover(({ tally }: Report) => tally.turnover()),
    non_revenue: part(section.nonRevenue, tallyOf),
    payments,
    balance_check,
    order_count: integer('Orders, internal ones not counted.', ({ tally }) => tally.orderCount),
  }),
  problems: [403, 404],
  answer: ({ date, location_id }, request) => sumUp(request, date, date, location_id),
});

const getProductSales = endpoint({
  path: '/api/report/product-sale',
  summary: 'What each product sold in a period',
  query: period.safeExtend({
    shop_id: id('One sales channel.'),
    location_id,
    product_group_id: id('Products of one turnover group.'),
    ...paging(100, 500),
  }),
  payload: page(
    record<{ product: Product; sale: ProductSale }>({
      product_id: integer('Inner product id.', ({ product }) => product.id),
      shop_product_id: integer('Shop-level product id.', ({ product }) => product.shopProductId),
      sku: text('SKU.', ({ product }) => product.sku),
      title: text('Name.', ({ product }) => product.title[0]),
      product_group_id: integer('Turnover group.', ({ product }) => product.productGroupId),
      quantity: integer('Pieces sold less pieces returned.', ({ sale }) => sale.quantity),
      ...section.turnover(({ sale }: { sale: ProductSale }) => sale),
      cost_of_goods_sold: euros('Purchase cost.', ({ sale }) => sale.costCents),
    }),
  ),
  problems: [403, 404],
  answer({ from, to, location_id, shop_id, product_group_id, ...window }, request) {
    const { products } = sumUp(request, from, to, location_id, shop_id).tally;
    const sold = request.world.products
      .filter(({ productGroupId }) => productGroupId === (product_group_id ?? productGroupId))
      .flatMap((product) => {
        const sale = products.get(product.id);
        return sale ? [{ product, sale }] : [];
      });
    return pageOf(sold, window);
  },
});

/** The endpoints of reports. */
export const reports = [getFinancialReport, getPaymentReport, getDailyClose, getProductSales];

function sumUp(
  { world, caller }: Request,
  from: string,
  to = from,
  requested?: number,
  shopId?: number,
): Report {
  const locationId = reportLocation(caller.role, requested, world.locations);
  return { from, to, locationId, tally: world.report(from, to, { locationId, shopId }) };
}

function tallyOf({ tally }: Report): Tally {
  return tally;
}

function locationOf({ locationId }: Report): number | undefined {
  return locationId;
}
