import type { Budget } from '../../client/client.ts';
import { InputError } from '../../core/errors.ts';

/** What part of a statement costs how many requests. */
export interface CostItem {
  /** Such as `list_order_items`. */
  table: string;
  calls: number;
  /** Such as `1,803 values of order_id`, `19 pages`. */
  why: string;
}

/** A statement that needs more requests than it may make. */
export function tooManyCalls(
  items: readonly CostItem[],
  spent: number,
  maxCalls: number,
  budget: Budget | undefined,
): InputError {
  const needed = items.reduce((total, { calls }) => total + calls, spent);
  const parts = [...items]
    .sort((a, b) => b.calls - a.calls)
    .slice(0, 4)
    .map(({ table, calls, why }) => `${table} ${count(calls)} (${why})`);
  return new InputError(
    [
      `query: this statement takes ${count(needed)} platform calls, and max_calls is ${count(maxCalls)}: ${parts.join(', ')}.`,
      `${sayTime(needed - spent, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
    'max_calls',
  );
}

/** How long so many requests take at the present budget, as a sentence. */
export function sayTime(calls: number, budget: Budget | undefined): string {
  if (budget === undefined) return 'How long that takes is not known yet: no budget was reported.';
  const { limit, remaining, resetsInSeconds, windowSeconds, waiting } = budget;
  const beyond = calls + waiting - remaining;
  if (beyond <= 0) return 'The present rate budget has room for that.';
  const windows = Math.ceil(beyond / Math.max(1, limit));
  const seconds = resetsInSeconds + (windows - 1) * windowSeconds;
  const time = seconds < 90 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return `At the present rate budget (${remaining} of ${limit} left) that takes about ${time}.`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
