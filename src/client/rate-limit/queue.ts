import { CommerceError, PlatformError } from '../../core/errors.ts';
import { FairQueue, QueueFullError, type Waiter } from '../../core/fair-queue.ts';
import type { Runtime } from '../transport/runtime.ts';
import { type BudgetView, type Permit, type Priority, ranks, type Settlement } from './budget.ts';

/** Says when requests may leave: for this process alone, or for a fleet. See {@link RateBudget}. */
export interface RateLimiter {
  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined>;
  release(permit: Permit, ended: Settlement): void;
  nextLookMs(priority: Priority): number;
  expectedMs(ahead: number): number;
  view(): BudgetView | undefined;
  /** Most of a window's limit that may be used while background goes on. */
  backgroundShare: number;
}

/** How urgent a request is; shared by all its attempts, and raised when an urgent caller joins it. */
export interface Urgency {
  priority: Priority;
  /** Of a long read: the elapsed time until which its pages may wait. @default the call's own limit */
  waitUntilMs?: (() => number) | undefined;
}

/** One request that wants to leave. */
export interface QueuedRequest {
  endpoint: string;
  urgency: Urgency;
  /** Where callers are told apart: they get their turns in rotation. */
  caller?: string | undefined;
  /** A repeated attempt goes before the new requests of its kind. */
  isRepeat: boolean;
  /** The elapsed time at which waiting has to end, where the urgency does not say. */
  untilMs: number;
  signal: AbortSignal;
}

/** Reports what became of the request, as soon as it is known. */
export type Settle = (ended: Settlement) => void;

/** A request in the line, with its permit from the moment that it may leave. */
interface Waiting extends Waiter {
  request: QueuedRequest;
  permit: Permit | undefined;
}

/** Where requests wait for a place in flight and for the rate budget. */
export class RequestQueue {
  readonly #limiter: RateLimiter;
  readonly #runtime: Runtime;
  readonly #queue: FairQueue<Waiting>;
  #alarm: { stop(): void; atMs: number } | undefined;

  /**
   * @param settings.concurrency most requests in flight
   * @param settings.maxQueued most requests waiting
   */
  constructor(
    { concurrency, maxQueued }: { concurrency: number; maxQueued: number },
    limiter: RateLimiter,
    runtime: Runtime,
  ) {
    this.#limiter = limiter;
    this.#runtime = runtime;
    // One caller of several may fill three quarters of the line, and all places but one.
    const bounds = {
      maxActive: concurrency,
      maxActivePerCaller: Math.max(1, concurrency - 1),
      maxWaiting: maxQueued,
      maxWaitingPerCaller: Math.ceil(maxQueued * 0.75),
    };
    this.#queue = new FairQueue(bounds, {
      mayGo: (waiting) => {
        const permit = limiter.acquire(waiting.request.urgency.priority);
        if (permit instanceof Promise) return permit.then((it) => this.#admit(waiting, it));
        return this.#admit(waiting, permit);
      },
      onStill: () => {
        this.#dismissHopeless();
        this.#setAlarm();
      },
    });
  }

  /**
   * Runs `task` when its turn comes.
   * @throws CommerceError `overloaded`, `rate_limited`, or the reason of the signal
   */
  async run<T>(request: QueuedRequest, task: (settle: Settle) => Promise<T>): Promise<T> {
    const { urgency, caller, isRepeat, signal, endpoint } = request;
    const waiting: Waiting = {
      request,
      permit: undefined,
      caller,
      signal,
      get priority() {
        return ranks[urgency.priority] + (isRepeat ? 1 : 0);
      },
    };
    const leave = await this.#queue.enter(waiting).catch((error: unknown) => {
      throw error instanceof QueueFullError ? this.#lineFull(endpoint) : error;
    });
    const settle: Settle = (ended) => {
      const { permit } = waiting;
      waiting.permit = undefined;
      if (permit) this.#limiter.release(permit, ended);
      void this.#queue.look();
    };
    try {
      return await task(settle);
    } finally {
      settle({ kind: 'unused' });
      leave();
    }
  }

  /** Makes an urgency interactive, its waiting request included. */
  promote(urgency: Urgency): void {
    urgency.priority = 'interactive';
    urgency.waitUntilMs = undefined;
    void this.#queue.look();
  }

  /** Requests waiting, and requests in flight. */
  count(): { waiting: number; inFlight: number } {
    return { waiting: this.#queue.waiting.length, inFlight: this.#queue.active };
  }

  /** While a fleet was asked for a permit, the request may have been given up. */
  #admit(waiting: Waiting, permit: Permit | undefined): boolean {
    if (permit && !this.#queue.isWaiting(waiting)) {
      this.#limiter.release(permit, { kind: 'unused' });
      return false;
    }
    waiting.permit = permit;
    return permit !== undefined;
  }

  /** Answers at once those who cannot leave in time, instead of letting them sleep through it. */
  #dismissHopeless(): void {
    const now = this.#runtime.elapsed();
    let ahead = 0;
    for (const waiting of this.#queue.waiting) {
      const { request } = waiting;
      const isInteractive = request.urgency.priority === 'interactive';
      const leavesMs = this.#limiter.expectedMs(isInteractive ? ahead++ : 0);
      const untilMs = waitsUntil(request);
      if (leavesMs > untilMs)
        this.#queue.dismiss(waiting, budgetSpent(request.endpoint, leavesMs - now));
      else if (now >= untilMs) this.#queue.dismiss(waiting, noPlace(request.endpoint));
    }
  }

  /** An alarm that rings too early costs one look, so one that is set serves those who come later. */
  #setAlarm(): void {
    const atMs = this.#queue.waiting.length > 0 ? this.#nextLookMs() : undefined;
    if (this.#alarm !== undefined && atMs !== undefined && this.#alarm.atMs <= atMs) return;
    this.#alarm?.stop();
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const stop = this.#runtime.alarm(Math.max(1, atMs - this.#runtime.elapsed()), () => {
      this.#alarm = undefined;
      void this.#queue.look();
    });
    this.#alarm = { stop, atMs };
  }

  #nextLookMs(): number {
    const ends = this.#queue.waiting.map(({ request }) => waitsUntil(request));
    const { next } = this.#queue;
    const budgetMs = next ? this.#limiter.nextLookMs(next.request.urgency.priority) : Infinity;
    return Math.min(budgetMs, ...ends);
  }

  #lineFull(endpoint: string): CommerceError {
    const text = `${endpoint}: ${this.count().waiting} requests are waiting already; ask again when some are done.`;
    return new CommerceError('overloaded', text);
  }
}

function waitsUntil({ urgency, untilMs }: QueuedRequest): number {
  return urgency.waitUntilMs?.() ?? untilMs;
}

/** The rate budget comes back too late for this call. */
function budgetSpent(endpoint: string, waitMs: number): PlatformError {
  return new PlatformError(
    'rate_limited',
    `${endpoint}: the rate budget of this API key is used up; ask again in ${Math.ceil(waitMs / 1000)} s.`,
    { endpoint, attempts: 0, retryAfterMs: Math.ceil(waitMs) },
  );
}

/** Every place in flight is taken, for longer than this call may wait. */
function noPlace(endpoint: string): CommerceError {
  const text = 'other requests kept every connection busy; ask again when they are done.';
  return new CommerceError('overloaded', `${endpoint}: ${text}`);
}
