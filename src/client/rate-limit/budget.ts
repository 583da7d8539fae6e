import type { Ceiling } from '../transport/http.ts';
import * as rules from './rules.ts';
import { unlimited, type Wish } from './shares.ts';

/** The budget of the key for reads, as people see it. */
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

/** How urgent a request is, whose it is, and the most of a window that may be theirs. */
export type Turn = Omit<Wish, 'backgroundShare'>;

/** The rate budget of a key as this process knows it from the answers: says when requests may leave. */
export class RateBudget {
  /** Background requests leave only while at most this share of the window is used, by any client. */
  backgroundShare = 0.5;
  /** How far the clock of the state is ahead of ours. */
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

  /** Permission to send one request, or undefined when none may leave now. */
  async acquire(turn: Turn): Promise<rules.Permit | undefined> {
    return this.grant(this.wish(turn), Infinity, this.nextId());
  }

  /** Tells how a permit ended; exactly once for each. */
  release(permit: rules.Permit, ended: rules.Settlement): void {
    this.settle(permit, ended);
    this.tell();
  }

  /** Calls a listener whenever a permit has ended, whoever had it, until the returned function is called. */
  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The share that alone keeps a request from leaving, if one does. */
  heldByShare(turn: Turn): rules.HoldingShare | undefined {
    return rules.heldByShare(this.known, this.now(), this.wish(turn));
  }

  /** When asking again makes sense should no answer arrive earlier, on the elapsed clock. */
  nextCheckMs(turn: Turn): number {
    return rules.nextCheckMs(this.known, this.now(), this.wish(turn)) - this.offsetMs;
  }

  /** When the request behind `ahead` others can leave as far as the budget goes, on the elapsed clock. */
  expectedMs(ahead: number): number {
    return rules.expectedMs(this.known, this.now(), ahead) - this.offsetMs;
  }

  get rollsInMs(): number {
    const { resetAtMs, closedUntilMs } = this.known;
    return Math.max(0, Math.max(resetAtMs, closedUntilMs) - this.now());
  }

  /** The budget for people; undefined while answers report none. */
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
    return { ...turn, backgroundShare: this.backgroundShare };
  }

  protected nextId(): string {
    return String(++this.#requests);
  }

  protected grant(wish: Wish, leaseMs: number, id: string): rules.Permit | undefined {
    const { state, permit } = rules.grant(this.known, this.now(), { ...wish, id, leaseMs });
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
