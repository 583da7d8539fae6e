import type { Priority } from '../rate-limit/budget-state.ts';
import type { Urgency } from '../rate-limit/queued-request.ts';
import { cancelled } from '../transport/deadline.ts';
import type { Reading } from './attempts.ts';

/** Somebody who wants an answer, and may stop wanting it. */
export interface Waiter {
  endpoint: string;
  priority: Priority;
  patientUntilMs?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the answer is shared with somebody who asked earlier. */
  onShared(): void;
}

/** Starts a request that nobody has under way. */
export type Start = (urgency: Urgency, signal: AbortSignal) => Promise<Reading>;

interface Shared {
  urgency: Urgency;
  reading: Promise<Reading>;
  waiters: number;
  ending: AbortController;
}

/** Lets identical requests in flight share one answer. */
export class SingleFlight {
  readonly #underWay = new Map<string, Shared>();
  readonly #promote: (urgency: Urgency) => void;

  /** @param promote called when an interactive waiter joins a request that is none */
  constructor(promote: (urgency: Urgency) => void) {
    this.#promote = promote;
  }

  /**
   * The answer to `key`, from the request under way or a new one. Each waiter may leave through
   * its own signal; the request ends when the last one has.
   * @throws CommerceError `cancelled`, or whatever the request failed with
   */
  async join(key: string, waiter: Waiter, start: Start): Promise<Reading> {
    if (waiter.signal?.aborted) throw cancelled(waiter.endpoint);
    const known = this.#underWay.get(key);
    const shared = known ?? this.#start(key, waiter, start);
    if (known) {
      waiter.onShared();
      if (waiter.priority === 'interactive' && shared.urgency.priority !== 'interactive') {
        this.#promote(shared.urgency);
      }
    }
    shared.waiters++;
    try {
      return await unlessAborted(shared.reading, waiter);
    } finally {
      shared.waiters--;
      if (shared.waiters === 0 && this.#forget(key, shared)) {
        shared.ending.abort(cancelled(waiter.endpoint));
      }
    }
  }

  /** Ends every request, and with it every waiter's wait. */
  endAll(reason: unknown): void {
    for (const shared of this.#underWay.values()) shared.ending.abort(reason);
  }

  #start(key: string, { priority, patientUntilMs }: Waiter, start: Start): Shared {
    const ending = new AbortController();
    const urgency: Urgency = { priority, patientUntilMs };
    const reading = start(urgency, ending.signal);
    const shared: Shared = { urgency, reading, waiters: 0, ending };
    this.#underWay.set(key, shared);
    const arrived = () => void this.#forget(key, shared);
    reading.then(arrived, arrived);
    return shared;
  }

  /** Whether the request was still under way. */
  #forget(key: string, shared: Shared): boolean {
    return this.#underWay.get(key) === shared && this.#underWay.delete(key);
  }
}

function unlessAborted(reading: Promise<Reading>, waiter: Waiter): Promise<Reading> {
  const { signal, endpoint } = waiter;
  if (!signal) return reading;
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled(endpoint));
    const stay = () => signal.removeEventListener('abort', leave);
    signal.addEventListener('abort', leave, { once: true });
    reading.then(resolve, reject).then(stay);
  });
}
