/** Payloads of orders and customers. */
import { address } from './reference.ts';
import {
  array,
  boolean,
  decimal,
  delta,
  integer,
  list,
  moment,
  nullable,
  object,
  page,
  string,
} from './schema.ts';

const orderFields = {
  id: integer('Order id: the path id of /api/order/{id}.'),
  order_number: { description: 'Human-facing, a string or an integer; never a path id.' },
  shop_id: integer('Sales channel.'),
  relation_data_id: integer('Customer id.'),
  customer_name: nullable(string('Name of the customer.')),
  segment_id: nullable(integer('Segment of the customer.')),
  status: string('new, processing, shipped or complete.'),
  is_internal: boolean('Internal orders count in no report.'),
  is_paid: boolean('False for invoices still unpaid.'),
  total_wt: decimal('Order total incl. VAT.'),
  total_ex: decimal('Order total excl. VAT: the sum of what the lines exclude.'),
  discount_value_wt: decimal('Discount incl. VAT; negative where a return takes one back.'),
  date_created: moment('When it was placed.'),
  date_updated: nullable(moment('When it or its lines last changed; null if never.')),
};

const orderRow = object({
  ...orderFields,
  backoffice_url: string('Link to the order in the back office.'),
});

const lightAddress = nullable(object({ name: string('Addressee.'), ...address }));

const orderItem = object({
  id: integer('Line id.'),
  order_id: integer('Order id.'),
  kind: string(
    'product, shipping, payment, discount, rounding, gift_card, tip, invoice_payment or prepayment.',
  ),
  product_id: nullable(integer('Inner product id, on product lines.')),
  shop_product_id: nullable(integer('Shop-level product id, on product lines.')),
  sku: nullable(string('SKU, on product lines.')),
  title: string('What the line is.'),
  quantity: integer('Pieces; negative on returns.'),
  price_wt: decimal('Per piece, incl. VAT.'),
  total_wt: decimal('Of the line, incl. VAT.'),
  total_ex: decimal('Of the line, excl. VAT.'),
  tax_rate_id: nullable(integer('Rate; null on lines that are no turnover.')),
  product_group_id: nullable(integer('Turnover group; null on lines that are no turnover.')),
});

const customerFields = {
  id: integer('Relation id: `relation_data_id` of orders.'),
  name: string('Company, or first and last name.'),
  first_name: string('First name.'),
  last_name: string('Last name.'),
  company: nullable(string('Company.')),
  email: string('E-mail address.'),
  segment_id: nullable(integer('Customer segment.')),
};

export const orderPayloads = {
  OrderPage: page(orderRow),
  OrderDelta: delta(orderRow),
  DiscountOrderList: list(orderRow),
  Order: object({
    ...orderFields,
    billing_address: lightAddress,
    shipping_address: lightAddress,
    payments: array(
      object({
        provider_method_type_id: integer('Payment method.'),
        amount_wt: decimal('Amount received.'),
      }),
    ),
  }),
  OrderItemList: list(orderItem),
  CustomerPage: page(object(customerFields)),
  Customer: object({
    ...customerFields,
    phone: string('Telephone.'),
    address: object(address),
  }),
  CustomerSegmentList: list(
    object({
      id: integer('What `segment_id` means.'),
      name: string('Name.'),
      customer_count: integer('Members.'),
      product_prices_count: integer('Custom prices the segment carries.'),
    }),
  ),
};
