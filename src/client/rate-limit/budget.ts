/**
 * The rules of the rate budget as pure functions over one small state. The fleet follows the same
 * rules in Redis (fleet/scripts.ts): change both.
 */
import type { BudgetReport, Ceiling } from './headers.ts';

/**
 * Interactive calls go before drains, and drains leave a reserve for them. A prefetch, which reads
 * what a later question may need, goes last and leaves the same reserve.
 */
export type Priority = 'interactive' | 'drain' | 'prefetch';

/** Permission to send one request. */
export interface Permit {
  readonly sentAtMs: number;
  /** The window it was granted in. */
  readonly window: number;
  /** Sent to learn the state of a window of which nothing is known yet. */
  readonly isProbe: boolean;
}

/** How a permit ended. */
export type Settlement =
  | { kind: 'answered'; status: number; report?: BudgetReport; retryAfterMs?: number }
  /** Sent, but no status line came back: the platform may have counted it. */
  | { kind: 'lost' }
  /** Never sent. */
  | { kind: 'unused' };

/** What is known of the rate budget. Times are milliseconds of a clock that never jumps. */
export interface BudgetState {
  /** `unknown` before the first answer; `off` while answers report no budget. */
  meter: 'unknown' | 'off' | 'on';
  limit: number;
  windowMs: number;
  /** The least that answers have reported in this window. */
  remaining: number;
  /** Most remaining by the client's own count, which includes requests that were never answered. */
  counted: number;
  /** The earliest moment at which the window has rolled for certain: resets are whole seconds. */
  resetAtMs: number;
  inFlight: number;
  /** When each probe in flight was sent. */
  probesSentMs: number[];
  /** Counts the windows, to tell the answers of one from those of the next. */
  window: number;
  /** Added to resets once one proved to be rounded down. */
  slackMs: number;
  /** Bursts of 429s since the last other answer. */
  refusals: number;
  ceilings: Ceiling[];
}

/** Nothing known: one probe goes first. */
export function unknownBudget(): BudgetState {
  return {
    meter: 'unknown',
    limit: 0,
    windowMs: 60_000,
    remaining: 0,
    counted: 0,
    resetAtMs: Number.NEGATIVE_INFINITY,
    inFlight: 0,
    probesSentMs: [],
    window: 0,
    slackMs: 0,
    refusals: 0,
    ceilings: [],
  };
}

/** How many more requests may leave now. */
export function allowance(budget: BudgetState, now: number, priority: Priority): number {
  if (budget.meter === 'off') return Number.POSITIVE_INFINITY;
  const probes = budget.probesSentMs.filter((sentMs) => now - sentMs < probePatienceMs).length;
  if (budget.meter === 'unknown') {
    return priority === 'prefetch' && probes > 0 ? 1 + maxPrefetch - probes : 1 - probes;
  }
  if (hasRolled(budget, now)) {
    const most = Math.max(1, Math.floor(budget.limit / 10));
    return Math.min(most - probes, budget.limit - budget.inFlight);
  }
  const free = leastLeft(budget) - budget.inFlight;
  return priority === 'interactive' ? free : free - reserve(budget, now);
}

/** When it makes sense to ask `allowance` again, should no answer arrive earlier. */
export function nextLookMs(budget: BudgetState, now: number, priority: Priority): number {
  if (budget.meter !== 'on' || hasRolled(budget, now)) {
    const silent = budget.probesSentMs.map((sentMs) => sentMs + probePatienceMs);
    const next = Math.min(...silent.filter((atMs) => atMs > now));
    return Number.isFinite(next) ? next : now + probePatienceMs;
  }
  const rollMs = budget.resetAtMs + timerGuardMs;
  const free = leastLeft(budget) - budget.inFlight;
  if (priority === 'interactive' || free <= 0) return rollMs;
  // The moment at which the reserve has melted below what is free.
  const meltsAtMs = budget.resetAtMs - (budget.windowMs * (free - 0.5)) / wholeReserve(budget);
  return meltsAtMs > now ? meltsAtMs + 1 : rollMs;
}

/**
 * When the request behind `ahead` others can leave as far as the budget goes. Hopeful about requests
 * in flight, so that nothing is refused too early.
 */
