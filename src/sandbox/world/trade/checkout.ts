/** What happens to an order once it is made up: how it is paid, and how it moves on. */
import type { Chance, Choices } from '../business/chance.ts';
import { METHOD } from '../business/ledgers.ts';
import type { Trade } from '../business/places.ts';
import { roundingLine } from './basket.ts';
import {
  type Change,
  isRevenue,
  type Line,
  type Payment,
  type Status,
  totalWtOf,
} from './order.ts';

/** The lines with their rounding, and what was received for them. */
export interface Settlement {
  lines: readonly Line[];
  totalWtCents: number;
  payments: readonly Payment[];
  isPaid: boolean;
}

/** No order changes by itself later than this many days after it was placed. */
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

/** Settles an order; the payments of a paid order add up to its total. */
export function settle(chance: Chance, trade: Trade, lines: readonly Line[]): Settlement {
  const totalWtCents = totalWtOf(lines);
  if (totalWtCents === 0) return { lines, totalWtCents, payments: [], isPaid: true };
  // Invoices are for goods: tips, deposits and gift cards are paid on the spot.
  if (totalWtCents > 0 && lines.every(isRevenue) && chance.happens(INVOICED_SHARE[trade])) {
    return { lines, totalWtCents, payments: [], isPaid: false };
  }
  const methodId = chance.pick(METHODS[trade]);
  if (methodId === METHOD.Cash.id) return settleInCash(lines, totalWtCents);
  const byCard = drawGiftCard(chance, trade, lines, totalWtCents);
  const rest = { methodId, amountCents: totalWtCents - (byCard?.amountCents ?? 0) };
  return { lines, totalWtCents, payments: byCard ? [byCard, rest] : [rest], isPaid: true };
}

/** Draws the life of an order; some are never touched, and their `date_updated` stays null. */
export function drawProgress(
  chance: Chance,
  trade: Trade,
  placedMs: number,
): { firstStatus: Status; changes: readonly Change[] } {
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

function settleInCash(lines: readonly Line[], exactCents: number): Settlement {
  const totalWtCents = Math.round(exactCents / 5) * 5;
  const differenceCents = totalWtCents - exactCents;
  return {
    lines: differenceCents === 0 ? lines : [...lines, roundingLine(differenceCents)],
    totalWtCents,
    payments: totalWtCents === 0 ? [] : [{ methodId: METHOD.Cash.id, amountCents: totalWtCents }],
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
