import {
  allowance,
  type BudgetState,
  expectedAt,
  grant,
  looksAgainAt,
  type Permit,
  type Priority,
  type Settlement,
  unknownBudget,
} from './budget-state.ts';
import { updateBudget } from './budget-update.ts';
import type { Ceiling } from './headers.ts';

/**
 * The limiter of one key's rate budget, as the queue asks it. `acquire` may answer later, so that it
 * can live outside this process and several processes share one.
 */
export interface RateLimiter {
  /** Leave to send one request, or undefined when none may leave now. */
  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined>;
  /** The same where it can be told at once; a limiter that lives elsewhere has no such thing. */
  acquireNow?(priority: Priority): Permit | undefined;
  /** What became of a permit; to be told exactly once for each. */
  release(permit: Permit, ended: Settlement): void;
  /** When asking again makes sense, in milliseconds of the elapsed clock. */
  looksAgainAtMs(priority: Priority): number;
  /** When the request behind `ahead` others may leave, on the same clock. */
  expectedAtMs(ahead: number): number;
  /** What people may know of the budget; undefined while answers report none. */
  view(): BudgetView | undefined;
}

/** Section 8: the budget of the key for reads. */
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

/** A limiter that answers at once. */
export interface OwnLimiter extends RateLimiter {
  acquire(priority: Priority): Permit | undefined;
}

/**
 * A limiter in this process, learning from each answer.
 * @param budget what is believed to begin with
 * @param learnFrom what an answer changes about it
 */
export function openLimiter(
  elapsed: () => number,
  budget: BudgetState = unknownBudget,
  learnFrom: typeof updateBudget = updateBudget,
): OwnLimiter {
  let believed = budget;
  let policy: Ceiling[] = [];

  function acquire(priority: Priority): Permit | undefined {
    const now = elapsed();
    if (allowance(believed, now, priority) < 1) return undefined;
    const granted = grant(believed, now);
    believed = granted.budget;
    return granted.permit;
  }

  return {
    acquire,
    acquireNow: acquire,
    release(permit, ended) {
      believed = learnFrom(believed, permit, ended, elapsed());
      if (ended.kind === 'answered' && ended.report?.ceilings.length)
        policy = ended.report.ceilings;
    },
    looksAgainAtMs: (priority) => looksAgainAt(believed, elapsed(), priority),
    expectedAtMs: (ahead) => expectedAt(believed, elapsed(), ahead),
    view: () => viewOf(believed, policy, elapsed()),
  };
}

/** What a belief comes to at `now`, for people. */
export function viewOf(
  budget: BudgetState,
  policy: Ceiling[],
  now: number,
): BudgetView | undefined {
  if (budget.meter !== 'on') return undefined;
  const left = budget.rollsAtMs - now;
  const remaining = left > 0 ? Math.min(budget.reported, budget.own) : budget.quota;
  return {
    limit: budget.quota,
    remaining: Math.max(0, remaining - budget.inFlight),
    resetsInSeconds: Math.max(0, Math.ceil(left / 1000)),
    windowSeconds: budget.windowMs / 1000,
    policy,
  };
}
