/** Payloads of the accounting reports. Plain amounts exclude VAT, `_wt` includes it. */
import {
  array,
  boolean,
  date,
  decimal,
  integer,
  nullable,
  object,
  page,
  string,
} from './schema.ts';

const turnover = {
  turnover: decimal('Excl. VAT.'),
  turnover_wt: decimal('Incl. VAT.'),
};

const rates = array(
  object({ tax_rate_id: integer('Rate.'), ...turnover, vat: decimal('VAT.') }),
  'One row a tax rate.',
);

const payments = array(
  object({
    provider_method_type_id: integer('Payment method.'),
    type_alias: string('Its stable key.'),
    name: string('Its name.'),
    amount_wt: decimal('Received.'),
  }),
);

const balanceCheck = object({
  total_wt: decimal('What should have been received.'),
  payments_wt: decimal('What was received.'),
  difference_wt: decimal('Received minus due; negative: too little.'),
  is_balanced: boolean('Whether they are equal.'),
});

const nonRevenue = object({
  gift_cards: decimal('Gift cards sold.'),
  tips: decimal('Tips.'),
  payments_on_invoice: decimal('Invoices settled.'),
  prepayments: decimal('Deposits.'),
  total: decimal('All of these.'),
});

const scope = { location_id: nullable(integer('The location it is limited to; null: all.')) };
const period = { from: date('First day.'), to: date('Last day, included.'), ...scope };

export const reportPayloads = {
  FinancialReport: object({
    ...period,
    revenue: object({
      total_sales: decimal('Sales excl. VAT.'),
      total_sales_wt: decimal('Sales incl. VAT.'),
      total_returns: decimal('Returns excl. VAT.'),
      total_returns_wt: decimal('Returns incl. VAT.'),
      total_differences: decimal('Rounding differences.'),
      total_differences_wt: decimal('Rounding differences.'),
      total_turnover: decimal('Sales minus returns and differences, excl. VAT.'),
      total_turnover_wt: decimal('The same, incl. VAT.'),
      total_cost_of_goods_sold: decimal('Purchase cost of what was sold.'),
      margin: object({
        value: decimal('Turnover excl. VAT minus cost.'),
        percentage: nullable(decimal('Of turnover excl. VAT; null without turnover.')),
      }),
      non_revenue: nonRevenue,
    }),
    direct_paid: object({
      rates,
      ...turnover,
      non_revenue: decimal('Non-revenue money received.'),
      total_wt: decimal('Turnover incl. VAT and non-revenue money: what was due at once.'),
      payments,
      balance_check: balanceCheck,
    }),
    not_paid_now: object({ rates, ...turnover }),
    turnover_by_group: object({
      groups: array(
        object({
          product_group_id: integer('Turnover group.'),
          shops: array(object({ shop_id: integer('Shop.'), ...turnover })),
          ...turnover,
        }),
      ),
      shop_totals: array(object({ shop_id: integer('Shop.'), ...turnover })),
      ...turnover,
    }),
  }),
  PaymentReport: object({
    ...period,
    payments,
    total_wt: decimal('What should have been received.'),
    balance_check: balanceCheck,
  }),
  DailyClose: object({
    date: date('The day.'),
    ...scope,
    ...turnover,
    non_revenue: nonRevenue,
    payments,
    balance_check: balanceCheck,
    order_count: integer('Orders of the day, internal ones not counted.'),
  }),
  ProductSalePage: page(
    object({
      product_id: integer('Inner product id.'),
      shop_product_id: integer('Shop-level product id.'),
      sku: string('SKU.'),
      title: string('Name.'),
      product_group_id: integer('Turnover group.'),
      quantity: integer('Pieces sold less pieces returned.'),
      ...turnover,
      cost_of_goods_sold: decimal('Purchase cost.'),
    }),
  ),
};
