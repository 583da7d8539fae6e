import { createHash } from 'node:crypto';
import { amsterdamIso } from '../../core/calendar.ts';
import { CommerceError, PlatformError } from '../../core/errors.ts';
import { FairQueue, type Waiter } from '../../core/fair-queue.ts';
import { clientMessages } from '../messages.ts';
import type { ClientSettings, Runtime } from '../transport/runtime.ts';
import type { RateBudget, Turn } from './budget.ts';
import type { HoldingShare, Permit, Settlement } from './rules.ts';
import { type Priority, ranks } from './shares.ts';

/** The urgency of a request and all its attempts. It rises when an urgent caller joins. */
export interface Urgency {
  priority: Priority;
  /** Elapsed time until which the request may wait. */
  waitUntilMs: () => number;
  deadline?: ProgressDeadline | undefined;
  /** A failure is not retried. */
  isTriedOnce?: boolean;
}

/** One of several callers, who get turns in rotation. */
export interface ClientCaller {
  id: string;
  /** Largest share of the budget, from 0 to 1. @default 1 */
  share?: number | undefined;
}

export interface QueuedRequest {
  /** Such as `GET /api/order/{id}`. */
  endpoint: string;
  urgency: Urgency;
  caller?: ClientCaller | undefined;
  /** A repeated attempt precedes new requests of its priority. @default false */
  isRepeat?: boolean;
  /** The last refusal for an exhausted budget. */
  refusal?: PlatformError | undefined;
  signal: AbortSignal;
}

/** Reports the end of a request as soon as it is known. */
export type Settle = (ended: Settlement) => void;

interface Waiting extends Waiter {
  turn(): Turn;
  standsAside(): boolean;
  request: QueuedRequest;
  permit: Permit | undefined;
}

/** Elapsed times until which the requests of a call may wait. Reads that belong together share one deadline. */
export interface ProgressDeadline {
  /** Waiting for a place, prolonged by progress. */
  untilMs(): number;
  /** Waiting for the rate budget, all requests together. */
  budgetUntilMs(): number;
  noteProgress(): void;
  noteHeld(): void;
  noteGranted(): void;
}

/**
 * The deadline of a call of many requests. They may wait for the rate budget for `maxHeldMs` together. The call also
 * ends without an answer for `maxWaitMs`, or for one window if that is longer (at most two minutes).
 */
export function progressDeadline(
  elapsed: () => number,
  { maxWaitMs, maxHeldMs }: { maxWaitMs: number; maxHeldMs: number },
  budget: RateBudget,
): ProgressDeadline {
  let lastProgressMs = elapsed();
  let heldMs = 0;
  let heldSinceMs: number | undefined;
  return {
    untilMs: () =>
      lastProgressMs + Math.max(maxWaitMs, Math.min(120_000, budget.state.windowMs) + 5000),
    budgetUntilMs: () => (heldSinceMs ?? elapsed()) + maxHeldMs - heldMs,
    noteProgress() {
      lastProgressMs = elapsed();
    },
    noteHeld() {
      heldSinceMs ??= elapsed();
    },
    noteGranted() {
      if (heldSinceMs !== undefined) heldMs += elapsed() - heldSinceMs;
      heldSinceMs = undefined;
    },
  };
}

/** Elapsed time until which a request may wait for the rate budget. */
export function budgetUntilMs({ waitUntilMs, deadline }: Urgency): number {
  return Math.min(waitUntilMs(), deadline?.budgetUntilMs() ?? Infinity);
}

type QueueSettings = Pick<ClientSettings, 'concurrency' | 'maxQueued' | 'account'>;

const noAlarm = { atMs: Infinity, stop: () => {} };

export class RequestQueue {
  readonly #budget: RateBudget;
  readonly #runtime: Runtime;
  readonly #queue: FairQueue<Waiting>;
  readonly #account: string;
  readonly #stopListening: () => void;
  #alarm = noAlarm;

  constructor(
    { concurrency, maxQueued = 1000, account = '' }: QueueSettings,
    budget: RateBudget,
    runtime: Runtime,
  ) {
    this.#budget = budget;
    this.#runtime = runtime;
    this.#account = account;
    const places = { maxActive: concurrency, maxWaiting: maxQueued };
    this.#queue = new FairQueue(places, () => this.#onBlocked());
    this.#stopListening = budget.onEnded(() => void this.#queue.grant());
  }

