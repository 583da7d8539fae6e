import { productById } from '../../src/sandbox/world/business/products.ts';
import { productLine } from '../../src/sandbox/world/trade/checkout.ts';
import { isRevenue, type Order } from '../../src/sandbox/world/trade/order.ts';

/** The order with one piece more of its first product, paid for as the order is; free ones stay. */
export function withOnePieceMore(order: Order): Order {
  const first = order.lines.find((line) => isRevenue(line) && line.productId !== null);
  const product = first && isRevenue(first) ? productById(first.productId ?? 0) : undefined;
  const [payment, ...others] = order.payments;
  const isFree = order.isPaid && !order.isInternal && payment === undefined;
  if (product === undefined || isFree) return order;
  const line = productLine(product, 1);
  return {
    ...order,
    totalWtCents: order.totalWtCents + line.totalWtCents,
    totalExCents: order.totalExCents + line.totalExCents,
    lines: [...order.lines, line],
    payments: payment
      ? [{ ...payment, amountCents: payment.amountCents + line.totalWtCents }, ...others]
      : [],
  };
}
