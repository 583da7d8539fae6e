import type { Pace, Permit, Settlement } from './budget-state.ts';
import { type ReadBudget, readBudget } from './headers.ts';

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
    return tellsOfNone(pace, permit, ended.status) ? { ...pace, meter: 'off' } : pace;
  }
  const place = placeOf(pace, permit, read, now);
  if (place === 'newer') return openWindow(pace, read, now);
  if (place === 'current') return withinWindow(pace, read, now);
  // It was counted in a window gone by, so this one owes it nothing.
  return { ...pace, own: Math.max(pace.reported, pace.own - 1) };
}

/**
 * Whether an answer without a budget tells that there is none. A probe's answer does; but not a
 * 401, since the retry with a new token will tell, nor a failure where a budget is known.
 */
function tellsOfNone(pace: Pace, permit: Permit, status: number): boolean {
  if (!permit.probe || permit.window !== pace.window || status === 401) return false;
  return status < 500 || pace.meter === 'unknown';
}

function openWindow(pace: Pace, read: ReadBudget, now: number): Pace {
  const quota = Math.max(1, read.limit ?? Math.max(pace.quota, read.remaining ?? 0));
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
    rolledAtMs: pace.rollsAtMs,
    quota,
    windowMs,
    reported,
    own: reported + pace.inFlight,
    explained: reported,
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
    quota: Math.max(1, read.limit ?? pace.quota),
    reported,
    own: Math.min(pace.own - 1, (read.remaining ?? pace.own) + pace.inFlight),
    rollsAtMs,
    slackMs,
    refusals: 0,
    // Less is left than even all of ours in flight explain: somebody else draws on the key.
    explained: Math.min(pace.explained - 1, reported),
    sharedWindow: reported < pace.explained - 1 - pace.inFlight ? pace.window : pace.sharedWindow,
  };
}

function afterLoss(pace: Pace, permit: Permit): Pace {
  if (pace.meter === 'unknown') return { ...pace, meter: 'off' };
  if (permit.window !== pace.window) return pace;
  return { ...pace, reported: pace.reported - 1, own: pace.own - 1, explained: pace.explained - 1 };
}

function afterRefusal(
  pace: Pace,
  permit: Permit,
  read: ReadBudget,
  retryAfterMs: number | undefined,
  now: number,
): Pace {
  // Without Retry-After the reset counts, unless the same answer says that something remains.
  const resetMs = read.remaining ? 0 : (read.resetSeconds ?? 0) * 1000;
  const holdMs = believed(retryAfterMs ?? resetMs);
  const seen = { remaining: 0, resetSeconds: Math.ceil(holdMs / 1000) };
  if (placeOf(pace, permit, seen, now) === 'older') return pace;
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
    rolledAtMs: pace.rollsAtMs,
    quota: Math.max(1, read.limit ?? pace.quota),
    windowMs: read.windowSeconds === undefined ? pace.windowMs : read.windowSeconds * 1000,
    reported: 0,
    own: pace.inFlight,
    explained: 0,
    rollsAtMs: now + Math.max(holdMs, leastMs),
    slackMs: permit.probe && pace.meter === 'on' ? 1000 : pace.slackMs,
    refusals,
    sharedWindow: permit.probe ? pace.sharedWindow : pace.window + 1,
  };
}

/**
 * Which window an answer speaks of, seen from the one that is current now. Whole seconds leave
 * room for doubt where windows are short: then the count decides, being plausible or not.
 */
function placeOf(
  pace: Pace,
  permit: Permit,
  read: Pick<ReadBudget, 'remaining' | 'resetSeconds'>,
  now: number,
): 'older' | 'current' | 'newer' {
  if (pace.meter !== 'on') return 'newer';
  const reset = read.resetSeconds === undefined ? undefined : read.resetSeconds * 1000;
  const rollsAtMs = lastEstimate(pace, permit);
  const isNewer =
    permit.sentAtMs >= rollsAtMs ||
    (reset !== undefined && permit.sentAtMs + reset - 1000 >= rollsAtMs);
  if (permit.window === pace.window) return isNewer ? 'newer' : 'current';
  const isStale = reset !== undefined && now + reset + 1000 < pace.rollsAtMs;
  if (isNewer) return isStale ? 'older' : 'current';
  const least = Math.min(pace.reported, pace.own) - pace.inFlight - 1;
  const isPlausible = reset !== undefined && !isStale && (read.remaining ?? -1) >= least;
  return isPlausible ? 'current' : 'older';
}

/** When the window that a permit was given in has rolled, as well as it is known by now. */
function lastEstimate(pace: Pace, permit: Permit): number {
  if (permit.window === pace.window) return pace.rollsAtMs;
  return permit.window === pace.window - 1 ? pace.rolledAtMs : permit.rollsAtMs;
}

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
