import { AsyncResource } from 'node:async_hooks';
import PQueue from 'p-queue';
import type { Runtime } from '../transport/runtime.ts';
import type { Permit, Priority, Settlement } from './budget-state.ts';
import type { RateLimiter } from './limiter.ts';
import { budgetSpent, noPlace, queueFull } from './queue-errors.ts';
import { patientUntil, type QueuedRequest, rank, type Urgency } from './queued-request.ts';

/** Work that runs when its turn comes; it tells what became of the request as soon as it knows. */
export type Task<T> = (settle: (ended: Settlement) => void) => Promise<T>;

/** Where requests wait for a place in flight and for the rate budget. */
export interface RequestQueue {
  /** @throws CommerceError `overloaded`, `rate_limited`, or the reason of the turn's signal. */
  run<T>(request: QueuedRequest, task: Task<T>): Promise<T>;
  /** Makes a urgency interactive, its waiting request included. */
  promote(urgency: Urgency): void;
  /** Requests waiting, and requests in flight. */
  count(): { waiting: number; inFlight: number };
}

export interface QueueSettings {
  /** Most requests in flight. */
  concurrency: number;
  /** Most requests waiting. */
  maxQueued: number;
}

/**
 * A p-queue that stays paused and lets one request through whenever the limiter grants a permit:
 * the library keeps order, priorities and withdrawals; the limiter says when.
 */
export function openQueue(
  settings: QueueSettings,
  limiter: RateLimiter,
  runtime: Pick<Runtime, 'elapsed' | 'alarm'>,
): RequestQueue {
  const queue = new PQueue({ autoStart: false });
  const waiting = new Map<QueuedRequest, Place>();
  let running = 0;
  let lastId = 0;
  let granted: Permit | undefined;
  let pumping: 'no' | 'yes' | 'again' = 'no';
  let alarm: { stop(): void; atMs: number } | undefined;

  async function run<T>(request: QueuedRequest, task: Task<T>): Promise<T> {
    if (waiting.size >= settings.maxQueued) throw queueFull(request.endpoint, waiting.size);
    request.signal.throwIfAborted();
    const permit = isFree() ? limiter.acquireNow?.(request.urgency.priority) : undefined;
    if (permit === undefined) return wait(request, task);
    try {
      return await withPermit(permit, task);
    } finally {
      void pump();
    }
  }

  /** Whether a request need not queue up: nobody waits, and there is a place. */
  function isFree(): boolean {
    return waiting.size === 0 && pumping === 'no' && running < settings.concurrency;
  }

  async function wait<T>(request: QueuedRequest, task: Task<T>): Promise<T> {
    const withdrawal = new AbortController();
    const leave = (reason: unknown) => {
      waiting.delete(request);
      withdrawal.abort(reason);
    };
    const onAbort = () => leave(request.signal.reason);
    const id = String(lastId++);
    waiting.set(request, { id, leave });
    request.signal.addEventListener('abort', onAbort, { once: true });
    // Whoever ends first starts the next: a request stays in the context that asked.
    const context = new AsyncResource('queued request');
    const start = async () => {
      waiting.delete(request);
      request.signal.removeEventListener('abort', onAbort);
      const permit = granted;
      granted = undefined;
      if (!permit) throw new Error('a request left the queue without a permit');
      return withPermit(permit, task);
    };
    const started = () => context.runInAsyncScope(start);
    const done = queue.add(started, { id, priority: rank(request), signal: withdrawal.signal });
    void pump();
    try {
      return await done;
    } finally {
      request.signal.removeEventListener('abort', onAbort);
      void pump();
    }
  }

  async function withPermit<T>(permit: Permit, task: Task<T>): Promise<T> {
    let open = true;
    const settle = (ended: Settlement) => {
      if (!open) return;
      open = false;
      limiter.release(permit, ended);
      void pump();
    };
    running++;
    try {
      return await task(settle);
    } finally {
      running--;
      settle({ kind: 'unused' });
    }
  }

  /** Lets requests through while places and permits last, then sees to those who stay. */
  async function pump(): Promise<void> {
    if (waiting.size === 0 && alarm === undefined) return;
    if (pumping !== 'no') {
      pumping = 'again';
      return;
    }
    do {
      pumping = 'yes';
      while (waiting.size > 0 && running < settings.concurrency) {
        granted = await limiter.acquire(mostUrgent());
        if (!granted) break;
        letOneThrough();
      }
    } while (pumping !== 'yes');
    pumping = 'no';
    dismissHopeless();
    setAlarm();
  }

  function letOneThrough(): void {
    if (queue.size > 0) {
      queue.concurrency = queue.pending + 1;
      queue.start();
      queue.pause();
    }
    // Everybody had left meanwhile.
    if (granted) limiter.release(granted, { kind: 'unused' });
  }

  function mostUrgent(): Priority {
    let most: Priority = 'prefetch';
    for (const { urgency } of waiting.keys()) {
      if (urgency.priority === 'interactive') return 'interactive';
      if (urgency.priority === 'drain') most = 'drain';
    }
    return most;
  }

  /** Answers at once those who cannot leave in time, instead of letting them sleep through it. */
  function dismissHopeless(): void {
    const now = runtime.elapsed();
    let ahead = 0;
    for (const [request, place] of waiting) {
      const leavesAtMs = limiter.expectedAtMs(
        request.urgency.priority === 'interactive' ? ahead++ : 0,
      );
      const untilMs = patientUntil(request);
      if (leavesAtMs > untilMs) place.leave(budgetSpent(request.endpoint, leavesAtMs - now));
      else if (now >= untilMs) place.leave(noPlace(request.endpoint));
    }
  }

  /**
   * A free place waits for the limiter; a taken one announces itself when it comes free. An alarm that
   * rings too early costs one look, so one that is set already serves those who come later.
   */
  function setAlarm(): void {
    const atMs = waiting.size > 0 ? nextLookMs() : undefined;
    if (alarm !== undefined && atMs !== undefined && alarm.atMs <= atMs) return;
    alarm?.stop();
    alarm = undefined;
    if (atMs === undefined) return;
    const stop = runtime.alarm(Math.max(1, atMs - runtime.elapsed()), () => {
      alarm = undefined;
      void pump();
    });
    alarm = { stop, atMs };
  }

  function nextLookMs(): number {
    const patience = [...waiting.keys()].map((request) => patientUntil(request));
    const budget = running < settings.concurrency ? limiter.looksAgainAtMs(mostUrgent()) : Infinity;
    return Math.min(budget, ...patience);
  }

  return {
    run,
    promote(urgency) {
      urgency.priority = 'interactive';
      urgency.patientUntilMs = undefined;
      for (const [request, place] of waiting) {
        if (request.urgency === urgency) queue.setPriority(place.id, rank(request));
      }
      void pump();
    },
    count: () => ({ waiting: waiting.size, inFlight: running }),
  };
}

interface Place {
  id: string;
  leave(reason: unknown): void;
}