export function expectedMs(budget: BudgetState, now: number, ahead: number): number {
  const left = leastLeft(budget);
  if (budget.meter !== 'on' || hasRolled(budget, now) || ahead < left) return now;
  const windows = Math.floor((ahead - Math.max(0, left)) / Math.max(1, budget.limit));
  return budget.resetAtMs + timerGuardMs + windows * budget.windowMs;
}

/** One request leaves. */
export function grant(budget: BudgetState, now: number): Permit {
  const isProbe = budget.meter === 'unknown' || (budget.meter === 'on' && hasRolled(budget, now));
  budget.inFlight++;
  if (isProbe) budget.probesSentMs.push(now);
  return { sentAtMs: now, window: budget.window, isProbe };
}

/** A permit ended, and what its answer said counts. */
export function settle(budget: BudgetState, permit: Permit, ended: Settlement, now: number): void {
  budget.inFlight--;
  const probe = permit.isProbe ? budget.probesSentMs.indexOf(permit.sentAtMs) : -1;
  if (probe >= 0) budget.probesSentMs.splice(probe, 1);
  if (ended.kind === 'unused') return;
  const isOwnWindow = permit.window === budget.window;
  if (ended.kind === 'lost') {
    if (budget.meter === 'unknown') budget.meter = 'off';
    else if (isOwnWindow) {
      budget.remaining--;
      budget.counted--;
    }
    return;
  }
  const { status, report, retryAfterMs } = ended;
  if (report?.ceilings.length) budget.ceilings = report.ceilings;
  if (status === 429) {
    refuse(budget, permit, report, retryAfterMs, now);
    return;
  }
  if (report?.limit === undefined && report?.remaining === undefined) {
    // No budget is reported, says a probe's answer; but not a 401, whose retry will tell, nor a
    // failure where a budget is known.
    const tells = status < 500 || budget.meter === 'unknown';
    if (permit.isProbe && isOwnWindow && status !== 401 && tells) budget.meter = 'off';
    return;
  }
  if (report.resetSeconds === 0 && budget.slackMs === 0) {
    // A reset of zero is one rounded down, so the window may last up to a second longer.
    budget.slackMs = 1000;
    budget.resetAtMs += 1000;
  }
  const place = placeOf(budget, permit, report, now);
  if (place === 'newer') openWindow(budget, report, now);
  else if (place === 'current') {
    const { limit = budget.limit, remaining = budget.remaining - 1, resetSeconds } = report;
    budget.limit = limit;
    budget.remaining = Math.min(budget.remaining, remaining);
    const reported = report.remaining ?? budget.counted;
    budget.counted = Math.min(budget.counted - 1, reported + budget.inFlight);
    if (resetSeconds !== undefined) {
      const resetAtMs = now + resetSeconds * 1000 + budget.slackMs;
      budget.resetAtMs = Math.min(budget.resetAtMs, resetAtMs);
    }
    budget.refusals = 0;
  } else {
    // It was counted in a window gone by, so this one owes it nothing.
    budget.counted = Math.max(budget.remaining, budget.counted - 1);
  }
}

/** What people may know of the budget of the key for reads. */
export interface BudgetView {
  /** Requests a window. */
  limit: number;
  /** Requests left in this window, those in flight taken off. */
  remaining: number;
  /** Seconds until the window rolls, rounded up. */
  resetsInSeconds: number;
  /** Length of a window in seconds. */
  windowSeconds: number;
  /** Every ceiling that the platform lists. */
  policy: Ceiling[];
}

/** The budget for people; undefined while answers report none. */
export function viewOf(budget: BudgetState, now: number): BudgetView | undefined {
  if (budget.meter !== 'on') return undefined;
  const leftMs = budget.resetAtMs - now;
  const remaining = leftMs > 0 ? leastLeft(budget) : budget.limit;
  return {
    limit: budget.limit,
    remaining: Math.max(0, remaining - budget.inFlight),
    resetsInSeconds: Math.max(0, Math.ceil(leftMs / 1000)),
    windowSeconds: budget.windowMs / 1000,
    policy: budget.ceilings,
  };
}

/** Requests that may leave along with the first probe: the lists that name what a report holds. */
export const maxPrefetch = 4;

/** A timer may fire a little early and clocks differ a little: the roll is certain after this. */
export const timerGuardMs = 25;

/** After so much silence of a probe another one goes. */
export const probePatienceMs = 3000;

