import type { Budget } from '../../../client/client.ts';
import { quote } from '../../../core/text.ts';
import type { Finding } from './report.ts';

/** The finding about this machine's clock; `skewSeconds` is the platform's clock minus ours. */
export function judgeClock(skewSeconds: number | undefined): Finding {
  if (skewSeconds === undefined)
    return {
      verdict: 'warning',
      detail: 'the authorization server does not tell the time',
      remedy: 'Nothing to do; make sure that this machine sets its clock from the network.',
    };
  const off = Math.abs(skewSeconds);
  // The `Date` header has whole seconds and travels.
  if (off <= 5) return { verdict: 'ok', detail: 'in step with the platform, within 5 s' };
  return {
    verdict: off <= 60 ? 'warning' : 'failed',
    detail: `this machine's clock is ${duration(off)} ${skewSeconds > 0 ? 'behind' : 'ahead of'} the platform's`,
    remedy:
      'today, yesterday and as_of follow this clock: set it from the network (automatic date and time, NTP).',
  };
}

function duration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const hours = Math.round(minutes / 60);
  if (seconds < 120) return `${seconds} s`;
  if (minutes < 120) return `${minutes} minutes`;
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** The finding about the rate budget of the key; undefined where no answer reported one (docs/platform.md#limits). */
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
  // Right after start, less than a tenth was not left by this process.
  if (remaining >= limit / 10) return { verdict: 'ok', detail };
  return {
    verdict: 'warning',
    detail,
    remedy: `Calls will wait up to ${resetsInSeconds} s. Does another integration use this key? One key serves one integration: ask for one of your own.`,
  };
}
