/** The sections that reports are put together from (docs/platform.md#reports). */
import { z } from 'zod';
import { type Amount, type Tally, totalOf } from '../../world/books/tally.ts';
import { PAYMENT_METHODS } from '../../world/business/ledgers.ts';
import { euros } from '../endpoint.ts';

/** Plain amounts exclude VAT, `_wt` includes it. */
export const turnover = {
  turnover: z.number().describe('Excl. VAT.'),
  turnover_wt: z.number().describe('Incl. VAT.'),
};

/** Gift cards sold, tips, payments on invoice and prepayments: no turnover, no VAT. */
export const nonRevenue = z.object({
  gift_cards: z.number().describe('Gift cards sold.'),
  tips: z.number().describe('Tips.'),
  payments_on_invoice: z.number().describe('Invoices settled.'),
  prepayments: z.number().describe('Deposits.'),
  total: z.number().describe('All of these.'),
});

/** Amount per payment method, labelled from the catalogue of methods. */
export const payments = z.array(
  z.object({
    provider_method_type_id: z.int().describe('Payment method.'),
    type_alias: z.string().describe('Its stable key.'),
    name: z.string().describe('Its name.'),
    amount_wt: z.number().describe('Received.'),
  }),
);

/** Whether the payments add up to the total. */
export const balanceCheck = z.object({
  total_wt: z.number().describe('What should have been received.'),
  payments_wt: z.number().describe('What was received.'),
  difference_wt: z.number().describe('Received minus due; negative: too little.'),
  is_balanced: z.boolean().describe('Whether they are equal.'),
});

const rates = z
  .array(
    z.object({
      tax_rate_id: z.int().describe('Rate.'),
      ...turnover,
      vat: z.number().describe('VAT.'),
    }),
  )
  .describe('One row a tax rate.');

/** Sales, returns, differences, turnover, cost and margin. */
export const revenue = z.object({
  total_sales: z.number().describe('Sales excl. VAT.'),
  total_sales_wt: z.number().describe('Sales incl. VAT.'),
  total_returns: z.number().describe('Returns excl. VAT.'),
  total_returns_wt: z.number().describe('Returns incl. VAT.'),
  total_differences: z.number().describe('Rounding differences.'),
  total_differences_wt: z.number().describe('Rounding differences.'),
  total_turnover: z.number().describe('Sales minus returns and differences, excl. VAT.'),
  total_turnover_wt: z.number().describe('The same, incl. VAT.'),
  total_cost_of_goods_sold: z.number().describe('Purchase cost of what was sold.'),
  margin: z.object({
    value: z.number().describe('Turnover excl. VAT minus cost.'),
    percentage: z.number().describe('Of turnover excl. VAT; null without turnover.').nullable(),
  }),
  non_revenue: nonRevenue,
});

/** What was paid on the spot, per rate and per method. */
export const directPaid = z.object({
  rates,
  ...turnover,
  non_revenue: z.number().describe('Non-revenue money received.'),
  total_wt: z.number().describe('Turnover incl. VAT and non-revenue money: what was due at once.'),
  payments,
  balance_check: balanceCheck,
});

/** Invoiced and still unpaid, per rate. */
export const notPaidNow = z.object({ rates, ...turnover });

const shopTurnover = z.array(z.object({ shop_id: z.int().describe('Shop.'), ...turnover }));

/** One row a group with its split over shops, totals per shop and overall. */
export const turnoverByGroup = z.object({
  groups: z.array(
    z.object({
      product_group_id: z.int().describe('Turnover group.'),
      shops: shopTurnover,
      ...turnover,
    }),
  ),
  shop_totals: shopTurnover,
  ...turnover,
});

export function showTurnover(amount: Amount = { wtCents: 0, exCents: 0 }) {
  return { turnover: euros(amount.exCents), turnover_wt: euros(amount.wtCents) };
}

export function showNonRevenue(tally: Tally) {
  return {
    gift_cards: euros(tally.nonRevenue.gift_card),
    tips: euros(tally.nonRevenue.tip),
    payments_on_invoice: euros(tally.nonRevenue.invoice_payment),
    prepayments: euros(tally.nonRevenue.prepayment),
    total: euros(tally.nonRevenueCents()),
  };
}

export function showPayments(tally: Tally) {
  return PAYMENT_METHODS.filter(({ id }) => tally.payments.has(id)).map(({ id, alias, name }) => ({
    provider_method_type_id: id,
    type_alias: alias,
    name,
    amount_wt: euros(tally.payments.get(id) ?? 0),
  }));
}

export function showBalance(tally: Tally) {
  const differenceCents = tally.paymentCents() - tally.directPaidCents();
  return {
    total_wt: euros(tally.directPaidCents()),
    payments_wt: euros(tally.paymentCents()),
    difference_wt: euros(differenceCents),
    is_balanced: differenceCents === 0,
  };
}

export function showRevenue(tally: Tally) {
  const { sales, returns, differences, costCents } = tally;
  const { exCents, wtCents } = tally.turnover();
  const marginCents = exCents - costCents;
  return {
    total_sales: euros(sales.exCents),
    total_sales_wt: euros(sales.wtCents),
    total_returns: euros(returns.exCents),
    total_returns_wt: euros(returns.wtCents),
    total_differences: euros(differences.exCents),
    total_differences_wt: euros(differences.wtCents),
    total_turnover: euros(exCents),
    total_turnover_wt: euros(wtCents),
    total_cost_of_goods_sold: euros(costCents),
    margin: {
      value: euros(marginCents),
      percentage: exCents === 0 ? null : Math.round((marginCents / exCents) * 1e4) / 100,
    },
    non_revenue: showNonRevenue(tally),
  };
}

export function showDirectPaid(tally: Tally) {
  return {
    ...showRates(tally.paidByRate),
    non_revenue: euros(tally.nonRevenueCents()),
    total_wt: euros(tally.directPaidCents()),
    payments: showPayments(tally),
    balance_check: showBalance(tally),
  };
}

/** Groups without turnover are left out. */
export function showTurnoverByGroup(overall: Tally, shops: ReadonlyMap<number, Tally>) {
  const groupIds = [...overall.byGroup.keys()].sort((a, b) => a - b);
  return {
    groups: groupIds.map((groupId) => ({
      product_group_id: groupId,
      shops: [...shops]
        .filter(([, tally]) => tally.byGroup.has(groupId))
        .map(([id, tally]) => ({ shop_id: id, ...showTurnover(tally.byGroup.get(groupId)) })),
      ...showTurnover(overall.byGroup.get(groupId)),
    })),
    shop_totals: [...shops].map(([id, tally]) => ({
      shop_id: id,
      ...showTurnover(tally.turnover()),
    })),
    ...showTurnover(overall.turnover()),
  };
}

export function showRates(byRate: ReadonlyMap<number, Amount>) {
  const rows = [...byRate]
    .sort(([a], [b]) => a - b)
    .map(([taxRateId, amount]) => ({
      tax_rate_id: taxRateId,
      ...showTurnover(amount),
      vat: euros(amount.wtCents - amount.exCents),
    }));
  return { rates: rows, ...showTurnover(totalOf(byRate.values())) };
}
