import {
  allowance,
  type BudgetState,
  type BudgetView,
  expectedMs,
  grant,
  nextLookMs,
  type Permit,
  type Priority,
  type Settlement,
  settle,
  unknownBudget,
  viewOf,
} from './budget.ts';
import type { BudgetReport } from './headers.ts';

/** Says when requests may leave: in this process alone, or for a fleet of replicas. */
export interface RateLimiter {
  /** Permission to send one request, or undefined when none may leave now. */
  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined>;
  /** What became of a permit; exactly once for each. */
  release(permit: Permit, ended: Settlement): void;
  /** When asking again makes sense, in milliseconds of the elapsed clock. */
  nextLookMs(priority: Priority): number;
  /** When the request behind `ahead` others may leave, on the same clock. */
  expectedMs(ahead: number): number;
  /** Undefined while answers report no budget. */
  view(): BudgetView | undefined;
}

/** A limiter in this process, learning from each answer. */
export class LocalLimiter implements RateLimiter {
  readonly #elapsed: () => number;
  readonly #budget: BudgetState;
  readonly #replicas: number;

  /** @param replicas how many share the budget: this one takes an equal share of all it hears of */
  constructor(elapsed: () => number, budget: BudgetState = unknownBudget(), replicas = 1) {
    this.#elapsed = elapsed;
    this.#budget = budget;
    this.#replicas = replicas;
  }

  acquire(priority: Priority): Permit | undefined {
    const now = this.#elapsed();
    return allowance(this.#budget, now, priority) < 1 ? undefined : grant(this.#budget, now);
  }

  release(permit: Permit, ended: Settlement): void {
    settle(this.#budget, permit, this.#shareOf(ended), this.#elapsed());
  }

  nextLookMs(priority: Priority): number {
    return nextLookMs(this.#budget, this.#elapsed(), priority);
  }

  expectedMs(ahead: number): number {
    return expectedMs(this.#budget, this.#elapsed(), ahead);
  }

  view(): BudgetView | undefined {
    return viewOf(this.#budget, this.#elapsed());
  }

  #shareOf(ended: Settlement): Settlement {
    if (this.#replicas === 1 || ended.kind !== 'answered' || !ended.report) return ended;
    const { limit, remaining, ...rest } = ended.report;
    const report: BudgetReport = rest;
    if (limit !== undefined) report.limit = Math.max(1, Math.floor(limit / this.#replicas));
    if (remaining !== undefined) report.remaining = Math.floor(remaining / this.#replicas);
    return { ...ended, report };
  }
}
