import type { Pace, Permit, Settlement } from './pace.ts';
import { type ReadBudget, readBudget } from './rate-limit.ts';

/** What is believed after a permit ended at `now`. */
export function learn(before: Pace, permit: Permit, ended: Settlement, now: number): Pace {
  const pace: Pace = {
    ...before,
    inFlight: before.inFlight - 1,
    probes: before.probes - (permit.probe ? 1 : 0),
  };
  if (ended.kind === 'unused') return pace;
  if (ended.kind === 'lost') return afterLoss(pace, permit);
  const read = ended.report ? readBudget(ended.report) : {};
  if (ended.status === 429) return afterRefusal(pace, permit, read, ended.retryAfterMs, now);
  if (read.limit === undefined && read.remaining === undefined) {
    // A 401 says nothing about the budget: the retry with a new token will.
    const unmetered = permit.probe && ended.status !== 401 && permit.window === pace.window;
    return unmetered ? { ...pace, meter: 'off' } : pace;
  }
  const place = placeOf(pace, permit, read.resetSeconds, now);
  if (place === 'newer') return openWindow(pace, read, now);
  return place === 'current' ? withinWindow(pace, read, now) : pace;
}

function openWindow(pace: Pace, read: ReadBudget, now: number): Pace {
  const quota = read.limit ?? Math.max(pace.quota, read.remaining ?? 0);
  const reported = read.remaining ?? Math.max(0, quota - 1);
  const windowMs =
    read.windowSeconds === undefined
      ? pace.meter === 'on'
        ? pace.windowMs
        : 60_000
      : read.windowSeconds * 1000;
  // A reset of zero is one rounded down, so the window may last up to a second longer.
  const slackMs = read.resetSeconds === 0 ? 1000 : pace.slackMs;
  return {
    ...pace,
    meter: 'on',
    window: pace.window + 1,
    quota,
    windowMs,
    reported,
    own: reported + pace.inFlight,
    rollsAtMs:
      now +
      believed(read.resetSeconds === undefined ? windowMs : read.resetSeconds * 1000) +
      slackMs,
    slackMs,
    refusals: 0,
  };
}

function withinWindow(pace: Pace, read: ReadBudget, now: number): Pace {
  const slackMs = read.resetSeconds === 0 ? 1000 : pace.slackMs;
  const reported = Math.min(pace.reported, read.remaining ?? pace.reported - 1);
  const rollsAtMs =
    read.resetSeconds === undefined
      ? pace.rollsAtMs
      : Math.min(pace.rollsAtMs + slackMs - pace.slackMs, now + read.resetSeconds * 1000 + slackMs);
  return {
    ...pace,
    quota: read.limit ?? pace.quota,
    reported,
    own: Math.min(pace.own - 1, (read.remaining ?? pace.own) + pace.inFlight),
    rollsAtMs,
    slackMs,
    refusals: 0,
  };
}

function afterLoss(pace: Pace, permit: Permit): Pace {
  if (pace.meter === 'unknown') return { ...pace, meter: 'off' };
  if (permit.window !== pace.window) return pace;
  return { ...pace, reported: pace.reported - 1, own: pace.own - 1 };
}

function afterRefusal(
  pace: Pace,
  permit: Permit,
  read: ReadBudget,
  retryAfterMs: number | undefined,
  now: number,
): Pace {
  const resetMs = read.resetSeconds === undefined ? undefined : read.resetSeconds * 1000;
  const holdMs = believed(retryAfterMs ?? resetMs ?? 0);
  if (placeOf(pace, permit, Math.ceil(holdMs / 1000), now) === 'older') return pace;
  if (pace.refusals > 0 && permit.window !== pace.window) {
    // Sent before the first refusal of this burst: it tells nothing new but, perhaps, a longer wait.
    return { ...pace, rollsAtMs: Math.max(pace.rollsAtMs, now + holdMs) };
  }
  const refusals = pace.refusals + 1;
  // The platform's word counts, but one that says "at once" again and again is asked ever less often.
  const leastMs = Math.min(1000 * 2 ** (refusals - 1), 60_000);
  return {
    ...pace,
    meter: 'on',
    window: pace.window + 1,
    quota: read.limit ?? Math.max(1, pace.quota),
    windowMs: read.windowSeconds === undefined ? pace.windowMs : read.windowSeconds * 1000,
    reported: 0,
    own: pace.inFlight,
    rollsAtMs: now + Math.max(holdMs, leastMs),
    slackMs: permit.probe && pace.meter === 'on' ? 1000 : pace.slackMs,
    refusals,
  };
}

/** Which window an answer speaks of, seen from the one that is current now. */
function placeOf(
  pace: Pace,
  permit: Permit,
  resetSeconds: number | undefined,
  now: number,
): 'older' | 'current' | 'newer' {
  if (pace.meter !== 'on') return 'newer';
  const isCurrent = permit.window === pace.window;
  const rollsAtMs = isCurrent ? pace.rollsAtMs : permit.rollsAtMs;
  const rollsAfterMs = permit.sentAtMs + ((resetSeconds ?? 0) - 1) * 1000;
  const isNewer = permit.sentAtMs >= rollsAtMs || rollsAfterMs > rollsAtMs;
  if (isCurrent) return isNewer ? 'newer' : 'current';
  if (!isNewer) return 'older';
  const stale = resetSeconds !== undefined && now + (resetSeconds + 1) * 1000 < pace.rollsAtMs;
  return stale ? 'older' : 'current';
}

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
