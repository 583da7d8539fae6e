/** Accounting reports: financial report, payment report, daily close, product sales. */
import { z } from 'zod';
import { endpoint, euros, page, pageOf, type Request } from '../endpoint.ts';
import { day, id, paging, period } from '../parameters.ts';
import { reportLocation } from '../scope.ts';
import * as section from './report-sections.ts';

const scope = {
  location_id: z.int().describe('The location it is limited to; null: all.').nullable(),
};
const days = {
  from: z.iso.date().describe('First day.'),
  to: z.iso.date().describe('Last day, included.'),
  ...scope,
};

const financialReport = z.object({
  ...days,
  revenue: section.revenue,
  direct_paid: section.directPaid,
  not_paid_now: section.notPaidNow,
  turnover_by_group: section.turnoverByGroup,
});

const paymentReport = z.object({
  ...days,
  payments: section.payments,
  total_wt: z.number().describe('What should have been received.'),
  balance_check: section.balanceCheck,
});

const dailyClose = z.object({
  date: z.iso.date().describe('The day.'),
  ...scope,
  ...section.turnover,
  non_revenue: section.nonRevenue,
  payments: section.payments,
  balance_check: section.balanceCheck,
  order_count: z.int().describe('Orders of the day, internal ones not counted.'),
});

const productSale = z.object({
  product_id: z.int().describe('Inner product id.'),
  shop_product_id: z.int().describe('Shop-level product id.'),
  sku: z.string().describe('SKU.'),
  title: z.string().describe('Name.'),
  product_group_id: z.int().describe('Turnover group.'),
  quantity: z.int().describe('Pieces sold less pieces returned.'),
  ...section.turnover,
  cost_of_goods_sold: z.number().describe('Purchase cost.'),
});

const location_id = id('Only the shops of one location.');

const getFinancialReport = endpoint({
  path: '/api/financial-report',
  summary: 'Revenue, paid and unpaid per rate, payments, turnover by group and shop',
  query: period.safeExtend({ location_id }),
  payload: financialReport,
  problems: [403, 404],
  answer({ from, to = from, location_id }, request) {
    const locationId = locate(request, location_id);
    const tally = request.world.report(from, to, { locationId });
    const shops = request.world.reportPerShop(from, to, { locationId });
    return {
      from,
      to,
      location_id: locationId ?? null,
      revenue: section.showRevenue(tally),
      direct_paid: section.showDirectPaid(tally),
      not_paid_now: section.showRates(tally.unpaidByRate),
      turnover_by_group: section.showTurnoverByGroup(tally, shops),
    };
  },
});

const getPaymentReport = endpoint({
  path: '/api/report/payment',
  summary: 'Amount per payment method with the balance check',
  query: period.safeExtend({ location_id }),
  payload: paymentReport,
  problems: [403, 404],
  answer({ from, to = from, location_id }, request) {
    const locationId = locate(request, location_id);
    const tally = request.world.report(from, to, { locationId });
    return {
      from,
      to,
      location_id: locationId ?? null,
      payments: section.showPayments(tally),
      total_wt: euros(tally.directPaidCents()),
      balance_check: section.showBalance(tally),
    };
  },
});

const getDailyClose = endpoint({
  path: '/api/report/daily-close',
  summary: 'Daily close (Z-report): turnover, non-revenue, payments, order count',
  query: z.object({ date: day('The day.'), location_id }),
  payload: dailyClose,
  problems: [403, 404],
  answer({ date, location_id }, request) {
    const locationId = locate(request, location_id);
    const tally = request.world.report(date, date, { locationId });
    return {
      date,
      location_id: locationId ?? null,
      ...section.showTurnover(tally.turnover()),
      non_revenue: section.showNonRevenue(tally),
      payments: section.showPayments(tally),
      balance_check: section.showBalance(tally),
      order_count: tally.orderCount,
    };
  },
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
  payload: page(productSale),
  problems: [403, 404],
  answer({ from, to, shop_id, location_id, product_group_id, ...window }, request) {
    const { world } = request;
    const scope = { locationId: locate(request, location_id), shopId: shop_id };
    const { products } = world.report(from, to, scope);
    const sold = world.products
      .filter(({ productGroupId }) => productGroupId === (product_group_id ?? productGroupId))
      .map((product) => ({ product, sale: products.get(product.id) }))
      .filter(({ sale }) => sale !== undefined);
    return pageOf(sold, window, ({ product, sale }) => ({
      product_id: product.id,
      shop_product_id: product.shopProductId,
      sku: product.sku,
      title: product.title[0],
      product_group_id: product.productGroupId,
      quantity: sale?.quantity ?? 0,
      ...section.showTurnover(sale),
      cost_of_goods_sold: euros(sale?.costCents ?? 0),
    }));
  },
});

/** The endpoints of reports. */
export const reports = [getFinancialReport, getPaymentReport, getDailyClose, getProductSales];

/** The one location that a report is about; undefined for the whole account. */
function locate({ world, caller }: Request, requested: number | undefined): number | undefined {
  return reportLocation(caller.role, requested, world.locations);
}
