import { z } from 'zod';
import { type Sums, type Tally, totalOf } from '../../world/books/tally.ts';
import { METHOD } from '../../world/business/account.ts';
import { reportLocation } from '../access.ts';
import { endpoint, euros, type Request, showPage } from '../endpoint.ts';
import { day, id, paging, period } from '../parameters.ts';

const location_id = id('Only the shops of one location.');

export const getFinancialReport = endpoint({
  path: '/api/financial-report',
  query: period.safeExtend({ location_id }),
  answer({ from, to, location_id }, request) {
    const { days, tally, locationId } = sumUp(request, from, to, location_id);
    const shops = request.world.reportPerShop(from, to, { locationId });
    return {
      ...days,
      revenue: revenue(tally),
      direct_paid: directPaid(tally),
      not_paid_now: rates(tally.unpaidByRate),
      turnover_by_group: turnoverByGroup(tally, shops),
    };
  },
});

export const getPaymentReport = endpoint({
  path: '/api/report/payment',
  query: period.safeExtend({ location_id }),
  answer({ from, to, location_id }, request) {
    const { days, tally } = sumUp(request, from, to, location_id);
    return {
      ...days,
      payments: payments(tally),
      total_wt: euros(tally.directPaidCents),
      balance_check: balanceCheck(tally),
    };
  },
});

export const getDailyClose = endpoint({
  path: '/api/report/daily-close',
  query: z.object({ date: day('The day.'), location_id }),
  answer({ date, location_id }, request) {
    const { days, tally } = sumUp(request, date, date, location_id);
    return {
      date,
      location_id: days.location_id,
      ...turnover(tally.turnover),
      non_revenue: nonRevenue(tally),
      payments: payments(tally),
      balance_check: balanceCheck(tally),
      order_count: tally.orderCount,
    };
  },
});

export const getProductSales = endpoint({
  path: '/api/report/product-sale',
  query: period.safeExtend({
    shop_id: id('One sales channel.'),
    location_id,
    product_group_id: id('Products of one turnover group.'),
    ...paging(100, 500),
  }),
  answer({ from, to, location_id, shop_id, product_group_id, ...paging }, request) {
    const { tally } = sumUp(request, from, to, location_id, shop_id);
    const sold = request.world.products
      .filter(({ productGroupId }) => productGroupId === (product_group_id ?? productGroupId))
      .flatMap((product) => {
        const sale = tally.products.get(product.id);
        return sale ? [{ product, sale }] : [];
      });
    return showPage(sold, paging, ({ product, sale }) => ({
      product_id: product.id,
      shop_product_id: product.shopProductId,
      sku: product.sku,
      title: product.title[0],
      product_group_id: product.productGroupId,
      quantity: sale.quantity,
      ...turnover(sale),
      cost_of_goods_sold: euros(sale.costCents),
    }));
  },
});

function sumUp(
  { world, caller }: Request,
  from: string,
  to = from,
  requested?: number,
  shopId?: number,
) {
  const locationId = reportLocation(caller.role, requested, world.locations);
  const tally = world.report(from, to, { locationId, shopId });
  return { days: { from, to, location_id: locationId ?? null }, tally, locationId };
}

function turnover({ exCents, wtCents }: Sums) {
  return { turnover: euros(exCents), turnover_wt: euros(wtCents) };
}

/** Amounts that are neither turnover nor VAT. */
function nonRevenue({ nonRevenueOf, nonRevenueCents }: Tally) {
  return {
    gift_cards: euros(nonRevenueOf('gift_card')),
    tips: euros(nonRevenueOf('tip')),
    payments_on_invoice: euros(nonRevenueOf('invoice_payment')),
    prepayments: euros(nonRevenueOf('prepayment')),
    total: euros(nonRevenueCents),
  };
}

function payments({ payments: received }: Tally) {
  return Object.values(METHOD)
    .filter(({ id }) => received.has(id))
    .map(({ id, alias, name }) => {
      const amount_wt = euros(received.get(id) ?? 0);
      return { provider_method_type_id: id, type_alias: alias, name, amount_wt };
    });
}

/** The difference is negative if payments are too low. */
function balanceCheck({ directPaidCents: due, paymentCents: received }: Tally) {
  return {
    total_wt: euros(due),
    payments_wt: euros(received),
    difference_wt: euros(received - due),
    is_balanced: received === due,
  };
}

function revenue(tally: Tally) {
  const { sales, returns, differences, turnover: total } = tally;
  const marginCents = total.exCents - total.costCents;
  const percentage = Math.round((marginCents / total.exCents) * 1e4) / 100;
  return {
    total_sales: euros(sales.exCents),
    total_sales_wt: euros(sales.wtCents),
    total_returns: euros(-returns.exCents),
    total_returns_wt: euros(-returns.wtCents),
    total_differences: euros(-differences.exCents),
    total_differences_wt: euros(-differences.wtCents),
    total_turnover: euros(total.exCents),
    total_turnover_wt: euros(total.wtCents),
    total_cost_of_goods_sold: euros(total.costCents),
    margin: { value: euros(marginCents), percentage: total.exCents === 0 ? null : percentage },
    non_revenue: nonRevenue(tally),
  };
}

function directPaid(tally: Tally) {
  return {
    ...rates(tally.paidByRate),
    non_revenue: euros(tally.nonRevenueCents),
    total_wt: euros(tally.directPaidCents),
    payments: payments(tally),
    balance_check: balanceCheck(tally),
  };
}

function rates(byRate: ReadonlyMap<number, Sums>) {
  const rows = [...byRate].sort(([a], [b]) => a - b);
  return {
    rates: rows.map(([id, amount]) => {
      const vat = euros(amount.wtCents - amount.exCents);
      return { tax_rate_id: id, ...turnover(amount), vat };
    }),
    ...turnover(totalOf(byRate.values())),
  };
}

function turnoverByGroup(tally: Tally, shops: ReadonlyMap<number, Tally>) {
  const perShop = (amountOf: (tally: Tally) => Sums | undefined) =>
    [...shops].flatMap(([shop_id, each]) => {
      const amount = amountOf(each);
      return amount ? [{ shop_id, ...turnover(amount) }] : [];
    });
  const groups = [...tally.byGroup].sort(([a], [b]) => a - b);
  return {
    groups: groups.map(([id, amount]) => {
      const shops = perShop(({ byGroup }) => byGroup.get(id));
      return { product_group_id: id, shops, ...turnover(amount) };
    }),
    shop_totals: perShop((each) => each.turnover),
    ...turnover(tally.turnover),
  };
}
