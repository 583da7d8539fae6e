import { CommerceError, PlatformError } from '../../core/errors.ts';
import { type Waiter, WaitingLine } from '../../core/fair-queue.ts';
import type { Runtime } from '../transport/runtime.ts';
import type { BudgetView, Permit, Priority, Settlement } from './budget.ts';

/** Says when requests may leave: for this process alone, or for a fleet. See {@link Budget}. */
export interface RateLimiter {
  acquire(priority: Priority): Permit | undefined | Promise<Permit | undefined>;
  release(permit: Permit, ended: Settlement): void;
  nextLookMs(priority: Priority): number;
  expectedMs(ahead: number): number;
  view(): BudgetView | undefined;
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

/** A request in the line: it starts with a permit, or leaves with a reason. */
interface Waiting extends Waiter {
  request: QueuedRequest;
  start(permit: Permit): void;
  leave(reason: unknown): void;
}

const ranks: Record<Priority, number> = { interactive: 4, drain: 2, prefetch: 0 };

/** Where requests wait for a place in flight and for the rate budget. */
export class RequestQueue {
  readonly #settings: { concurrency: number; maxQueued: number };
  readonly #limiter: RateLimiter;
  readonly #runtime: Runtime;
  readonly #line = new WaitingLine<Waiting>();
  readonly #running = new Map<string, number>();
  #inFlight = 0;
  #pumping: 'no' | 'yes' | 'again' = 'no';
  #alarm: { stop(): void; atMs: number } | undefined;

  /**
   * @param settings.concurrency most requests in flight
   * @param settings.maxQueued most requests waiting
   */
  constructor(
    settings: { concurrency: number; maxQueued: number },
    limiter: RateLimiter,
    runtime: Runtime,
  ) {
    this.#settings = settings;
    this.#limiter = limiter;
    this.#runtime = runtime;
  }

  /**
   * Runs `task` when its turn comes.
   * @throws CommerceError `overloaded`, `rate_limited`, or the reason of the signal
   */
  async run<T>(request: QueuedRequest, task: (settle: Settle) => Promise<T>): Promise<T> {
    const permit = await this.#wait(request);
    let isOpen = true;
    const settle: Settle = (ended) => {
      if (!isOpen) return;
      isOpen = false;
      this.#limiter.release(permit, ended);
      void this.#pump();
    };
    try {
      return await task(settle);
    } finally {
      this.#count(request, -1);
      settle({ kind: 'unused' });
      void this.#pump();
    }
  }

  /** Makes an urgency interactive, its waiting request included. */
  promote(urgency: Urgency): void {
    urgency.priority = 'interactive';
    urgency.waitUntilMs = undefined;
    void this.#pump();
  }

  /** Requests waiting, and requests in flight. */
  count(): { waiting: number; inFlight: number } {
    return { waiting: this.#line.size, inFlight: this.#inFlight };
  }

  #wait(request: QueuedRequest): Promise<Permit> {
    const { endpoint, urgency, caller = '', isRepeat, signal } = request;
    signal.throwIfAborted();
    const full = this.#refusal(endpoint, caller);
    if (full) throw full;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiting.leave(signal.reason);
        void this.#pump();
      };
      const out = () => signal.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        request,
        caller,
        get priority() {
          return ranks[urgency.priority] + (isRepeat ? 1 : 0);
        },
        start: (permit) => {
          out();
          this.#line.take(waiting);
          this.#count(request, 1);
          resolve(permit);
        },
        leave: (reason) => {
          out();
          this.#line.remove(waiting);
          reject(reason);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#line.add(waiting);
      void this.#pump();
    });
  }

  /** One caller of several may fill three quarters of the line, and all places but one. */
  #refusal(endpoint: string, caller: string): CommerceError | undefined {
    const { maxQueued } = this.#settings;
    const own = caller === '' ? 0 : this.#line.countOf(caller);
    if (this.#line.size < maxQueued && own < Math.ceil(maxQueued * 0.75)) return undefined;
    const text = `${endpoint}: ${this.#line.size} requests are waiting already; ask again when some are done.`;
    return new CommerceError('overloaded', text);
  }

  #mayRun({ caller }: Waiting): boolean {
    if (this.#inFlight >= this.#settings.concurrency) return false;
    const most = caller === '' ? Number.POSITIVE_INFINITY : this.#settings.concurrency - 1;
    return (this.#running.get(caller) ?? 0) < Math.max(1, most);
  }

  #count({ caller = '' }: QueuedRequest, step: 1 | -1): void {
    this.#inFlight += step;
    const running = (this.#running.get(caller) ?? 0) + step;
    if (running > 0) this.#running.set(caller, running);
    else this.#running.delete(caller);
  }

  #next(): Waiting | undefined {
    return this.#line.next((waiting) => this.#mayRun(waiting));
  }

  /** Lets requests go while places and permits last, then sees to those who stay. */
  async #pump(): Promise<void> {
    if (this.#line.size === 0 && this.#alarm === undefined) return;
    if (this.#pumping !== 'no') {
      this.#pumping = 'again';
      return;
    }
    do {
      this.#pumping = 'yes';
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        const acquired = this.#limiter.acquire(next.request.urgency.priority);
        const permit = acquired instanceof Promise ? await acquired : acquired;
        if (permit === undefined) break;
        // While a fleet was asked the line may have changed.
        const first = this.#next();
        if (first) first.start(permit);
        else this.#limiter.release(permit, { kind: 'unused' });
      }
    } while (this.#pumping !== 'yes');
    this.#pumping = 'no';
    this.#dismissHopeless();
    this.#setAlarm();
  }

  /** Answers at once those who cannot leave in time, instead of letting them sleep through it. */
  #dismissHopeless(): void {
    const now = this.#runtime.elapsed();
    let ahead = 0;
    for (const { request, leave } of [...this.#line]) {
      const isInteractive = request.urgency.priority === 'interactive';
      const leavesMs = this.#limiter.expectedMs(isInteractive ? ahead++ : 0);
      const untilMs = waitsUntil(request);
      if (leavesMs > untilMs) leave(budgetSpent(request.endpoint, leavesMs - now));
      else if (now >= untilMs) leave(noPlace(request.endpoint));
    }
  }

  /** An alarm that rings too early costs one look, so one that is set serves those who come later. */
  #setAlarm(): void {
    const atMs = this.#line.size > 0 ? this.#nextLookMs() : undefined;
    if (this.#alarm !== undefined && atMs !== undefined && this.#alarm.atMs <= atMs) return;
    this.#alarm?.stop();
    this.#alarm = undefined;
    if (atMs === undefined) return;
    const stop = this.#runtime.alarm(Math.max(1, atMs - this.#runtime.elapsed()), () => {
      this.#alarm = undefined;
      void this.#pump();
    });
    this.#alarm = { stop, atMs };
  }

  #nextLookMs(): number {
    const ends = [...this.#line].map(({ request }) => waitsUntil(request));
    const next = this.#next();
    const budgetMs = next ? this.#limiter.nextLookMs(next.request.urgency.priority) : Infinity;
    return Math.min(budgetMs, ...ends);
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
