const lookUp = 'list_orders period=yesterday limit=3 fields=id,order_number';

/**
 * What follows `call`, quoted for a shell, to try each tool: each first line runs as it is. Two lines are a
 * look-up and what is asked with an id of it; `--sandbox` is given where the ids are the sandbox's.
 */
export const examples: Readonly<Record<string, readonly string[]>> = {
  get_me: ['get_me'],
  search_customers: ['search_customers q=jansen limit=5'],
  get_customer: ['get_customer customer_id=20001 --sandbox'],
  list_customer_segments: ['list_customer_segments'],
  get_financial_report: ['get_financial_report period=last_month'],
  get_payment_report: ['get_payment_report period=last_week'],
  get_daily_close: ['get_daily_close date=yesterday'],
  get_product_sales: ['get_product_sales period=last_week'],
  list_discount_orders: ['list_discount_orders period=last_week'],
  list_orders: ['list_orders period=yesterday limit=5'],
  get_order: [lookUp, 'get_order order_id=ID'],
  list_order_items: [lookUp, 'list_order_items order_id=ID'],
  list_order_changes: ['list_order_changes since=yesterday'],
  search_products: ['search_products q=koffie'],
  get_product: ['get_product shop_product_id=1001 --sandbox'],
  list_product_prices: ['list_product_prices product_ids=1001,1002 --sandbox'],
  list_product_changes: ['list_product_changes since=last_30_days'],
  list_stock: ['list_stock location_id=2 --sandbox'],
  list_shops: ['list_shops'],
  list_locations: ['list_locations'],
  get_location: ['get_location location_id=3 --sandbox'],
  list_tax_rates: ['list_tax_rates country_code=NL'],
  list_turnover_groups: ['list_turnover_groups'],
  list_payment_methods: ['list_payment_methods'],
  find_reference: ['find_reference query=Utrecht'],
  compare_turnover: ['compare_turnover period=last_week by=shop'],
  turnover_trend: ['turnover_trend period=last_8_weeks bucket=week'],
  query: [
    `query "sql=SELECT shop_id, count(*) AS orders FROM list_orders(period := 'yesterday') GROUP BY shop_id"`,
  ],
  show_figure: [
    `show_figure "sql=SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_7_days')"`,
  ],
};
