/** What is in an order: the lines that a customer of each trade puts together. */
import type { Chance } from '../business/chance.ts';
import { excludeVat, GROUP, VAT } from '../business/ledgers.ts';
import type { Trade } from '../business/places.ts';
import { type Product, productById } from '../business/products.ts';
import {
  isRevenue,
  type Line,
  type NonRevenueKind,
  type Order,
  type RevenueLine,
  totalWtOf,
} from './order.ts';

const MOST_LINES = { web: 4, till: 4, cafe: 3, restaurant: 6, wholesale: 5 };
const DISCOUNT_SHARE = { web: 0.09, till: 0.05, cafe: 0.02, restaurant: 0.03, wholesale: 0.2 };

/** Draws the lines of one order from the products a trade sells, favourites first. */
export function drawBasket(chance: Chance, trade: Trade, range: readonly Product[]): Line[] {
  if (trade !== 'wholesale' && chance.happens(0.02)) return drawReturn(chance, range);
  if (trade === 'till' && chance.happens(0.03)) {
    return [nonRevenueLine('gift_card', chance.between(2, 10) * 500)];
  }
  if (trade === 'wholesale' && chance.happens(0.12)) {
    const kind = chance.happens(0.4) ? 'prepayment' : 'invoice_payment';
    return [nonRevenueLine(kind, chance.between(2_000, 45_000))];
  }
  const goods = drawProducts(chance, trade, range);
  if (trade === 'web') goods.push(...handling(chance, totalWtOf(goods)));
  const lines: Line[] = [...goods, ...drawDiscount(chance, trade, goods)];
  // Now and then a customer brings one thing back while buying others.
  if (trade === 'till' && chance.happens(0.01)) lines.push(...drawReturnedGoods(chance, range));
  const takesTips = trade === 'cafe' || trade === 'restaurant';
  if (takesTips && totalWtOf(lines) > 0 && chance.happens(0.2)) {
    lines.push(nonRevenueLine('tip', chance.between(1, 12) * 50));
  }
  return lines;
}

/** The line that rounds a cash order to five cents; it is a difference, booked free of VAT. */
export function roundingLine(cents: number): RevenueLine {
  return revenueLine('rounding', 1, cents, VAT.zero, GROUP.corrections.id);
}

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

function drawProducts(chance: Chance, trade: Trade, range: readonly Product[]): RevenueLine[] {
  return Array.from({ length: chance.between(1, MOST_LINES[trade]) }).flatMap(() => {
    const product = range[chance.favourite(range.length)];
    if (product === undefined) return [];
    const quantity = trade === 'wholesale' ? chance.between(3, 12) : chance.happens(0.25) ? 2 : 1;
    return [productLine(product, quantity)];
  });
}

function drawReturnedGoods(chance: Chance, range: readonly Product[]): RevenueLine[] {
  const product = range[chance.favourite(range.length)];
  return product === undefined ? [] : [productLine(product, -1)];
}

/** One thing brought back; where it had been bought at a discount, that is taken back too. */
function drawReturn(chance: Chance, range: readonly Product[]): RevenueLine[] {
  const goods = drawReturnedGoods(chance, range);
  if (!chance.happens(0.25)) return goods;
  const takenBack = goods.map(({ totalWtCents, taxRateId }) => {
    const cents = Math.round(-totalWtCents / 10);
    return revenueLine('discount', -1, cents, taxRateId, GROUP.corrections.id);
  });
  return [...goods, ...takenBack];
}

function handling(chance: Chance, goodsWtCents: number): RevenueLine[] {
  const shippingCents = goodsWtCents < 5_000 ? 495 : 0;
  const lines = [revenueLine('shipping', 1, shippingCents, VAT.high, GROUP.handling.id)];
  if (chance.happens(0.06)) lines.push(revenueLine('payment', 1, 95, VAT.high, GROUP.handling.id));
  return lines;
}

/** One discount line for each tax rate in the order; one order in a hundred is free altogether. */
function drawDiscount(chance: Chance, trade: Trade, lines: readonly RevenueLine[]): RevenueLine[] {
  const isFree = chance.happens(0.01);
  if (!isFree && !chance.happens(DISCOUNT_SHARE[trade])) return [];
  const share = isFree ? 1 : chance.pick([0.05, 0.1, 0.15, 0.25]);
  return Object.values(VAT).flatMap((taxRateId) => {
    const atThisRate = lines.filter((line) => line.taxRateId === taxRateId);
    const cents = Math.round(totalWtOf(atThisRate) * share);
    return cents === 0 ? [] : [revenueLine('discount', 1, -cents, taxRateId, GROUP.corrections.id)];
  });
}

function productLine(product: Product, quantity: number): RevenueLine {
  const totalWtCents = product.priceWtCents * quantity;
  const { taxRateId, productGroupId } = product;
  return {
    ...revenueLine('product', quantity, totalWtCents, taxRateId, productGroupId),
    productId: product.id,
    costCents: product.costCents * quantity,
  };
}

function revenueLine(
  kind: RevenueLine['kind'],
  quantity: number,
  totalWtCents: number,
  taxRateId: number,
  productGroupId: number,
): RevenueLine {
  const amounts = { totalWtCents, totalExCents: excludeVat(totalWtCents, taxRateId) };
  return { kind, productId: null, quantity, ...amounts, taxRateId, productGroupId, costCents: 0 };
}

function nonRevenueLine(kind: NonRevenueKind, cents: number): Line {
  return { kind, quantity: 1, totalWtCents: cents, totalExCents: cents };
}