  /**
   * Runs `task` when its turn comes.
   * @throws CommerceError `overloaded`, `rate_limited`, or the reason of the signal
   */
  async run<T>(request: QueuedRequest, task: (settle: Settle) => Promise<T>): Promise<T> {
    const { urgency, caller, isRepeat, signal, endpoint } = request;
    const callerName = this.#nameOf(caller?.id);
    const turn = (): Turn => ({
      priority: urgency.priority,
      caller: callerName,
      share: caller?.share,
    });
    const waiting: Waiting = {
      request,
      permit: undefined,
      caller: caller?.id,
      endpoint,
      signal,
      get priority() {
        return ranks[urgency.priority] + (isRepeat ? 1 : 0);
      },
      turn,
      // Shares are of callers with a name.
      standsAside: () => caller !== undefined && this.#budget.heldByShare(turn()) !== undefined,
      mayGo: () => {
        const permit = this.#budget.acquire(turn());
        return permit instanceof Promise
          ? permit.then((granted) => this.#admit(waiting, granted))
          : this.#admit(waiting, permit);
      },
    };
    const queuedAtMs = this.#runtime.elapsed();
    const leave = await this.#queue.enter(waiting);
    urgency.deadline?.noteGranted();
    const waitedMs = this.#runtime.elapsed() - queuedAtMs;
    if (waitedMs >= 1) this.#runtime.log({ event: 'wait', endpoint, waitedMs });
    const settle: Settle = (ended) => {
      const { permit } = waiting;
      if (permit === undefined) return;
      waiting.permit = undefined;
      this.#budget.release(permit, ended);
    };
    try {
      return await task(settle);
    } finally {
      settle({ kind: 'unused' });
      leave();
    }
  }

  raise(urgency: Urgency, joined: Urgency): void {
    if (ranks[joined.priority] <= ranks[urgency.priority]) return;
    Object.assign(urgency, { isTriedOnce: false, ...joined });
    void this.#queue.grant();
  }

  close(): void {
    this.#stopListening();
  }

  count(): { waiting: number; inFlight: number } {
    return { waiting: this.#queue.waiting.length, inFlight: this.#queue.active };
  }

  /** The name of a caller in counts, in memory and in Redis: a hash, which nobody can read. */
  #nameOf(caller: string | undefined): string | undefined {
    if (caller === undefined) return undefined;
    const hash = createHash('sha256').update(JSON.stringify([this.#account, caller]));
    return hash.digest('base64url').slice(0, 12);
  }

  /** The request may have been dropped while the fleet was asked for its permit. */
  #admit(waiting: Waiting, permit: Permit | undefined): boolean {
    if (permit && !this.#queue.isWaiting(waiting)) {
      this.#budget.release(permit, { kind: 'unused' });
      return false;
    }
    waiting.permit = permit;
    return permit !== undefined;
  }

  /** Sets the alarm for those that wait on. */
  #onBlocked(): void {
    const { waiting } = this.#queue;
    this.#lookAgain(waiting.length > 0 ? this.#nextLookMs(waiting) : Infinity);
  }

  #nextLookMs(waiting: readonly Waiting[]): number {
    const { next } = this.#queue;
    const now = this.#runtime.elapsed();
    const shares = new Map<string, HoldingShare | undefined>();
    const shareOf = (each: Waiting) => {
      // Shares are of callers with a name.
      if (each.caller === undefined) return undefined;
      const turn = each.turn();
      const key = `${turn.priority} ${turn.caller}`;
      if (!shares.has(key)) shares.set(key, this.#budget.heldByShare(turn));
      return shares.get(key);
    };
    const untilMs = Math.min(...waiting.map(({ request }) => request.urgency.waitUntilMs()));
    // Most lines wait for a place alone, with time and budget for all.
    const isCalm =
      next === undefined &&
      now < untilMs &&
      this.#budget.expectedMs(waiting.length) <= this.#runtime.elapsed() &&
      !waiting.some(shareOf);
    return isCalm ? untilMs : this.#judge(waiting, next, shareOf, now);
  }

  #lookAgain(checkAtMs: number): void {
    // An alarm that rings too early only looks again: it stays while anybody waits.
    if (this.#alarm.atMs <= checkAtMs && checkAtMs < Infinity) return;
    this.#alarm.stop();
    this.#alarm = noAlarm;
    if (checkAtMs === Infinity) return;
    const ms = Math.max(1, checkAtMs - this.#runtime.elapsed());
    const stop = this.#runtime.alarm(ms, () => {
      this.#alarm = noAlarm;
      void this.#queue.grant();
    });
    this.#alarm = { atMs: checkAtMs, stop };
  }

  /** Rejects at once the requests that cannot leave in time. @returns when to look again at the others */
  #judge(
    waiting: readonly Waiting[],
    next: Waiting | undefined,
    shareOf: (waiting: Waiting) => HoldingShare | undefined,
    now: number,
  ): number {
    const { rollsInMs } = this.#budget;
    let checkAtMs = Infinity;
    for (const each of [next, ...waiting.filter(shareOf)].slice(0, 2)) {
      if (each) checkAtMs = Math.min(checkAtMs, this.#budget.nextCheckMs(each.turn()));
    }
    // A caller who has spent their share leaves in a later window, and is before nobody.
    const interactive = waiting.filter(
      (each) => each.request.urgency.priority === 'interactive' && shareOf(each) !== 'caller',
    );
    const ahead = aheadInRotation(interactive.map(({ caller }) => caller));
    const aheadOf = new Map(interactive.map((each, at) => [each, ahead[at]]));
    for (const each of waiting) {
      const { request } = each;
      const { endpoint, urgency } = request;
      const share = shareOf(each);
      // If the next one has a place, all wait for the budget.
      const isHeld = next !== undefined || share !== undefined;
      if (isHeld) urgency.deadline?.noteHeld();
      const budgetMs = budgetUntilMs(urgency);
      const untilMs = isHeld ? budgetMs : urgency.waitUntilMs();
      const isSpent = share === 'caller';
      const leavesMs = isSpent ? now + rollsInMs : this.#budget.expectedMs(aheadOf.get(each) ?? 0);
      checkAtMs = Math.min(checkAtMs, untilMs);
      // The clock advances during this loop, so a request that may leave now is not rejected.
      const isHeldBack = leavesMs > Math.max(budgetMs, this.#runtime.elapsed());
      if (isHeldBack) this.#dismiss(each, isSpent ? 'caller' : 'key', leavesMs - now);
      else if (now >= untilMs && isHeld) this.#dismiss(each, share ? 'others' : 'key', rollsInMs);
      else if (now >= untilMs) this.#queue.dismiss(each, overloaded(endpoint));
    }
    return checkAtMs;
  }

  #dismiss(waiting: Waiting, of: HoldingShare | 'key', waitMs: number): void {
    const { endpoint, refusal: { status, traceId, reason } = {} } = waiting.request;
    const retryAfterMs = Math.ceil(waitMs);
    const at = amsterdamIso(this.#runtime.now() + waitMs);
    const wait = { endpoint, of, waitMs, at, refusal: reason?.text };
    const failure = { status, traceId, retryAfterMs };
    const error = new PlatformError('rate_limited', clientMessages.budget_spent(wait), failure);
    this.#queue.dismiss(waiting, error);
  }
}

/**
 * Counts the requests that go at least before each one, if callers get turns in rotation: earlier ones of its caller,
 * and as many of each other caller.
 */
export function aheadInRotation(callers: readonly (string | undefined)[]): number[] {
  const counts = new Map<string | undefined, number>();
  const turns = callers.map((caller) => {
    const turn = counts.get(caller) ?? 0;
    counts.set(caller, turn + 1);
    return turn;
  });
  return turns.map((turn) =>
    [...counts.values()].reduce((sum, count) => sum + Math.min(count, turn), 0),
  );
}

function overloaded(endpoint: string): CommerceError {
  return new CommerceError('overloaded', clientMessages.all_connections_busy({ endpoint }));
}
