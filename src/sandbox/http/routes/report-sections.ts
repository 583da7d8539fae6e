/** The sections that reports are put together from (section 2, Financial report). */

import { euros } from '../../wire/envelope.ts';
import { mergeTallies, type ShopTallies } from '../../world/books/accounts.ts';
import { type Amount, type Tally, totalOf } from '../../world/books/tally.ts';
import { PAYMENT_METHODS } from '../../world/business/ledgers.ts';

/** Sales, returns, differences, turnover, cost and margin; plain fields exclude VAT. */
export function revenue(tally: Tally) {
  const turnover = tally.turnover();
  const marginCents = turnover.exCents - tally.costCents;
  return {
    total_sales: euros(tally.sales.exCents),
    total_sales_wt: euros(tally.sales.wtCents),
    total_returns: euros(tally.returns.exCents),
    total_returns_wt: euros(tally.returns.wtCents),
    total_differences: euros(tally.differences.exCents),
    total_differences_wt: euros(tally.differences.wtCents),
    total_turnover: euros(turnover.exCents),
    total_turnover_wt: euros(turnover.wtCents),
    total_cost_of_goods_sold: euros(tally.costCents),
    margin: {
      value: euros(marginCents),
      percentage:
        turnover.exCents === 0 ? null : Math.round((marginCents / turnover.exCents) * 1e4) / 100,
    },
    non_revenue: nonRevenue(tally),
  };
}

/** Gift cards sold, tips, payments on invoice and prepayments: no turnover, no VAT. */
export function nonRevenue(tally: Tally) {
  return {
    gift_cards: euros(tally.nonRevenue.gift_card),
    tips: euros(tally.nonRevenue.tip),
    payments_on_invoice: euros(tally.nonRevenue.invoice_payment),
    prepayments: euros(tally.nonRevenue.prepayment),
    total: euros(tally.nonRevenueCents()),
  };
}

/**
 * What was paid on the spot, per rate and per method; the grand total holds non-revenue money too.
 */
export function directPaid(tally: Tally) {
  const turnover = totalOf(tally.paidByRate.values());
  return {
    rates: rates(tally.paidByRate),
    turnover: euros(turnover.exCents),
    turnover_wt: euros(turnover.wtCents),
    non_revenue: euros(tally.nonRevenueCents()),
    total_wt: euros(tally.directPaidCents()),
    payments: payments(tally),
    balance_check: balanceCheck(tally),
  };
}

/** Amount per payment method, labelled from the catalogue of methods. */
export function payments(tally: Tally) {
  return PAYMENT_METHODS.filter(({ id }) => tally.payments.has(id)).map(({ id, alias, name }) => ({
    provider_method_type_id: id,
    type_alias: alias,
    name,
    amount_wt: euros(tally.payments.get(id) ?? 0),
  }));
}

/** Whether the payments add up to the total, and how far they are off (negative: too little). */
export function balanceCheck(tally: Tally) {
  const differenceCents = tally.paymentCents() - tally.directPaidCents();
  return {
    total_wt: euros(tally.directPaidCents()),
    payments_wt: euros(tally.paymentCents()),
    difference_wt: euros(differenceCents),
    is_balanced: differenceCents === 0,
  };
}

/** Invoiced and still unpaid, per rate. */
export function notPaidNow(tally: Tally) {
  const turnover = totalOf(tally.unpaidByRate.values());
  return {
    rates: rates(tally.unpaidByRate),
    turnover: euros(turnover.exCents),
    turnover_wt: euros(turnover.wtCents),
  };
}

/**
 * One row a group with its split over shops, totals per shop and overall; groups without turnover
 * are left out.
 */
export function turnoverByGroup(shops: ShopTallies) {
  const overall = mergeTallies(shops.values());
  const groupIds = [...overall.byGroup.keys()].sort((a, b) => a - b);
  return {
    groups: groupIds.map((groupId) => ({
      product_group_id: groupId,
      shops: [...shops]
        .filter(([, tally]) => tally.byGroup.has(groupId))
        .map(([shopId, tally]) => ({
          shop_id: shopId,
          ...turnoverFields(tally.byGroup.get(groupId)),
        })),
      ...turnoverFields(overall.byGroup.get(groupId)),
    })),
    shop_totals: [...shops].map(([shopId, tally]) => ({
      shop_id: shopId,
      ...turnoverFields(tally.turnover()),
    })),
    ...turnoverFields(overall.turnover()),
  };
}

/** `turnover` excludes VAT, `turnover_wt` includes it. */
export function turnoverFields(amount: Amount = { wtCents: 0, exCents: 0 }) {
  return { turnover: euros(amount.exCents), turnover_wt: euros(amount.wtCents) };
}

function rates(byRate: ReadonlyMap<number, Amount>) {
  return [...byRate]
    .sort(([a], [b]) => a - b)
    .map(([taxRateId, amount]) => ({
      tax_rate_id: taxRateId,
      ...turnoverFields(amount),
      vat: euros(amount.wtCents - amount.exCents),
    }));
}
