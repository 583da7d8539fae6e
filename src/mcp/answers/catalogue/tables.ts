/** What `tables` says to whoever writes statements, beside what the descriptions of the tools say. */
import type { Texts } from './reader.ts';

export const tableTexts = {
  about_table: ({ table }) => notes[table] ?? '',
  table_notation: () =>
    'Columns without a type: text, ids integer, _wt and _ex decimal; decimal: exact, _wt incl. VAT, _ex and plain excl.; timestamp: Amsterdam time; a.{b, c}: a.b, a.c; [..]: a list; =: what it joins with; seen: there may be others; (empty): no value in twenty rows or more. facts: path, measure, value decimal, split, shop_id, location_id, product_group_id, tax_rate_id, provider_method_type_id (null where none), name, line. Arguments: * must be given; from and to stand in for period; a list or (SELECT ...), of a WITH step too, is one call a value, which its rows carry in a column of its name. WHERE name IN (...) says more of some tables.',
  calendar_too_long: ({ most }) => `calendar: a period has ${most} days at most.`,
} satisfies Partial<Texts>;

const notes: Readonly<Record<string, string>> = {
  get_daily_close: 'One call a day.',
  get_financial_report:
    'Turnover by shop is turnover_by_group.shop_totals, which adds up to revenue.total_turnover; of shop and turnover group together turnover_by_group.groups.shops.',
  get_order: 'One call an order; order_number in place of order_id.',
  list_order_items:
    'One call an order. kind: product, shipping, payment, discount; there may be others.',
  list_orders: 'status: a comma list is one call.',
  list_discount_orders: 'Whether internal orders are in is open.',
  get_product: 'One call a product.',
  list_product_prices: 'product_ids is a comma list: string_agg(id) is one call.',
  list_stock: 'A product may have no row.',
  search_products: 'Whether inactive products are in is open.',
  get_customer: 'One call a customer.',
  search_customers: "q finds cities too. segment_id: the customer's, of orders too.",
  calendar: 'A row a day; asks nothing.',
  result: 'kept rows of an earlier answer',
  tables: 'this',
};
