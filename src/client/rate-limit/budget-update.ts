import type { BudgetState, Permit, Settlement } from './budget-state.ts';
import { type ReadBudget, readBudget } from './headers.ts';

/** What is believed after a permit ended at `now`. */
export function updateBudget(
  before: BudgetState,
  permit: Permit,
  ended: Settlement,
  now: number,
): BudgetState {
  const budget: BudgetState = {
    ...before,
    inFlight: before.inFlight - 1,
    probes: before.probes - (permit.probe ? 1 : 0),
  };
  if (ended.kind === 'unused') return budget;
  if (ended.kind === 'lost') return afterLoss(budget, permit);
  const read = ended.report ? readBudget(ended.report) : {};
  if (ended.status === 429) return afterRefusal(budget, permit, read, ended.retryAfterMs, now);
  if (read.limit === undefined && read.remaining === undefined) {
    return tellsOfNone(budget, permit, ended.status) ? { ...budget, meter: 'off' } : budget;
  }
  const place = placeOf(budget, permit, read, now);
  if (place === 'newer') return openWindow(budget, read, now);
  if (place === 'current') return withinWindow(budget, read, now);
  // It was counted in a window gone by, so this one owes it nothing.
  return { ...budget, own: Math.max(budget.reported, budget.own - 1) };
}

/**
 * Whether an answer without a budget tells that there is none. A probe's answer does; but not a
 * 401, since the retry with a new token will tell, nor a failure where a budget is known.
 */
function tellsOfNone(budget: BudgetState, permit: Permit, status: number): boolean {
  if (!permit.probe || permit.window !== budget.window || status === 401) return false;
  return status < 500 || budget.meter === 'unknown';
}

function openWindow(budget: BudgetState, read: ReadBudget, now: number): BudgetState {
  const quota = Math.max(1, read.limit ?? Math.max(budget.quota, read.remaining ?? 0));
  const reported = read.remaining ?? Math.max(0, quota - 1);
  const windowMs =
    read.windowSeconds === undefined
      ? budget.meter === 'on'
        ? budget.windowMs
        : 60_000
      : read.windowSeconds * 1000;
  // A reset of zero is one rounded down, so the window may last up to a second longer.
  const slackMs = read.resetSeconds === 0 ? 1000 : budget.slackMs;
  return {
    ...budget,
    meter: 'on',
    window: budget.window + 1,
    rolledAtMs: budget.rollsAtMs,
    quota,
    windowMs,
    reported,
    own: reported + budget.inFlight,
    explained: reported,
    rollsAtMs:
      now +
      believed(read.resetSeconds === undefined ? windowMs : read.resetSeconds * 1000) +
      slackMs,
    slackMs,
    refusals: 0,
  };
}

function withinWindow(budget: BudgetState, read: ReadBudget, now: number): BudgetState {
  const slackMs = read.resetSeconds === 0 ? 1000 : budget.slackMs;
  const reported = Math.min(budget.reported, read.remaining ?? budget.reported - 1);
  const rollsAtMs =
    read.resetSeconds === undefined
      ? budget.rollsAtMs
      : Math.min(
          budget.rollsAtMs + slackMs - budget.slackMs,
          now + read.resetSeconds * 1000 + slackMs,
        );
  return {
    ...budget,
    quota: Math.max(1, read.limit ?? budget.quota),
    reported,
    own: Math.min(budget.own - 1, (read.remaining ?? budget.own) + budget.inFlight),
    rollsAtMs,
    slackMs,
    refusals: 0,
    // Less is left than even all of ours in flight explain: somebody else draws on the key.
    explained: Math.min(budget.explained - 1, reported),
    sharedWindow:
      reported < budget.explained - 1 - budget.inFlight ? budget.window : budget.sharedWindow,
  };
}

function afterLoss(budget: BudgetState, permit: Permit): BudgetState {
  if (budget.meter === 'unknown') return { ...budget, meter: 'off' };
  if (permit.window !== budget.window) return budget;
  return {
    ...budget,
    reported: budget.reported - 1,
    own: budget.own - 1,
    explained: budget.explained - 1,
  };
}

function afterRefusal(
  budget: BudgetState,
  permit: Permit,
  read: ReadBudget,
  retryAfterMs: number | undefined,
  now: number,
): BudgetState {
  // Without Retry-After the reset counts, unless the same answer says that something remains.
  const resetMs = read.remaining ? 0 : (read.resetSeconds ?? 0) * 1000;
  const holdMs = believed(retryAfterMs ?? resetMs);
  const seen = { remaining: 0, resetSeconds: Math.ceil(holdMs / 1000) };
  if (placeOf(budget, permit, seen, now) === 'older') return budget;
  if (budget.refusals > 0 && permit.window !== budget.window) {
    // Sent before the first refusal of this burst: it tells nothing new but, perhaps, a longer wait.
    return { ...budget, rollsAtMs: Math.max(budget.rollsAtMs, now + holdMs) };
  }
  const refusals = budget.refusals + 1;
  // The platform's word counts, but one that says "at once" again and again is asked ever less often.
  const leastMs = Math.min(1000 * 2 ** (refusals - 1), 60_000);
  return {
    ...budget,
    meter: 'on',
    window: budget.window + 1,
    rolledAtMs: budget.rollsAtMs,
    quota: Math.max(1, read.limit ?? budget.quota),
    windowMs: read.windowSeconds === undefined ? budget.windowMs : read.windowSeconds * 1000,
    reported: 0,
    own: budget.inFlight,
    explained: 0,
    rollsAtMs: now + Math.max(holdMs, leastMs),
    slackMs: permit.probe && budget.meter === 'on' ? 1000 : budget.slackMs,
    refusals,
    sharedWindow: permit.probe ? budget.sharedWindow : budget.window + 1,
  };
}

/**
 * Which window an answer speaks of, seen from the one that is current now. Whole seconds leave
 * room for doubt where windows are short: then the count decides, being plausible or not.
 */
function placeOf(
  budget: BudgetState,
  permit: Permit,
  read: Pick<ReadBudget, 'remaining' | 'resetSeconds'>,
  now: number,
): 'older' | 'current' | 'newer' {
  if (budget.meter !== 'on') return 'newer';
  const reset = read.resetSeconds === undefined ? undefined : read.resetSeconds * 1000;
  const rollsAtMs = lastEstimate(budget, permit);
  const isNewer =
    permit.sentAtMs >= rollsAtMs ||
    (reset !== undefined && permit.sentAtMs + reset - 1000 >= rollsAtMs);
  if (permit.window === budget.window) return isNewer ? 'newer' : 'current';
  const isStale = reset !== undefined && now + reset + 1000 < budget.rollsAtMs;
  if (isNewer) return isStale ? 'older' : 'current';
  const least = Math.min(budget.reported, budget.own) - budget.inFlight - 1;
  const isPlausible = reset !== undefined && !isStale && (read.remaining ?? -1) >= least;
  return isPlausible ? 'current' : 'older';
}

/** When the window that a permit was given in has rolled, as well as it is known by now. */
function lastEstimate(budget: BudgetState, permit: Permit): number {
  if (permit.window === budget.window) return budget.rollsAtMs;
  return permit.window === budget.window - 1 ? budget.rolledAtMs : permit.rollsAtMs;
}

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
