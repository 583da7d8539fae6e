import type { Ceiling } from '../transport/http.ts';
import * as rules from './rules.ts';
import { unlimited, type Wish } from './shares.ts';

export interface BudgetView {
  limit: number;
  /** Requests left in this window without those in flight. */
  remaining: number;
  /** Seconds until the window rolls, rounded up. */
  resetsInSeconds: number;
  windowSeconds: number;
  policy: Ceiling[];
}

/** The priority of a request, its caller, and their maximal share of a window. */
export type Turn = Omit<Wish, 'backgroundShare'>;

/** The rate budget of a key, as known from answers: decides when requests may leave. */
export class RateBudget {
  /** Background requests leave only while any clients together have used at most this share of the window. */
  backgroundShare = 0.5;
  /** Milliseconds by which the clock of the state is ahead of ours. */
  protected offsetMs = 0;
  protected known = rules.unknownBudget;
  readonly #elapsed: () => number;
  readonly #listeners = new Set<() => void>();
  #ceilings: Ceiling[] = [];
  #requests = 0;

  /** @param elapsed milliseconds of a clock that never jumps */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  get state(): rules.BudgetState {
    return this.known;
  }

  /** Undefined while the request must wait; a promise where replicas share the budget. */
  acquire(turn: Turn): rules.Permit | undefined | Promise<rules.Permit | undefined> {
    return this.grant(this.wish(turn), Infinity, this.nextId());
  }

  /** Reports the end of a permit, exactly once. */
  release(permit: rules.Permit, ended: rules.Settlement): void {
    this.settle(permit, ended);
    this.tell();
  }

  /** Calls a listener at the end of every permit. @returns a function that removes the listener */
  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The share that alone holds a request back, if there is one. */
  heldByShare(turn: Turn): rules.HoldingShare | undefined {
    return rules.heldByShare(this.known, this.now(), this.wish(turn));
  }

  /** The elapsed time at which to ask again if no answer arrives before. */
  nextCheckMs(turn: Turn): number {
    return rules.nextCheckMs(this.known, this.now(), this.wish(turn)) - this.offsetMs;
  }

  /** The elapsed time at which the budget lets a request leave that has `ahead` others before it. */
  expectedMs(ahead: number): number {
    return rules.expectedMs(this.known, this.now(), ahead) - this.offsetMs;
  }

  get rollsInMs(): number {
    const { resetAtMs, closedUntilMs } = this.known;
    return Math.max(0, Math.max(resetAtMs, closedUntilMs) - this.now());
  }

  view(): BudgetView | undefined {
    const { limit, remaining, lost, resetAtMs, windowMs } = this.known;
    if (limit >= unlimited || resetAtMs === 0) return undefined;
    const left = this.rollsInMs > 0 ? remaining - lost : limit;
    return {
      limit,
      remaining: Math.max(0, left - rules.inFlight(this.known)),
      resetsInSeconds: Math.ceil(this.rollsInMs / 1000),
      windowSeconds: windowMs / 1000,
      policy: this.#ceilings,
    };
  }

  protected now(): number {
    return this.#elapsed() + this.offsetMs;
  }

  protected wish(turn: Turn): Wish {
    const { priority, caller, share } = turn;
    return { priority, caller, share, backgroundShare: this.backgroundShare };
  }

  protected nextId(): string {
    return String(++this.#requests);
  }

  protected grant(wish: Wish, leaseMs: number, id: string): rules.Permit | undefined {
    const { state, permit } = rules.grant(this.known, this.now(), wish, { id, leaseMs });
    this.known = state;
    return permit;
  }

  protected settle(permit: rules.Permit, ended: rules.Settlement): void {
    if (ended.kind === 'answered' && ended.report) this.#ceilings = ended.report.ceilings;
    this.known = rules.settle(this.known, this.now(), permit, ended);
  }

  protected tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
