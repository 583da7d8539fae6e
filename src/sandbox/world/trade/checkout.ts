/** Invents orders: their lines, payments and changes of status. */
import { excludeVat, GROUP, METHOD, type Trade, VAT } from '../business/account.ts';
import type { Chance, Choices } from '../business/chance.ts';
import type { Product } from '../business/products.ts';
import {
  type Change,
  isRevenue,
  type Line,
  type NonRevenueKind,
  type Order,
  type Payment,
  type RevenueLine,
  totalWtOf,
} from './order.ts';

const MAX_LINES = { web: 4, till: 4, cafe: 3, restaurant: 6, wholesale: 5 };
const DISCOUNT_SHARE = { web: 0.09, till: 0.05, cafe: 0.02, restaurant: 0.03, wholesale: 0.2 };

/** Draws the lines of an order from the range of a trade. */
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
  if (trade === 'web') goods.push(...drawHandling(chance, totalWtOf(goods)));
  const lines: Line[] = [...goods, ...drawDiscount(chance, trade, goods)];
  // Sometimes a customer returns one thing while buying others.
  if (trade === 'till' && chance.happens(0.01)) lines.push(...drawReturnedGoods(chance, range));
  const takesTips = trade === 'cafe' || trade === 'restaurant';
  if (takesTips && totalWtOf(lines) > 0 && chance.happens(0.2)) {
    lines.push(nonRevenueLine('tip', chance.between(1, 12) * 50));
  }
  return lines;
}

function drawProducts(chance: Chance, trade: Trade, range: readonly Product[]): RevenueLine[] {
  return Array.from({ length: chance.between(1, MAX_LINES[trade]) }).flatMap(() => {
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

/** Draws lines of an order that returns one product, and its discount if it had one. */
function drawReturn(chance: Chance, range: readonly Product[]): RevenueLine[] {
  const goods = drawReturnedGoods(chance, range);
  if (!chance.happens(0.25)) return goods;
  const takenBack = goods.map(({ totalWtCents, taxRateId }) => {
    const cents = Math.round(-totalWtCents / 10);
    return revenueLine('discount', -1, cents, taxRateId, GROUP.corrections.id);
  });
  return [...goods, ...takenBack];
}

function drawHandling(chance: Chance, goodsWtCents: number): RevenueLine[] {
  const shippingCents = goodsWtCents < 5_000 ? 495 : 0;
  const lines = [revenueLine('shipping', 1, shippingCents, VAT.high, GROUP.handling.id)];
  if (chance.happens(0.06)) lines.push(revenueLine('payment', 1, 95, VAT.high, GROUP.handling.id));
  return lines;
}

/** A discount line for each tax rate; one order in a hundred is free. */
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

export function productLine(product: Product, quantity: number): RevenueLine {
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

/** Orders do not change by themselves later than this many days after they were placed. */
export const LONGEST_PROGRESS_DAYS = 10;

const MINUTE_MS = 60_000;
const AT_THE_COUNTER: Choices<number> = [
  METHOD.TerminalDevice.id,
  ...Array<number>(14).fill(METHOD.TerminalDevice.id),
  ...Array<number>(5).fill(METHOD.Cash.id),
  METHOD.CreditCard.id,
];
const ONLINE: Choices<number> = [
  METHOD.Ideal.id,
  ...Array<number>(13).fill(METHOD.Ideal.id),
  ...Array<number>(2).fill(METHOD.CreditCard.id),
  ...Array<number>(2).fill(METHOD.PayPal.id),
];
const METHODS: Record<Trade, Choices<number>> = {
  web: ONLINE,
  till: AT_THE_COUNTER,
  cafe: AT_THE_COUNTER,
  restaurant: AT_THE_COUNTER,
  wholesale: [METHOD.BankTransfer.id],
};
const INVOICED_SHARE = { web: 0.03, till: 0.004, cafe: 0, restaurant: 0.01, wholesale: 0.65 };

/** Adds rounding to the lines, and pays the total unless it goes on invoice. */
export function settle(
  chance: Chance,
  trade: Trade,
  lines: readonly Line[],
): Pick<Order, 'lines' | 'payments' | 'isPaid'> {
  const totalWtCents = totalWtOf(lines);
  if (totalWtCents === 0) return { lines, payments: [], isPaid: true };
  // Tips, deposits and gift cards are never on invoice.
  if (totalWtCents > 0 && lines.every(isRevenue) && chance.happens(INVOICED_SHARE[trade])) {
    return { lines, payments: [], isPaid: false };
  }
  const methodId = chance.pick(METHODS[trade]);
  if (methodId === METHOD.Cash.id) return settleInCash(lines, totalWtCents);
  const giftCard = drawGiftCard(chance, trade, lines, totalWtCents);
  const remainder = { methodId, amountCents: totalWtCents - (giftCard?.amountCents ?? 0) };
  return { lines, payments: giftCard ? [giftCard, remainder] : [remainder], isPaid: true };
}

/** Draws the changes of an order. Some orders never change, so their `date_updated` stays null. */
export function drawProgress(
  chance: Chance,
  trade: Trade,
  placedMs: number,
): Pick<Order, 'firstStatus' | 'changes'> {
  const isDelivered = trade === 'web' || trade === 'wholesale';
  const isUntouched = chance.happens(isDelivered ? 0.03 : 0.2);
  if (isUntouched) return { firstStatus: isDelivered ? 'new' : 'complete', changes: [] };
  if (!isDelivered) {
    const atMs = placedMs + chance.between(20, 240) * 1000;
    return { firstStatus: 'new', changes: [{ atMs, status: 'complete' }] };
  }
  const paidMs = placedMs + chance.between(60, 900) * 1000;
  const shippedMs = paidMs + chance.between(4 * 60, 72 * 60) * MINUTE_MS;
  const changes: Change[] = [
    { atMs: paidMs, status: 'processing' },
    { atMs: shippedMs, status: 'shipped' },
  ];
  if (chance.happens(0.3)) {
    const completeMs = shippedMs + chance.between(24, 144) * 60 * MINUTE_MS;
    changes.push({ atMs: completeMs, status: 'complete' });
  }
  return { firstStatus: 'new', changes };
}

function settleInCash(lines: readonly Line[], exactCents: number): ReturnType<typeof settle> {
  const amountCents = Math.round(exactCents / 5) * 5;
  const differenceCents = amountCents - exactCents;
  // Differences are free of VAT.
  const rounding = revenueLine('rounding', 1, differenceCents, VAT.zero, GROUP.corrections.id);
  return {
    lines: differenceCents === 0 ? lines : [...lines, rounding],
    payments: amountCents === 0 ? [] : [{ methodId: METHOD.Cash.id, amountCents }],
    isPaid: true,
  };
}

function drawGiftCard(
  chance: Chance,
  trade: Trade,
  lines: readonly Line[],
  totalWtCents: number,
): Payment | undefined {
  if (trade !== 'web' && trade !== 'till') return undefined;
  const amountCents = chance.between(1, 3) * 1_000;
  if (!lines.every(isRevenue) || totalWtCents <= amountCents) return undefined;
  return chance.happens(0.05) ? { methodId: METHOD.GiftCard.id, amountCents } : undefined;
}
