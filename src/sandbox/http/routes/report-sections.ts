/** The sections that reports are put together from (docs/platform.md#reports). */
import { type Amount, type Tally, totalOf } from '../../world/books/tally.ts';
import { PAYMENT_METHODS } from '../../world/business/ledgers.ts';
import { each, euros, flag, integer, number, part, record, type Shape, text } from '../payload.ts';

/** An amount without VAT, and with it. */
export function turnover<Source>(of: (source: Source) => Amount) {
  return {
    turnover: euros('Excl. VAT.', (source: Source) => of(source).exCents),
    turnover_wt: euros('Incl. VAT.', (source: Source) => of(source).wtCents),
  };
}

/** Gift cards sold, tips, payments on invoice and prepayments: no turnover, no VAT. */
export const nonRevenue = record<Tally>({
  gift_cards: euros('Gift cards sold.', (tally) => tally.nonRevenue.gift_card),
  tips: euros('Tips.', (tally) => tally.nonRevenue.tip),
  payments_on_invoice: euros('Invoices settled.', (tally) => tally.nonRevenue.invoice_payment),
  prepayments: euros('Deposits.', (tally) => tally.nonRevenue.prepayment),
  total: euros('All of these.', (tally) => tally.nonRevenueCents()),
});

/** Amount per payment method, labelled from the catalogue of methods. */
export const payments = each(
  record<{ id: number; alias: string; name: string; cents: number }>({
    provider_method_type_id: integer('Payment method.', ({ id }) => id),
    type_alias: text('Its stable key.', ({ alias }) => alias),
    name: text('Its name.', ({ name }) => name),
    amount_wt: euros('Received.', ({ cents }) => cents),
  }),
  (tally: Tally) =>
    PAYMENT_METHODS.filter(({ id }) => tally.payments.has(id)).map((method) => ({
      ...method,
      cents: tally.payments.get(method.id) ?? 0,
    })),
);

/** Whether the payments add up to the total. */
export const balanceCheck = record<Tally>({
  total_wt: euros('What should have been received.', (tally) => tally.directPaidCents()),
  payments_wt: euros('What was received.', (tally) => tally.paymentCents()),
  difference_wt: euros('Received minus due; negative: too little.', shortage),
  is_balanced: flag('Whether they are equal.', (tally) => shortage(tally) === 0),
});

/** Sales, returns, differences, turnover, cost and margin. */
export const revenue = record<Tally>({
  total_sales: euros('Sales excl. VAT.', (tally) => tally.sales.exCents),
  total_sales_wt: euros('Sales incl. VAT.', (tally) => tally.sales.wtCents),
  total_returns: euros('Returns excl. VAT.', (tally) => tally.returns.exCents),
  total_returns_wt: euros('Returns incl. VAT.', (tally) => tally.returns.wtCents),
  total_differences: euros('Rounding differences.', (tally) => tally.differences.exCents),
  total_differences_wt: euros('Rounding differences.', (tally) => tally.differences.wtCents),
  total_turnover: euros('Sales minus both, excl. VAT.', (tally) => tally.turnover().exCents),
  total_turnover_wt: euros('The same, incl. VAT.', (tally) => tally.turnover().wtCents),
  total_cost_of_goods_sold: euros('Purchase cost of what was sold.', (tally) => tally.costCents),
  margin: part(
    record<Tally>({
      value: euros('Turnover excl. VAT minus cost.', marginCents),
      percentage: number.orNull('Of turnover excl. VAT; null without turnover.', (tally) => {
        const { exCents } = tally.turnover();
        return exCents === 0 ? null : Math.round((marginCents(tally) / exCents) * 1e4) / 100;
      }),
    }),
    (tally) => tally,
  ),
  non_revenue: part(nonRevenue, (tally) => tally),
});

/** What was paid on the spot, per rate and per method. */
export const directPaid = record<Tally>({
  ...rates((tally) => tally.paidByRate),
  non_revenue: euros('Non-revenue money received.', (tally) => tally.nonRevenueCents()),
  total_wt: euros('What was due at once.', (tally) => tally.directPaidCents()),
  payments,
  balance_check: part(balanceCheck, (tally) => tally),
});

/** Invoiced and still unpaid, per rate. */
export const notPaidNow = record<Tally>(rates((tally) => tally.unpaidByRate));

/** What turnover by group is worked out from. */
export interface Split {
  tally: Tally;
  shops: ReadonlyMap<number, Tally>;
}

const shopTurnover = record<{ id: number; amount: Amount }>({
  shop_id: integer('Shop.', ({ id }) => id),
  ...turnover(({ amount }: { amount: Amount }) => amount),
});

/** One row a group with its split over shops, totals per shop and overall. */
export const turnoverByGroup = record<Split>({
  groups: each(
    record<Split & { id: number }>({
      product_group_id: integer('Turnover group.', ({ id }) => id),
      shops: each(shopTurnover, ({ id: groupId, shops }) =>
        [...shops].flatMap(([id, tally]) => {
          const amount = tally.byGroup.get(groupId);
          return amount ? [{ id, amount }] : [];
        }),
      ),
      ...turnover((row: Split & { id: number }) => row.tally.byGroup.get(row.id) ?? totalOf([])),
    }),
    (split) =>
      [...split.tally.byGroup.keys()].sort((a, b) => a - b).map((id) => ({ ...split, id })),
  ),
  shop_totals: each(shopTurnover, ({ shops }) =>
    [...shops].map(([id, tally]) => ({ id, amount: tally.turnover() })),
  ),
  ...turnover(({ tally }: Split) => tally.turnover()),
});

function rates(of: (tally: Tally) => ReadonlyMap<number, Amount>): Record<string, Shape<Tally>> {
  const rate = record<{ id: number; amount: Amount }>({
    tax_rate_id: integer('Rate.', ({ id }) => id),
    ...turnover(({ amount }: { amount: Amount }) => amount),
    vat: euros('VAT.', ({ amount }) => amount.wtCents - amount.exCents),
  });
  return {
    rates: each(rate, (tally) =>
      [...of(tally)].sort(([a], [b]) => a - b).map(([id, amount]) => ({ id, amount })),
    ),
    ...turnover((tally: Tally) => totalOf(of(tally).values())),
  };
}

function shortage(tally: Tally): number {
  return tally.paymentCents() - tally.directPaidCents();
}

function marginCents(tally: Tally): number {
  return tally.turnover().exCents - tally.costCents;
}
