/** Orders and their lines. Amounts are whole cents; a return has negative quantities and amounts. */
import type { DayNumber } from '../business/calendar.ts';

/** Lines that make turnover; each carries a tax rate and a turnover group. */
export type RevenueKind = 'product' | 'shipping' | 'payment' | 'discount' | 'rounding';

/** Money that passes through without being turnover: no VAT, no turnover group. */
export type NonRevenueKind = 'gift_card' | 'tip' | 'invoice_payment' | 'prepayment';

interface LineAmounts {
  quantity: number;
  totalWtCents: number;
  /** Excluded once per line, then only ever summed. */
  totalExCents: number;
}

/** A line that counts as turnover. */
export interface RevenueLine extends LineAmounts {
  kind: RevenueKind;
  /** Inner product id on product lines, null on the others. */
  productId: number | null;
  taxRateId: number;
  productGroupId: number;
  costCents: number;
}

/** A line of an order. */
export type Line = RevenueLine | (LineAmounts & { kind: NonRevenueKind });

/** An amount received (or, on a return, given back) by one payment method. */
export interface Payment {
  methodId: number;
  amountCents: number;
}

/** The statuses of this platform; the API document names `new`, `complete` and `shipped`. */
export const STATUSES = ['new', 'processing', 'shipped', 'complete'] as const;
export type Status = (typeof STATUSES)[number];

/** From `atMs` on the order has `status` and `date_updated` is `atMs`. */
export interface Change {
  atMs: number;
  status: Status;
}

/** An order with everything that will ever happen to it; the clock decides what is visible. */
export interface Order {
  id: number;
  number: number | string;
  shopId: number;
  locationId: number;
  /** The Amsterdam day on which it was placed, and with it booked and paid. */
  day: DayNumber;
  placedMs: number;
  relationId: number;
  segmentId: number | null;
  isInternal: boolean;
  /** False for orders on invoice: these wait in `not_paid_now` and have no payments. */
  isPaid: boolean;
  totalWtCents: number;
  totalExCents: number;
  discountWtCents: number;
  lines: readonly Line[];
  payments: readonly Payment[];
  firstStatus: Status;
  /** In order of time; empty for orders never touched since creation. */
  changes: readonly Change[];
}

/** The change that rules at `now`, if any has happened yet. */
export function lastChange(order: Order, now: number): Change | undefined {
  return order.changes.findLast((change) => change.atMs <= now);
}

/** Its status at `now`. */
export function statusAt(order: Order, now: number): Status {
  return lastChange(order, now)?.status ?? order.firstStatus;
}

/** The sum of lines, incl. VAT, in cents. */
export function totalWtOf(lines: readonly Line[]): number {
  return lines.reduce((total, line) => total + line.totalWtCents, 0);
}

/** Whether a line counts as turnover. */
export function isRevenue(line: Line): line is RevenueLine {
  return 'productGroupId' in line;
}
