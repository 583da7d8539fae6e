/** Orders as the platform shows them: rows, one header, line items. */
import type { Customer } from '../../world/business/customers.ts';
import type { Address } from '../../world/business/places.ts';
import { type Product, productById } from '../../world/business/products.ts';
import {
  isRevenue,
  type Line,
  lastChange,
  type Order,
  type Payment,
  statusAt,
} from '../../world/trade/order.ts';
import {
  each,
  euros,
  flag,
  integer,
  moment,
  numberOrText,
  partOrNull,
  type Request,
  record,
  type Shape,
  text,
} from '../payload.ts';
import { addressFields } from './reference.ts';

const fields: Readonly<Record<string, Shape<Order>>> = {
  id: integer('Order id: the path id of /api/order/{id}.', ({ id }) => id),
  order_number: numberOrText('Human-facing, never a path id.', ({ number }) => number),
  shop_id: integer('Sales channel.', ({ shopId }) => shopId),
  relation_data_id: integer('Customer id.', ({ relationId }) => relationId),
  customer_name: text.orNull('Name of the customer.', (order, at) => customerOf(order, at)?.name),
  segment_id: integer.orNull('Segment of the customer.', ({ segmentId }) => segmentId),
  status: text('new, processing, shipped or complete.', (order, at) =>
    statusAt(order, at.world.now()),
  ),
  is_internal: flag('Internal orders count in no report.', ({ isInternal }) => isInternal),
  is_paid: flag('False for invoices still unpaid.', ({ isPaid }) => isPaid),
  total_wt: euros('Order total incl. VAT.', ({ totalWtCents }) => totalWtCents),
  total_ex: euros('Excl. VAT: the sum of what the lines exclude.', (order) => order.totalExCents),
  discount_value_wt: euros('Negative where a return takes one back.', (o) => o.discountWtCents),
  date_created: moment('When it was placed.', ({ placedMs }) => placedMs),
  date_updated: moment.orNull(
    'When it or its lines last changed; null if never.',
    (order, at) => lastChange(order, at.world.now())?.atMs,
  ),
};

/** A row of the order list, the change feed and the discount list. */
export const orderRow = record<Order>({
  ...fields,
  backoffice_url: text(
    'Link to the back office.',
    ({ id }, { url }) => `${url}/backoffice/order/${id}`,
  ),
});

const lightAddress = record<Address & { name: string }>({
  name: text('Addressee.', ({ name }) => name),
  ...addressFields,
});

function addressee(order: Order, request: Request) {
  const customer = customerOf(order, request);
  return customer && { name: customer.name, ...customer.address };
}

/** The single order: addresses and payments, no link. */
export const orderHeader = record<Order>({
  ...fields,
  billing_address: partOrNull(lightAddress, addressee),
  shipping_address: partOrNull(lightAddress, addressee),
  payments: each(
    record<Payment>({
      provider_method_type_id: integer('Payment method.', ({ methodId }) => methodId),
      amount_wt: euros('Amount received.', ({ amountCents }) => amountCents),
    }),
    ({ payments }) => payments,
  ),
});

const LINE_TITLES: Record<Exclude<Line['kind'], 'product'>, string> = {
  shipping: 'Verzendkosten',
  payment: 'Betaalkosten',
  discount: 'Korting',
  rounding: 'Afronding',
  gift_card: 'Cadeaubon',
  tip: 'Fooi',
  invoice_payment: 'Betaling op factuur',
  prepayment: 'Aanbetaling',
};

/** A line with its place in its order. */
interface Item {
  id: number;
  orderId: number;
  line: Line;
  product: Product | undefined;
}

/** A line of an order. */
export const orderItem = record<Item>({
  id: integer('Line id.', ({ id }) => id),
  order_id: integer('Order id.', ({ orderId }) => orderId),
  kind: text('What it is, such as product, shipping, discount or tip.', ({ line }) => line.kind),
  product_id: integer.orNull('Inner id, on product lines.', ({ product }) => product?.id),
  shop_product_id: integer.orNull('Shop-level id.', ({ product }) => product?.shopProductId),
  sku: text.orNull('SKU, on product lines.', ({ product }) => product?.sku),
  title: text('What the line is.', ({ line: { kind }, product }) =>
    kind === 'product' ? (product?.title[0] ?? '') : LINE_TITLES[kind],
  ),
  quantity: integer('Pieces; negative on returns.', ({ line }) => line.quantity),
  price_wt: euros('Per piece, incl. VAT.', ({ line }) => line.totalWtCents / line.quantity),
  total_wt: euros('Of the line, incl. VAT.', ({ line }) => line.totalWtCents),
  total_ex: euros('Of the line, excl. VAT.', ({ line }) => line.totalExCents),
  tax_rate_id: integer.orNull('Null on lines that are no turnover.', ({ line }) =>
    isRevenue(line) ? line.taxRateId : null,
  ),
  product_group_id: integer.orNull('Null on lines that are no turnover.', ({ line }) =>
    isRevenue(line) ? line.productGroupId : null,
  ),
});

/** The lines of an order, each with its id and its product. */
export function itemsOf({ id: orderId, lines }: Order): Item[] {
  return lines.map((line, index) => {
    const product = isRevenue(line) ? productById(line.productId ?? 0) : undefined;
    return { id: orderId * 100 + index + 1, orderId, line, product };
  });
}

function customerOf({ relationId }: Order, { world }: Request): Customer | undefined {
  return world.customer(relationId);
}
