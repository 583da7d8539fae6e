/** Orders as the platform shows them: rows, one header, line items. */

import { euros } from '../../wire/envelope.ts';
import { formatMoment } from '../../world/business/calendar.ts';
import type { Customer } from '../../world/business/customers.ts';
import { productById } from '../../world/business/products.ts';
import { isRevenue, type Line, lastChange, type Order, statusAt } from '../../world/trade/order.ts';
import type { Request } from '../route.ts';
import { addressFields } from './address.ts';

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

/** A row of the order list, the change feed and the discount list. */
export function orderRow(order: Order, request: Request) {
  return {
    ...orderFields(order, request),
    backoffice_url: `${request.baseUrl}/backoffice/order/${order.id}`,
  };
}

/** The single-order answer: addresses and payments, no back-office link. */
export function orderHeader(order: Order, request: Request) {
  const customer = request.world.customer(order.relationId);
  const address = customer === undefined ? null : lightAddress(customer);
  return {
    ...orderFields(order, request),
    billing_address: address,
    shipping_address: address,
    payments: order.payments.map(({ methodId, amountCents }) => ({
      provider_method_type_id: methodId,
      amount_wt: euros(amountCents),
    })),
  };
}

/** A line item; amounts incl. VAT as given, excl. VAT once per line. */
export function itemRow(order: Order, line: Line, index: number) {
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

function orderFields(order: Order, { world }: Request) {
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

function lightAddress({ name, address }: Customer) {
  return { name, ...addressFields(address) };
}
