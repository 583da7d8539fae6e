/** What a statement costs, counted before it is spent. */
import type { Budget } from '../../client/client.ts';
import { InputError } from '../../core/errors.ts';
import { groupBy } from '../../core/group-by.ts';
import { numberIn } from '../../core/json.ts';
import { countNoun } from '../../core/text.ts';
import { largestPage } from '../../endpoints/define.ts';
import type { Ask } from './asks.ts';

/** How many rows of a list are asked for at once. */
export function pageOf({ tool, maxRows }: Ask): number {
  return Math.min(largestPage(tool), maxRows);
}

/** The requests that a call takes, as far as is known: of a list all its pages, once the first was read. */
function costOf(ask: Ask, nowMs: number): number {
  const { tool, input, answer, maxRows } = ask;
  if (tool.calls) return tool.calls(input, nowMs);
  // The platform's pages may be smaller than what was asked for.
  const page = answer?.rows?.length || pageOf(ask);
  return Math.ceil(Math.min(numberIn(answer?.payload.total), maxRows) / page) || 1;
}

/**
 * Refuses calls that would take more requests than the statement may make.
 * @param spent those that it has made
 * @throws InputError with the number, the time and what to do
 */
export function refuseCost(
  asks: readonly Ask[],
  spent: number,
  { maxCalls, nowMs, budget }: { maxCalls: number; nowMs: number; budget: Budget | undefined },
): void {
  const costOfAll = (own: readonly Ask[]) => own.reduce((sum, ask) => sum + costOf(ask, nowMs), 0);
  const missing = costOfAll(asks);
  const needed = spent + missing;
  if (needed <= maxCalls) return;
  const byTool = [...groupBy(asks, ({ tool }) => tool.tool)];
  const said = byTool.map(([tool, own]) => `${tool} ${costOfAll(own).toLocaleString('en-US')}`);
  throw new InputError(
    [
      `query: this statement takes up to ${countNoun(needed, 'platform call')}, and max_calls is ${maxCalls.toLocaleString('en-US')}: ${said.join(', ')}.`,
      `${sayTime(missing, budget)} Nothing of it was read beyond what tells the number, and that is kept.`,
      `Narrow it (a shorter period, one shop, fewer ids in the subquery), or give max_calls: ${needed}.`,
    ].join('\n'),
  );
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
