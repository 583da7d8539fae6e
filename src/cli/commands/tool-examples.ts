/** How a tool is tried from a terminal. */
export interface Example {
  /** What follows `call`, quoted for a shell. */
  call: string;
  /** What shows an id for it first, where days change the ids. */
  first?: string;
  /** It names ids of the sandbox: another account has others. */
  isOfSandbox?: true;
}

const lookUp = 'list_orders period=yesterday limit=3 fields=id,order_number';

/** An example for each tool, by its name; each runs on the sandbox as it stands. */
export const examples: Readonly<Record<string, Example>> = {
  get_me: { call: 'get_me' },
  search_customers: { call: 'search_customers q=jansen limit=5' },
  get_customer: { call: 'get_customer customer_id=20001', isOfSandbox: true },
  list_customer_segments: { call: 'list_customer_segments' },
  get_financial_report: { call: 'get_financial_report period=last_month' },
  get_payment_report: { call: 'get_payment_report period=last_week' },
  get_daily_close: { call: 'get_daily_close date=yesterday' },
  get_product_sales: { call: 'get_product_sales period=last_week' },
  list_discount_orders: { call: 'list_discount_orders period=last_week' },
  list_orders: { call: 'list_orders period=yesterday limit=5' },
  get_order: { call: 'get_order order_id=ID', first: lookUp },
  list_order_items: { call: 'list_order_items order_id=ID', first: lookUp },
  list_order_changes: { call: 'list_order_changes since=yesterday' },
  search_products: { call: 'search_products q=koffie' },
  get_product: { call: 'get_product shop_product_id=1001', isOfSandbox: true },
  list_product_prices: { call: 'list_product_prices product_ids=1001,1002', isOfSandbox: true },
  list_product_changes: { call: 'list_product_changes since=last_30_days' },
  list_stock: { call: 'list_stock location_id=2', isOfSandbox: true },
  list_shops: { call: 'list_shops' },
  list_locations: { call: 'list_locations' },
  get_location: { call: 'get_location location_id=3', isOfSandbox: true },
  list_tax_rates: { call: 'list_tax_rates country_code=NL' },
  list_turnover_groups: { call: 'list_turnover_groups' },
  list_payment_methods: { call: 'list_payment_methods' },
  find_reference: { call: 'find_reference query=Utrecht' },
  compare_turnover: { call: 'compare_turnover period=last_week by=shop' },
  turnover_trend: { call: 'turnover_trend period=last_8_weeks bucket=week' },
  query: {
    call: `query "sql=SELECT shop_id, count(*) AS orders FROM list_orders(period := 'yesterday') GROUP BY shop_id"`,
  },
  show_figure: {
    call: `show_figure "sql=SELECT bucket, revenue.total_turnover_wt FROM turnover_trend(period := 'last_7_days')"`,
  },
};
