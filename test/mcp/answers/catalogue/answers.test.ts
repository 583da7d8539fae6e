import { expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { modelReader } from '../../../../src/mcp/answers/catalogue/catalogue.ts';

const product = { id: 101, shopProductId: 202, title: 'Koffie' };
const days = ['2026-11-01', '2026-11-02', '2026-11-03'];
const orders = { days: { from: '2026-08-22', to: '2026-11-20' }, number: 'W-0' };
const lines = { code: 'lines_of_order', amount: 'total_wt' } as const;

/** Each message with what is said of it to a model. */
test.each<[Message, string]>([
  [
    { code: 'empty_days', count: 2, days: days.slice(0, 2), noun: 'orders', isFiltered: false },
    'no orders at all on 2026-11-01, 2026-11-02 (the period includes them)',
  ],
  [
    { code: 'empty_days', count: 4, days, noun: 'orders', isFiltered: false },
    'no orders at all on 4 days, the first 2026-11-01 (the period includes them)',
  ],
  [
    { code: 'empty_days', count: 1, days: days.slice(0, 1), noun: 'orders', isFiltered: true },
    'none that match on 2026-11-01',
  ],
  [
    {
      code: 'which_customer',
      name: 'jansen',
      count: 3,
      customers: [
        { id: 7, name: 'Jan Jansen', city: 'Haarlem' },
        { id: 9, name: 'Jansen', city: '' },
      ],
    },
    'customer_id: "jansen" may be 3 customers: Jan Jansen (7, Haarlem), Jansen (9) and 1 more. Give one of these ids as customer_id. search_customers finds them by a part of any contact field.',
  ],
  [
    { code: 'which_customer', name: 'zz', count: 0, customers: [] },
    'customer_id: no customer is called "zz". search_customers finds them by a part of any contact field.',
  ],
  [
    { code: 'sees_nothing', refusal: { code: 'not_known_yet' } },
    'This key may see nothing here; an administrator gives it a role. (not known yet)',
  ],
  [{ code: 'no_rows', by: 'shop' }, 'The report carries no figures by shop.'],
  [
    { code: 'no_rows', filters: ['q'], count: 1, noun: 'orders' },
    'Without q there is 1 order. Try a part of the word.',
  ],
  [
    { code: 'no_rows', filters: ['shop_id', 'status'], count: 0, noun: 'orders' },
    'Without shop_id, status there are no orders either.',
  ],
  [
    { code: 'no_rows', name: 'zzz' },
    'Nothing is called "zzz". Try a shorter part of the name. Products are found with search_products. Customers are found with search_customers.',
  ],

  // Arguments.
  [
    { code: 'internal_orders_seen', internal: 1500, orders: 2000 },
    'left out: of these 2,000 orders, internal: 1500',
  ],
  [
    { code: 'internal_orders_known', internal: 'left_out' },
    'left out: internal orders are left out (is_internal: true asks for them)',
  ],
  [{ code: 'order_count', internal: 'left_out' }, 'order_count: internal orders are left out'],
  [
    { code: 'no_such_order', ...orders, looked: 10_000, total: 135_000 },
    'none of the newest 10,000 of 135,000 orders of 2026-08-22 to 2026-11-20 has the number "W-0". Give the period in which it was placed, or its id as order_id.',
  ],
  [
    { code: 'moment_in_future', text: '2026-11-21', now: '2026-11-20T14:05:11+01:00' },
    'since: "2026-11-21" lies in the future; it is now 2026-11-20T14:05:11+01:00 in Amsterdam.',
  ],

  // The lines of an order.
  [{ ...lines, total: '50.00', sum: '50.00' }, 'add up to total_wt 50.00 of the order'],
  [
    { ...lines, total: '45.00', sum: '45.00', included: ['discount'] },
    'add up to total_wt 45.00 of the order, discount included: take it off no second time',
  ],
  [
    { ...lines, total: '45.00', sum: '40.00', twice: 'discount' },
    'add up to total_wt 45.00 of the order without those of kind discount, which the others hold already: do not add them twice',
  ],
  [
    { ...lines, total: '278.15', sum: '278.15', kinds: ['product', 'shipping'] },
    'of kind product and shipping add up to total_wt 278.15 of the order; payment lines are the same money: do not add them',
  ],
  [
    { ...lines, total: '45.00', sum: '50.00' },
    'add up to 50.00, not to total_wt 45.00 of the order',
  ],

  // The ids of products.
  [
    { code: 'product_ids', product },
    'This product has two ids: shop_product_id 202 (for get_product) and inner id 101 (for list_product_prices).',
  ],
  [
    { code: 'product_ids', product, other: { id: 202, shopProductId: 303, title: 'Thee' } },
    '202 is also the inner id of another product, "Thee" (shop_product_id 303). This answer is "Koffie". If the number came from an inner id, ask get_product for shop_product_id 303.',
  ],
  [
    { code: 'product_ids', meant: product },
    '202 is the shop_product_id of "Koffie", whose inner id is 101. product_ids takes inner ids: if that product is meant, ask for 101.',
  ],

  // What arguments meant, and what rows have in common.
  [
    { code: 'found_in_orders', days: orders.days },
    'looked for among the orders of 2026-08-22 to 2026-11-20',
  ],
  [
    { code: 'not_open', columns: ['customer_name', 'segment_id'] },
    'Left out, as they belong to the toolset customers, which is not open here: customer_name, segment_id.',
  ],
  [
    { code: 'one_of', tool: 'get_order', names: ['order_id', 'order_number'], count: 0 },
    'get_order takes exactly one of order_id and order_number; neither came.',
  ],
  [
    { code: 'one_of', tool: 'list_order_changes', names: ['since', 'cursor'], count: 2 },
    'list_order_changes takes exactly one of since and cursor; both came.',
  ],
  [
    { code: 'id_too_small', idField: 'location_id', text: '0' },
    'location_id is an id of 1 or more, or a name, not "0".',
  ],
  [
    { code: 'too_many_prices', most: 200 },
    'prices are read for at most 200 products at once. Give limit or top, or join list_product_prices in query.',
  ],
])('a model is told of $code', (message, text) => {
  expect(modelReader(() => true).say(message)).toBe(text);
});

test('a tool that a reader lacks is not named', () => {
  const reader = modelReader(() => false);
  expect(reader.say({ code: 'vat_in_two_blocks' })).toBe(
    'is direct_paid and not_paid_now together',
  );
  expect(reader.say({ code: 'balance_by_day' })).toBe('');
  expect(reader.say({ code: 'no_rows', name: 'x' })).not.toContain('search_');
});
