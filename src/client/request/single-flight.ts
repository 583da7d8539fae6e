import type { Priority } from '../rate-limit/budget-state.ts';
import type { Urgency } from '../rate-limit/queue.ts';
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

interface Flight {
  urgency: Urgency;
  reading: Promise<Reading>;
  waiters: number;
  ending: AbortController;
}

/** Lets identical requests in flight share one answer. */
export class SingleFlight {
  readonly #flights = new Map<string, Flight>();
  readonly #promote: (urgency: Urgency) => void;

  /** @param promote called when an interactive waiter joins a drain's request */
  constructor(promote: (urgency: Urgency) => void) {
    this.#promote = promote;
  }

  /**
   * The answer to `key`, from the flight under way or a new one. Each waiter may leave through
   * its own signal; the request ends when the last one has.
   * @throws CommerceError `cancelled`, or whatever the flight failed with
   */
  async join(key: string, waiter: Waiter, start: Start): Promise<Reading> {
    if (waiter.signal?.aborted) throw cancelled(waiter.endpoint);
    const known = this.#flights.get(key);
    const flight = known ?? this.#start(key, waiter, start);
    if (known) {
      waiter.onShared();
      if (waiter.priority === 'interactive' && flight.urgency.priority === 'drain') {
        this.#promote(flight.urgency);
      }
    }
    flight.waiters++;
    try {
      return await unlessAborted(flight.reading, waiter);
    } finally {
      flight.waiters--;
      if (flight.waiters === 0 && this.#forget(key, flight)) {
        flight.ending.abort(cancelled(waiter.endpoint));
      }
    }
  }

  /** Ends every flight, and with it every waiter's wait. */
  endAll(reason: unknown): void {
    for (const flight of this.#flights.values()) flight.ending.abort(reason);
  }

  #start(key: string, { priority, patientUntilMs }: Waiter, start: Start): Flight {
    const ending = new AbortController();
    const urgency: Urgency = { priority, patientUntilMs };
    const reading = start(urgency, ending.signal);
    const flight: Flight = { urgency: urgency, reading, waiters: 0, ending };
    this.#flights.set(key, flight);
    const arrived = () => void this.#forget(key, flight);
    reading.then(arrived, arrived);
    return flight;
  }

  /** Whether the flight was still under way. */
  #forget(key: string, flight: Flight): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

function unlessAborted(reading: Promise<Reading>, waiter: Waiter): Promise<Reading> {
  const { signal, endpoint } = waiter;
  if (!signal) return reading;
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled(endpoint));
    signal.addEventListener('abort', leave, { once: true });
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
