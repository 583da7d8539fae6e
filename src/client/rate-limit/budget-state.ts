import type { BudgetReport } from './headers.ts';

/**
 * Interactive calls go before drains, and drains leave a reserve for them. What is read ahead of a
 * question, so that nobody waits for it later, goes last and leaves the same reserve.
 */
export type Priority = 'interactive' | 'drain' | 'prefetch';

/** Leave to send one request, and what was believed about the window when it was given. */
export interface Permit {
  readonly sentAtMs: number;
  readonly window: number;
  readonly rollsAtMs: number;
  /** Sent to learn the state of a window of which nothing is known yet. */
  readonly probe: boolean;
}

/** How a permit ended. */
export type Settlement =
  | { kind: 'answered'; status: number; report?: BudgetReport; retryAfterMs?: number }
  /** Sent, but no status line came back: the platform may have counted it. */
  | { kind: 'lost' }
  /** Never sent. */
  | { kind: 'unused' };

/**
 * What is believed about the rate budget. Times are milliseconds of a clock that never jumps.
 * The platform counts a request when it arrives and reports whole seconds, so `rollsAtMs` is the
 * earliest moment at which the window has rolled for certain.
 */
export interface BudgetState {
  /** `unknown` before the first answer; `off` while answers report no budget. */
  readonly meter: 'unknown' | 'off' | 'on';
  /** Counts the windows seen, to tell the answers of one from those of the next. */
  readonly window: number;
  readonly quota: number;
  readonly windowMs: number;
  /** Least remaining reported in this window. */
  readonly reported: number;
  /** Most remaining by our own count, requests in flight not yet taken off. */
  readonly own: number;
  /** Least remaining that our own requests explain, those in flight not yet taken off. */
  readonly explained: number;
  readonly rollsAtMs: number;
  /** The same of the window before. */
  readonly rolledAtMs: number;
  readonly inFlight: number;
  /** Probes in flight, and when the first of them left. */
  readonly probes: number;
  readonly probedAtMs: number;
  /** Added to every reset once one proved to be rounded down. */
  readonly slackMs: number;
  /** Bursts of 429s since the last answer that was none. */
  readonly refusals: number;
  /** The last window in which somebody else was seen drawing on the key. */
  readonly sharedWindow: number;
}

/** Nothing known: one probe goes first. */
export const unknownBudget: BudgetState = {
  meter: 'unknown',
  window: 0,
  quota: 0,
  windowMs: 60_000,
  reported: 0,
  own: 0,
  explained: 0,
  rollsAtMs: Number.NEGATIVE_INFINITY,
  rolledAtMs: Number.NEGATIVE_INFINITY,
  inFlight: 0,
  probes: 0,
  probedAtMs: 0,
  slackMs: 0,
  refusals: 0,
  sharedWindow: Number.NEGATIVE_INFINITY,
};

/** How many more requests may leave now. */
export function allowance(budget: BudgetState, now: number, priority: Priority): number {
  if (budget.meter === 'off') return Number.POSITIVE_INFINITY;
  if (budget.meter === 'unknown') {
    const probes = priority === 'prefetch' && budget.probes > 0 ? 1 + mostPrefetch : 1;
    return probes + patience(budget, now) - budget.probes;
  }
  if (hasRolled(budget, now)) {
    const probes =
      Math.max(1, Math.floor(budget.quota / 10)) + patience(budget, now) - budget.probes;
    return Math.min(probes, budget.quota - budget.inFlight);
  }
  const free = Math.min(budget.reported, budget.own) - budget.inFlight;
  const mine = isShared(budget) ? Math.min(free, shareOf(budget) - budget.inFlight) : free;
  return priority === 'interactive' ? mine : mine - reserve(budget, now);
}

/** When it makes sense to ask `allowance` again, should no answer arrive earlier. */
export function looksAgainAt(budget: BudgetState, now: number, priority: Priority): number {
  if (budget.meter !== 'on' || hasRolled(budget, now)) {
    const silentUntilMs = budget.probedAtMs + (patience(budget, now) + 1) * probePatienceMs;
    return silentUntilMs > now ? silentUntilMs : now + probePatienceMs;
  }
  const rollMs = budget.rollsAtMs + timerGuardMs;
  const free = Math.min(budget.reported, budget.own) - budget.inFlight;
  if (priority === 'interactive' || free <= 0) return rollMs;
  // The moment at which the reserve has melted below what is free.
  const meltsAtMs = budget.rollsAtMs - (budget.windowMs * (free - 0.5)) / wholeReserve(budget);
  return meltsAtMs > now ? meltsAtMs + 1 : rollMs;
}

/**
 * When the request behind `ahead` others can leave as far as the budget goes, in clock
 * milliseconds. Hopeful about requests in flight, so that nothing is refused too early.
 */
export function expectedAt(budget: BudgetState, now: number, ahead: number): number {
  if (budget.meter !== 'on' || hasRolled(budget, now)) return now;
  const free = Math.min(budget.reported, budget.own);
  if (ahead < free) return now;
  const windows = Math.floor((ahead - Math.max(0, free)) / Math.max(1, budget.quota));
  return budget.rollsAtMs + timerGuardMs + windows * budget.windowMs;
}

/** One request leaves. */
export function grant(budget: BudgetState, now: number): { budget: BudgetState; permit: Permit } {
  const probe = budget.meter === 'unknown' || (budget.meter === 'on' && hasRolled(budget, now));
  const { window, rollsAtMs } = budget;
  return {
    permit: { sentAtMs: now, window, rollsAtMs, probe },
    budget: {
      ...budget,
      inFlight: budget.inFlight + 1,
      probes: budget.probes + (probe ? 1 : 0),
      probedAtMs: probe && budget.probes === 0 ? now : budget.probedAtMs,
    },
  };
}

function isShared(budget: BudgetState): boolean {
  return budget.window - budget.sharedWindow <= 1;
}

/** With somebody else on the key, half of what is left may be in flight: the rest may be theirs. */
function shareOf(budget: BudgetState): number {
  return Math.max(1, Math.floor(Math.min(budget.reported, budget.own) / 2));
}

/**
 * Requests that drains leave to interactive calls: a tenth of the quota, at least 1 and at most
 * 20, melting evenly as the window runs out so that nothing of it is lost at the end.
 */
function reserve(budget: BudgetState, now: number): number {
  const left = (budget.rollsAtMs - now) / budget.windowMs;
  return Math.round(wholeReserve(budget) * Math.min(1, Math.max(0, left)));
}

function wholeReserve(budget: BudgetState): number {
  return Math.min(20, Math.max(1, Math.ceil(budget.quota / 10)), Math.max(0, budget.quota - 1));
}

/**
 * Requests that may leave beside the probe while nothing is known: the lists that name what a report
 * holds. Only a budget that is all but used up refuses one of them, and the question went before it.
 */
const mostPrefetch = 4;

/** A timer may fire a little early and clocks differ a little: the roll is certain after this. */
const timerGuardMs = 25;

/** A probe that hangs may not hold up everybody: so much silence lets one more go. */
const probePatienceMs = 3000;

/** Whether the window that the belief speaks of has ended for certain. */
function hasRolled(budget: BudgetState, now: number): boolean {
  return now >= budget.rollsAtMs + timerGuardMs;
}

function patience(budget: BudgetState, now: number): number {
  return budget.probes === 0 ? 0 : Math.floor((now - budget.probedAtMs) / probePatienceMs);
}
