import type { Priority } from '../rate-limit/budget-state.ts';
import type { Lane } from '../rate-limit/queue.ts';
import { cancelled } from '../transport/deadline.ts';
import type { Reading } from './attempts.ts';

/** Somebody who wants an answer, and may stop wanting it. */
export interface Passenger {
  endpoint: string;
  priority: Priority;
  patientUntilMs?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the answer is shared with somebody who asked earlier. */
  onShared(): void;
}

/** Starts a request that nobody has under way. */
export type Start = (lane: Lane, signal: AbortSignal) => Promise<Reading>;

interface Flight {
  lane: Lane;
  reading: Promise<Reading>;
  passengers: number;
  ending: AbortController;
}

/** Lets identical requests in flight share one answer. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  readonly #promote: (lane: Lane) => void;

  /** @param promote called when an interactive passenger joins a drain's request */
  constructor(promote: (lane: Lane) => void) {
    this.#promote = promote;
  }

  /**
   * The answer to `key`, from the flight under way or a new one. Each passenger may leave through
   * its own signal; the request ends when the last one has.
   * @throws CommerceError `cancelled`, or whatever the flight failed with
   */
  async join(key: string, passenger: Passenger, start: Start): Promise<Reading> {
    if (passenger.signal?.aborted) throw cancelled(passenger.endpoint);
    const known = this.#flights.get(key);
    const flight = known ?? this.#depart(key, passenger, start);
    if (known) {
      passenger.onShared();
      if (passenger.priority === 'interactive' && flight.lane.priority === 'drain') {
        this.#promote(flight.lane);
      }
    }
    flight.passengers++;
    try {
      return await unlessAborted(flight.reading, passenger);
    } finally {
      flight.passengers--;
      if (flight.passengers === 0 && this.#forget(key, flight)) {
        flight.ending.abort(cancelled(passenger.endpoint));
      }
    }
  }

  /** Ends every flight, and with it every passenger's wait. */
  endAll(reason: unknown): void {
    for (const flight of this.#flights.values()) flight.ending.abort(reason);
  }

  #depart(key: string, { priority, patientUntilMs }: Passenger, start: Start): Flight {
    const ending = new AbortController();
    const lane: Lane = { priority, patientUntilMs };
    const reading = start(lane, ending.signal);
    const flight: Flight = { lane, reading, passengers: 0, ending };
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

function unlessAborted(reading: Promise<Reading>, passenger: Passenger): Promise<Reading> {
  const { signal, endpoint } = passenger;
  if (!signal) return reading;
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled(endpoint));
    signal.addEventListener('abort', leave, { once: true });
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
