/** What a statement costs, and the refusal of one that costs too much. */
import type { Budget } from '../../client/client.ts';
import { InputError } from '../../core/errors.ts';
import { countNoun } from '../../core/text.ts';
import type { TableRead } from './asks.ts';

/** A table, and the requests that it takes as far as is known. */
export interface TableCost {
  read: TableRead;
  calls: number;
}

/**
 * Refuses a statement that would take too many requests, as far as is known.
 * @param spent requests that were made for it
 * @throws InputError with the number, the time and what to do
 */
export function refuseCost(
  costs: readonly TableCost[],
  spent: number,
  maxCalls: number,
  budget: Budget | undefined,
): void {
  const missing = costs.reduce((sum, { calls }) => sum + calls, 0);
  const needed = spent + missing;
  if (needed <= maxCalls) return;
  const largest = [...costs].sort((a, b) => b.calls - a.calls).slice(0, 4);
  throw new InputError(
    [
      `query: this statement takes up to ${count(needed)} platform calls, and max_calls is ${count(maxCalls)}: ${largest.map(sayCost).join(', ')}.`,
      `${sayTime(missing, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
    'max_calls',
  );
}

function sayCost({ read: { tool, asks }, calls }: TableCost): string {
  const carried = Object.keys(asks[0]?.carried ?? {}).join(' and ');
  const made = asks.filter(({ kept }) => kept === undefined).length;
  const values = `${count(made)} values${carried && ` of ${carried}`}`;
  const why = asks.length === 1 ? countNoun(calls, 'page') : values;
  const kept = `; lines of ${count(asks.length - made)} of ${count(asks.length)} orders are kept`;
  return `${tool.tool} ${count(calls)} (${why}${made < asks.length ? kept : ''})`;
}

/** How long so many requests take at the present budget, as a sentence. */
function sayTime(calls: number, budget: Budget | undefined): string {
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
