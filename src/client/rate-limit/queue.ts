import { createHash } from 'node:crypto';
import { amsterdamIso } from '../../core/calendar.ts';
import { CommerceError, PlatformError } from '../../core/errors.ts';
import { FairQueue, type Waiter } from '../../core/fair-queue.ts';
import { clientMessages } from '../messages.ts';
import type { ClientSettings, Runtime } from '../transport/runtime.ts';
import type { RateBudget, Turn } from './budget.ts';
import type { HoldingShare, Permit, Settlement } from './rules.ts';
import { type Priority, ranks } from './shares.ts';

/** How urgent a request is; shared by all its attempts, and raised when an urgent caller joins it. */
export interface Urgency {
  priority: Priority;
  /** The elapsed time until which it may wait. */
  waitUntilMs: () => number;
  /** Of the call that it is part of. */
  deadline?: ProgressDeadline | undefined;
  /** What fails is not worth another attempt. */
  isTriedOnce?: boolean;
}

/** One of several callers: they get their turns in rotation. */
export interface ClientCaller {
  id: string;
  /** The most of the budget that they may use, from 0 to 1. @default all of it */
  share?: number | undefined;
}

/** One request that wants to leave. */
export interface QueuedRequest {
  /** Such as `GET /api/order/{id}`. */
  endpoint: string;
  urgency: Urgency;
  caller?: ClientCaller | undefined;
  /** A repeated attempt goes before the new requests of its kind. @default false */
  isRepeat?: boolean;
  /** The last answer that refused it for want of budget. */
  refusal?: PlatformError | undefined;
  signal: AbortSignal;
}

/** Reports what became of the request, as soon as it is known. */
export type Settle = (ended: Settlement) => void;

/** A request in the line, with its permit from the moment that it may leave. */
interface Waiting extends Waiter {
  /** As the budget knows it. */
  turn(): Turn;
  standsAside(): boolean;
  request: QueuedRequest;
  permit: Permit | undefined;
}

/** Until when the requests of a call may wait, on the elapsed clock; reads that belong together share one. */
export interface ProgressDeadline {
  /** For a place: a read that makes progress may go on. */
  untilMs(): number;
  /** For the rate budget, all of their waiting together. */
  budgetUntilMs(): number;
  noteProgress(): void;
  /** One of them waits for the rate budget. */
  noteHeld(): void;
  /** One of them may leave. */
  noteGranted(): void;
}

/**
 * The deadline of a call of many requests. It waits for the rate budget no longer than `maxHeldMs` in all. With no
 * answer within the longest wait of a call, or within one window where that is longer (up to two minutes), it is over
 * as well.
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

/** When a request has waited for the rate budget as long as it may. */
export function budgetUntilMs({ waitUntilMs, deadline }: Urgency): number {
  return Math.min(waitUntilMs(), deadline?.budgetUntilMs() ?? Infinity);
}

type QueueSettings = Pick<ClientSettings, 'concurrency' | 'maxQueued' | 'account'>;

/** Where requests wait for a place in flight and for the rate budget. */
export class RequestQueue {
  readonly #budget: RateBudget;
  readonly #runtime: Runtime;
  readonly #queue: FairQueue<Waiting>;
  readonly #account: string;
  readonly #stopListening: () => void;
  #stopAlarm = () => {};

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
    const { share } = caller ?? {};
    const turn = (): Turn => ({ priority: urgency.priority, caller: callerName, share });
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
      standsAside: () => this.#budget.heldByShare(turn()) !== undefined,
      mayGo: async () => this.#admit(waiting, await this.#budget.acquire(turn())),
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

  /** Under which a caller is counted, in memory and in Redis: no name that somebody could read. */
  #nameOf(caller: string | undefined): string | undefined {
    if (caller === undefined) return undefined;
    const hash = createHash('sha256').update(JSON.stringify([this.#account, caller]));
    return hash.digest('base64url').slice(0, 12);
  }

  /** While a fleet was asked for a permit, the request may have been given up. */
  #admit(waiting: Waiting, permit: Permit | undefined): boolean {
    if (permit && !this.#queue.waiting.includes(waiting)) {
      this.#budget.release(permit, { kind: 'unused' });
      return false;
    }
    waiting.permit = permit;
    return permit !== undefined;
  }

  /** Rejects at once the requests that cannot leave in time, and sets the alarm for the others. */
  #onBlocked(): void {
    this.#stopAlarm();
    const now = this.#runtime.elapsed();
    const { waiting, next } = this.#queue;
    const { rollsInMs } = this.#budget;
    const held = new Map(waiting.map((each) => [each, this.#budget.heldByShare(each.turn())]));
    let checkAtMs = Infinity;
    for (const each of [next, ...waiting.filter((it) => held.get(it))].slice(0, 2)) {
      if (each) checkAtMs = Math.min(checkAtMs, this.#budget.nextCheckMs(each.turn()));
    }
    // Who has spent their share leaves in a later window, and goes before nobody.
    const interactive = waiting.filter(
      (each) => each.request.urgency.priority === 'interactive' && held.get(each) !== 'caller',
    );
    const ahead = aheadInRotation(interactive.map(({ caller }) => caller));
    const aheadOf = new Map(interactive.map((each, at) => [each, ahead[at]]));
    for (const each of waiting) {
      const { request } = each;
      const { endpoint, urgency } = request;
      // Where there is a place for the next one, it is the budget that all wait for.
      const isHeld = next !== undefined || held.get(each) !== undefined;
      if (isHeld) urgency.deadline?.noteHeld();
      const budgetMs = budgetUntilMs(urgency);
      const untilMs = isHeld ? budgetMs : urgency.waitUntilMs();
      const isSpent = held.get(each) === 'caller';
      const leavesMs = isSpent ? now + rollsInMs : this.#budget.expectedMs(aheadOf.get(each) ?? 0);
      checkAtMs = Math.min(checkAtMs, untilMs);
      // The clock runs on during this loop: what may leave now is not held back by the budget.
      const isHeldBack = leavesMs > Math.max(budgetMs, this.#runtime.elapsed());
      if (isHeldBack) this.#dismiss(each, isSpent ? 'caller' : 'key', leavesMs - now);
      else if (now >= untilMs && isHeld)
        this.#dismiss(each, held.get(each) ? 'others' : 'key', rollsInMs);
      else if (now >= untilMs) this.#queue.dismiss(each, overloaded(endpoint));
    }
    if (checkAtMs === Infinity) return;
    const check = () => void this.#queue.grant();
    this.#stopAlarm = this.#runtime.alarm(Math.max(1, checkAtMs - now), check);
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
 * How many go before each of a line, at the fewest, where callers get their turns in rotation: those of its own caller
 * before it, and as many of each other caller.
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