function leastLeft({ remaining, counted }: BudgetState): number {
  return Math.min(remaining, counted);
}

function hasRolled(budget: BudgetState, now: number): boolean {
  return now >= budget.resetAtMs + timerGuardMs;
}

/**
 * Requests that drains leave to interactive calls: a tenth of the limit, at least 1 and at most 20,
 * melting evenly as the window runs out so that nothing of it is lost at the end.
 */
function reserve(budget: BudgetState, now: number): number {
  const left = (budget.resetAtMs - now) / budget.windowMs;
  return Math.round(wholeReserve(budget) * Math.min(1, Math.max(0, left)));
}

function wholeReserve({ limit }: BudgetState): number {
  return Math.min(20, Math.max(1, Math.ceil(limit / 10)), Math.max(0, limit - 1));
}

/**
 * Which window an answer speaks of, seen from the one that is current now. Whole seconds leave room
 * for doubt where windows are short: then the count decides, being plausible or not.
 */
function placeOf(
  budget: BudgetState,
  { sentAtMs, window }: Permit,
  { remaining = -1, resetSeconds }: Pick<BudgetReport, 'remaining' | 'resetSeconds'>,
  now: number,
): 'older' | 'current' | 'newer' {
  if (budget.meter !== 'on' || sentAtMs >= budget.resetAtMs) return 'newer';
  const resetMs = resetSeconds === undefined ? undefined : resetSeconds * 1000;
  if (resetMs !== undefined && sentAtMs + resetMs - 1000 >= budget.resetAtMs) return 'newer';
  if (window === budget.window) return 'current';
  const isStale = resetMs === undefined || now + resetMs + 1000 < budget.resetAtMs;
  return !isStale && remaining >= leastLeft(budget) - budget.inFlight - 1 ? 'current' : 'older';
}

function openWindow(budget: BudgetState, report: BudgetReport, now: number): void {
  const { limit, remaining, resetSeconds, windowSeconds } = report;
  const isFirst = budget.meter !== 'on';
  budget.limit = Math.max(1, limit ?? Math.max(budget.limit, remaining ?? 0));
  budget.windowMs = windowSeconds ? windowSeconds * 1000 : isFirst ? 60_000 : budget.windowMs;
  budget.meter = 'on';
  budget.window++;
  budget.remaining = remaining ?? Math.max(0, budget.limit - 1);
  budget.counted = budget.remaining + budget.inFlight;
  const resetMs = resetSeconds === undefined ? budget.windowMs : resetSeconds * 1000;
  budget.resetAtMs = now + believed(resetMs) + budget.slackMs;
  budget.refusals = 0;
}

/** A 429: nothing leaves until `Retry-After`, or the reset where it is missing. */
function refuse(
  budget: BudgetState,
  permit: Permit,
  report: BudgetReport | undefined,
  retryAfterMs: number | undefined,
  now: number,
): void {
  // The reset tells nothing where the same answer says that something remains.
  const resetMs = report?.remaining ? 0 : (report?.resetSeconds ?? 0) * 1000;
  const holdMs = believed(retryAfterMs ?? resetMs);
  const seen = { remaining: 0, resetSeconds: Math.ceil(holdMs / 1000) };
  if (placeOf(budget, permit, seen, now) === 'older') return;
  if (budget.refusals > 0 && permit.window !== budget.window) {
    // Of the burst that has been seen already: nothing new but, perhaps, a longer wait.
    budget.resetAtMs = Math.max(budget.resetAtMs, now + holdMs);
    return;
  }
  // A platform that says "at once" again and again is asked ever less often.
  const leastMs = Math.min(1000 * 2 ** budget.refusals, 60_000);
  if (permit.isProbe && budget.meter === 'on') budget.slackMs = 1000;
  budget.meter = 'on';
  budget.refusals++;
  budget.window++;
  budget.limit = Math.max(1, report?.limit ?? budget.limit);
  if (report?.windowSeconds) budget.windowMs = report.windowSeconds * 1000;
  budget.remaining = 0;
  budget.counted = budget.inFlight;
  budget.resetAtMs = now + Math.max(holdMs, leastMs);
}

/** A hold longer than an hour is not believed: the budget is looked at again each minute. */
function believed(holdMs: number): number {
  return holdMs > 3_600_000 ? 60_000 : holdMs;
}
