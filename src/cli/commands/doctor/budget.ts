import type { Budget } from '../../../client/client.ts';
import { quote } from '../../../core/text.ts';
import type { Finding } from './check.ts';

/** A smaller part of the budget than this, right after start, was used by somebody else. */
const scarcePart = 0.1;

/** The finding about the rate budget of the key; undefined where no answer reported one (section 8.4). */
export function judgeBudget(budget: Budget | undefined): Finding {
  if (budget === undefined)
    return {
      verdict: 'warning',
      detail: 'the platform reported no budget, which does not mean that none is left',
      remedy:
        'Nothing to do: requests are paced by what answers say, and carefully until one says it.',
    };
  const { limit, remaining, windowSeconds, resetsInSeconds, policy } = budget;
  const ceilings = policy.map(
    ({ name, quota, windowSeconds: length }) =>
      `${quote(name, 20)} ${quota}${length === undefined ? '' : ` per ${length} s`}`,
  );
  const detail = [
    `${remaining} of ${limit} requests left in this window of ${windowSeconds} s`,
    `the next begins in ${resetsInSeconds} s`,
    ...(ceilings.length > 0 ? [`ceilings: ${ceilings.join(', ')}`] : []),
  ].join('; ');
  if (remaining >= limit * scarcePart) return { verdict: 'ok', detail };
  return {
    verdict: 'warning',
    detail,
    remedy: `Calls will wait up to ${resetsInSeconds} s. Does another integration use this key? One key serves one integration: ask for one of your own.`,
  };
}
