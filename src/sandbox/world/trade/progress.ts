/** What happens to an order after it is placed: its statuses and when `date_updated` moves. */
import type { Chance } from '../business/chance.ts';
import type { Trade } from '../business/places.ts';
import type { Change, Status } from './order.ts';

/** The first status of an order and everything that follows. */
export interface Progress {
  firstStatus: Status;
  changes: readonly Change[];
}

/** No order changes later than this many days after it was placed. */
export const LONGEST_PROGRESS_DAYS = 10;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Draws the life of an order; some are never touched, and their `date_updated` stays null for ever.
 */
export function drawProgress(chance: Chance, trade: Trade, placedMs: number): Progress {
  const isUntouched = chance.happens(trade === 'web' || trade === 'wholesale' ? 0.03 : 0.2);
  if (trade !== 'web' && trade !== 'wholesale') {
    if (isUntouched) return { firstStatus: 'complete', changes: [] };
    const atMs = placedMs + chance.between(20, 240) * 1000;
    return { firstStatus: 'new', changes: [{ atMs, status: 'complete' }] };
  }
  if (isUntouched) return { firstStatus: 'new', changes: [] };
  const paidMs = placedMs + chance.between(60, 900) * 1000;
  const shippedMs = paidMs + chance.between(4 * 60, 72 * 60) * MINUTE_MS;
  const changes: Change[] = [
    { atMs: paidMs, status: 'processing' },
    { atMs: shippedMs, status: 'shipped' },
  ];
  if (chance.happens(0.3)) {
    const completeMs = shippedMs + chance.between(24, 144) * HOUR_MS;
    changes.push({ atMs: completeMs, status: 'complete' });
  }
  return { firstStatus: 'new', changes };
}
