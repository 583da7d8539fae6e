import type { Finding } from './check.ts';

/** The `Date` header has whole seconds and travels: less than this is no skew. */
const unnoticedSeconds = 5;

/** Beyond this the figures of "today" are those of another moment than people think. */
const toleratedSeconds = 60;

/** The finding about this machine's clock; `skewSeconds` is the platform's clock minus ours. */
export function judgeClock(skewSeconds: number | undefined): Finding {
  if (skewSeconds === undefined)
    return {
      verdict: 'warning',
      detail: 'the authorization server does not tell the time',
      remedy: 'Nothing to do; make sure that this machine sets its clock from the network.',
    };
  const off = Math.abs(skewSeconds);
  if (off <= unnoticedSeconds)
    return { verdict: 'ok', detail: `in step with the platform, within ${unnoticedSeconds} s` };
  return {
    verdict: off <= toleratedSeconds ? 'warning' : 'failed',
    detail: `this machine's clock is ${duration(off)} ${skewSeconds > 0 ? 'behind' : 'ahead of'} the platform's`,
    remedy:
      'today, yesterday and as_of follow this clock: set it from the network (automatic date and time, NTP).',
  };
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
