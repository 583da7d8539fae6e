/** Orders and their lines. Amounts are whole cents; a return has negative quantities and amounts. */
import type { DayNumber } from '../business/calendar.ts';

/** Lines of turnover have a tax rate and a turnover group. */
export type RevenueKind = 'product' | 'shipping' | 'payment' | 'discount' | 'rounding';

/** Money that is not turnover: without VAT and turnover group. */
export type NonRevenueKind = 'gift_card' | 'tip' | 'invoice_payment' | 'prepayment';

interface LineAmounts {
  quantity: number;
  totalWtCents: number;
  /** Computed once for each line, then only summed. */
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

export type Line = RevenueLine | (LineAmounts & { kind: NonRevenueKind });

/** An amount received, or given back on a return. */
export interface Payment {
  methodId: number;
  amountCents: number;
}

/** The statuses of this platform; the API document names `new`, `complete` and `shipped`. */
export const STATUSES = ['new', 'processing', 'shipped', 'complete'] as const;
export type Status = (typeof STATUSES)[number];

/** From `atMs` on the order has `status`, and `atMs` is its `date_updated`. */
export interface Change {
  atMs: number;
  status: Status;
}

/** An order with its whole future; the clock decides what is visible. */
export interface Order {
  id: number;
  number: number | string;
  shopId: number;
  locationId: number;
  /** The Amsterdam day of placing, booking and paying. */
  day: DayNumber;
  placedMs: number;
  relationId: number;
  segmentId: number | null;
  isInternal: boolean;
  /** False for orders on invoice, which stand in `not_paid_now` and have no payments. */
  isPaid: boolean;
  totalWtCents: number;
  totalExCents: number;
  discountWtCents: number;
  lines: readonly Line[];
  payments: readonly Payment[];
  firstStatus: Status;
  /** In order of time. */
  changes: readonly Change[];
}

/** The last change at `now`, if any. */
export function lastChange(order: Order, now: number): Change | undefined {
  return order.changes.findLast((change) => change.atMs <= now);
}

export function statusAt(order: Order, now: number): Status {
  return lastChange(order, now)?.status ?? order.firstStatus;
}

/** In cents, incl. VAT. */
export function totalWtOf(lines: readonly Line[]): number {
  return lines.reduce((total, line) => total + line.totalWtCents, 0);
}

export function isRevenue(line: Line): line is RevenueLine {
  return 'productGroupId' in line;
}
