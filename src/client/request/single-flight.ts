import type { Urgency } from '../rate-limit/queue.ts';
import { cancelled, unlessAborted } from '../transport/deadline.ts';

/** One who wants an answer, and may stop wanting it. */
export interface FlightWaiter {
  endpoint: string;
  urgency: Urgency;
  signal?: AbortSignal | undefined;
  /** Called with the urgency of a request that was under way already. */
  onShared(underWay: Urgency): void;
}

interface Shared<Answer> {
  urgency: Urgency;
  answer: Promise<Answer>;
  waiters: number;
  ending: AbortController;
}

/** Lets identical requests in flight share one answer. */
export class SingleFlight<Answer> {
  readonly #underWay = new Map<string, Shared<Answer>>();

  /**
   * The answer to `key`, from the request under way or a new one. Each waiter may leave through its
   * own signal; the request ends when the last one has.
   * @throws CommerceError `cancelled`, or whatever the request failed with
   */
  async join(
    key: string,
    { endpoint, urgency, signal, onShared }: FlightWaiter,
    start: (ending: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    if (signal?.aborted) throw cancelled(endpoint);
    const known = this.#underWay.get(key);
    if (known) onShared(known.urgency);
    const shared = known ?? this.#start(key, urgency, start);
    shared.waiters++;
    try {
      return await (signal ? unlessAborted(shared.answer, signal) : shared.answer);
    } catch (error) {
      throw signal?.aborted ? cancelled(endpoint) : error;
    } finally {
      shared.waiters--;
      if (shared.waiters === 0 && this.#forget(key, shared)) {
        shared.ending.abort(cancelled(endpoint));
      }
    }
  }

  /** Ends every request, and with it every wait. */
  endAll(reason: unknown): void {
    for (const { ending } of this.#underWay.values()) ending.abort(reason);
  }

  #start(
    key: string,
    urgency: Urgency,
    start: (ending: AbortSignal) => Promise<Answer>,
  ): Shared<Answer> {
    const ending = new AbortController();
    const shared = { urgency, answer: start(ending.signal), waiters: 0, ending };
    this.#underWay.set(key, shared);
    const onEnd = () => void this.#forget(key, shared);
    shared.answer.then(onEnd, onEnd);
    return shared;
  }

  /** @returns whether the request was still under way */
  #forget(key: string, shared: Shared<Answer>): boolean {
    return this.#underWay.get(key) === shared && this.#underWay.delete(key);
  }
}
