/** Orders as the platform shows them: rows, one header, line items. */
import { z } from 'zod';
import { formatMoment } from '../../world/business/calendar.ts';
import { productById } from '../../world/business/products.ts';
import { isRevenue, type Line, lastChange, type Order, statusAt } from '../../world/trade/order.ts';
import { euros, type Request } from '../endpoint.ts';
import { address, showAddress } from './reference.ts';

const fields = {
  id: z.int().describe('Order id: the path id of /api/order/{id}.'),
  order_number: z
    .union([z.string(), z.int()])
    .describe('Human-facing, a string or an integer; never a path id.'),
  shop_id: z.int().describe('Sales channel.'),
  relation_data_id: z.int().describe('Customer id.'),
  customer_name: z.string().describe('Name of the customer.').nullable(),
  segment_id: z.int().describe('Segment of the customer.').nullable(),
  status: z.string().describe('new, processing, shipped or complete.'),
  is_internal: z.boolean().describe('Internal orders count in no report.'),
  is_paid: z.boolean().describe('False for invoices still unpaid.'),
  total_wt: z.number().describe('Order total incl. VAT.'),
  total_ex: z.number().describe('Order total excl. VAT: the sum of what the lines exclude.'),
  discount_value_wt: z
    .number()
    .describe('Discount incl. VAT; negative where a return takes one back.'),
  date_created: z.iso.datetime({ offset: true }).describe('When it was placed.'),
  date_updated: z.iso
    .datetime({ offset: true })
    .describe('When it or its lines last changed; null if never.')
    .nullable(),
};

/** A row of the order list, the change feed and the discount list. */
export const orderRow = z.object({
  ...fields,
  backoffice_url: z.string().describe('Link to the order in the back office.'),
});

const lightAddress = z
  .object({ name: z.string().describe('Addressee.'), ...address.shape })
  .nullable();

/** The single order: addresses and payments, no link. */
export const orderHeader = z.object({
  ...fields,
  billing_address: lightAddress,
  shipping_address: lightAddress,
  payments: z.array(
    z.object({
      provider_method_type_id: z.int().describe('Payment method.'),
      amount_wt: z.number().describe('Amount received.'),
    }),
  ),
});

/** A line of an order. */
export const orderItem = z.object({
  id: z.int().describe('Line id.'),
  order_id: z.int().describe('Order id.'),
  kind: z
    .string()
    .describe(
      'product, shipping, payment, discount, rounding, gift_card, tip, invoice_payment or prepayment.',
    ),
  product_id: z.int().describe('Inner product id, on product lines.').nullable(),
  shop_product_id: z.int().describe('Shop-level product id, on product lines.').nullable(),
  sku: z.string().describe('SKU, on product lines.').nullable(),
  title: z.string().describe('What the line is.'),
  quantity: z.int().describe('Pieces; negative on returns.'),
  price_wt: z.number().describe('Per piece, incl. VAT.'),
  total_wt: z.number().describe('Of the line, incl. VAT.'),
  total_ex: z.number().describe('Of the line, excl. VAT.'),
  tax_rate_id: z.int().describe('Rate; null on lines that are no turnover.').nullable(),
  product_group_id: z
    .int()
    .describe('Turnover group; null on lines that are no turnover.')
    .nullable(),
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

/** Shows an `orderRow`. */
export function showRow(order: Order, request: Request) {
  return {
    ...showFields(order, request),
    backoffice_url: `${request.url}/backoffice/order/${order.id}`,
  };
}

/** Shows an `orderHeader`. */
export function showHeader(order: Order, request: Request) {
  const customer = request.world.customer(order.relationId);
  const address = customer ? { name: customer.name, ...showAddress(customer.address) } : null;
  return {
    ...showFields(order, request),
    billing_address: address,
    shipping_address: address,
    payments: order.payments.map(({ methodId, amountCents }) => ({
      provider_method_type_id: methodId,
      amount_wt: euros(amountCents),
    })),
  };
}

/** Shows an `orderItem`. */
export function showItem(order: Order, line: Line, index: number) {
  const product = isRevenue(line) ? productById(line.productId ?? 0) : undefined;
  return {
    id: order.id * 100 + index + 1,
    order_id: order.id,
    kind: line.kind,
    product_id: product?.id ?? null,
    shop_product_id: product?.shopProductId ?? null,
    sku: product?.sku ?? null,
    title: line.kind === 'product' ? (product?.title[0] ?? '') : LINE_TITLES[line.kind],
    quantity: line.quantity,
    price_wt: euros(line.totalWtCents / line.quantity),
    total_wt: euros(line.totalWtCents),
    total_ex: euros(line.totalExCents),
    tax_rate_id: isRevenue(line) ? line.taxRateId : null,
    product_group_id: isRevenue(line) ? line.productGroupId : null,
  };
}

function showFields(order: Order, { world }: Request) {
  const now = world.now();
  const changed = lastChange(order, now);
  return {
    id: order.id,
    order_number: order.number,
    shop_id: order.shopId,
    relation_data_id: order.relationId,
    customer_name: world.customer(order.relationId)?.name ?? null,
    segment_id: order.segmentId,
    status: statusAt(order, now),
    is_internal: order.isInternal,
    is_paid: order.isPaid,
    total_wt: euros(order.totalWtCents),
    total_ex: euros(order.totalExCents),
    discount_value_wt: euros(order.discountWtCents),
    date_created: formatMoment(order.placedMs),
    date_updated: changed === undefined ? null : formatMoment(changed.atMs),
  };
}
