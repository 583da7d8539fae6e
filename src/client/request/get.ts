import { LRUCache } from 'lru-cache';
import type { CommerceError } from '../../core/errors.ts';
import type { Priority } from '../rate-limit/budget.ts';
import type { ProgressDeadline } from '../rate-limit/progress-deadline.ts';
import type { RateLimiter, Urgency } from '../rate-limit/queue.ts';
import { noList, rowsOf } from '../transport/body.ts';
import { addressOf, endpointOf, type Query } from '../transport/http.ts';
import { cancelled, unlessAborted } from '../transport/runtime.ts';
import { answer, type GetRequest, type Reading, type RequestParts } from './attempts.ts';

/** How to make one GET. */
export interface GetOptions {
  query?: Query;
  /** Template for errors and metrics. @default the path with its numbers as `{id}` */
  endpoint?: string;
  /** @default interactive */
  priority?: Priority;
  signal?: AbortSignal;
  /** The answer has to hold a list of rows, bare or in `data`; without one it is malformed. */
  holdsRows?: boolean;
  /** Accepts an answer that is at most this old, and keeps this one as long. @default 0 */
  cacheForMs?: number;
  /** Accepts none that was read before, in epoch milliseconds. */
  readSinceMs?: number;
  /** Asks the platform even where a young answer is cached. */
  isAnew?: boolean;
  /** Of the long read that this request is part of. */
  deadline?: ProgressDeadline;
}

/** One answer of the platform. The body may be shared with other callers: never change it. */
export interface GetResponse {
  /** A JSON object or array, its values as given. */
  body: unknown;
  /** Epoch milliseconds at which the platform answered. */
  readAtMs: number;
  /** The rows of a list, bare or in `data`; empty where the body holds none. */
  rows: readonly unknown[];
  /** Whether it came from the cache. */
  cached: boolean;
  traceId?: string;
}

/** What clients on the same key share, wherever they run. */
export interface Sharing {
  /** Runs on the client's elapsed clock. */
  limiter: RateLimiter;
  answers: SharedAnswers;
}

/** Cached answers that replicas share, by the path and query that they answer. Nothing rejects. */
export interface SharedAnswers {
  get(address: string): Promise<Reading | undefined>;
  /** Keeps an answer for so long, where there is room. */
  put(address: string, reading: Reading, forMs: number): Promise<void>;
}

/** A request under way, and how many callers wait for its answer. */
interface Flight {
  urgency: Urgency;
  answer: Promise<Reading>;
  waiters: number;
  ending: AbortController;
}

/** What GETs need around them. */
interface GetterParts extends RequestParts {
  baseUrl: string;
  /** Those that replicas share. */
  answers: SharedAnswers | undefined;
}

/** How far the clocks of other replicas may be ahead: a later time of reading is not believed. */
const clockDoubtMs = 60_000;

/** Answers GETs: from the cache, from a request under way, or from the platform. */
export class Getter {
  readonly #parts: GetterParts;
  readonly #cache: LRUCache<string, Reading>;
  readonly #flights = new Map<string, Flight>();
  #closed: CommerceError | undefined;

  constructor(parts: GetterParts) {
    this.#parts = parts;
    this.#cache = new LRUCache({
      maxSize: 64_000_000,
      // At most 5,000 answers: with `max` it would make room for all of them at once.
      sizeCalculation: ({ size }) => Math.max(size, 12_800),
      perf: { now: parts.runtime.elapsed },
      ttl: 1,
      ttlResolution: 0,
    });
  }

  /** @throws CommerceError any code but `bad_input` and `bad_config` */
  async get(path: string, options: GetOptions, caller?: string): Promise<GetResponse> {
    const { deadline } = options;
    const read = (waitUntilMs?: () => number) => this.#read(path, options, caller, waitUntilMs);
    return deadline?.run(read) ?? read();
  }

  /** Whether {@link get} would be answered from this process's cache. */
  isKept(path: string, options: GetOptions): boolean {
    const { pathname, search } = addressOf(this.#parts.baseUrl, path, options.query);
    return this.#isYoung(this.#cache.peek(pathname + search), options);
  }

  /** Ends everything under way, and answers nothing any more. */
  close(reason: CommerceError): void {
    this.#closed = reason;
    for (const { ending } of this.#flights.values()) ending.abort(reason);
  }

  /** A cached answer that is young enough, or else a new one, which is kept as long. */
  async #read(
    path: string,
    options: GetOptions,
    caller: string | undefined,
    waitUntilMs: (() => number) | undefined,
  ): Promise<GetResponse> {
    const { cacheForMs = 0, endpoint = endpointOf(path), holdsRows = false } = options;
    const { priority = 'interactive', signal, isAnew = false } = options;
    const { runtime, answers, baseUrl } = this.#parts;
    const url = addressOf(baseUrl, path, options.query);
    const address = url.pathname + url.search;
    // A caller that needs no rows may have kept or asked for what this one cannot use.
    const isFit = ({ body }: Reading) => !holdsRows || rowsOf(body) !== undefined;
    if (cacheForMs > 0 && !isAnew) {
      const kept = this.#cache.get(address) ?? (await answers?.get(address));
      if (kept && this.#isYoung(kept, options) && isFit(kept)) {
        runtime.log({ event: 'shared', endpoint, from: 'cache' });
        return responseOf(kept, true);
      }
    }
    if (this.#closed) throw this.#closed;
    const request = { url, endpoint, urgency: { priority, waitUntilMs }, holdsRows, caller };
    const reading = await this.#join(address, request, signal);
    if (!isFit(reading)) throw noList(endpoint);
    if (cacheForMs > 0) {
      this.#cache.set(address, reading, { ttl: cacheForMs });
      void answers?.put(address, reading, cacheForMs);
    }
    return responseOf(reading, false);
  }

  #isYoung(reading: Reading | undefined, { cacheForMs = 0, readSinceMs = 0 }: GetOptions): boolean {
    if (reading === undefined || reading.readAtMs < readSinceMs) return false;
    const ageMs = this.#parts.runtime.now() - reading.readAtMs;
    return ageMs < cacheForMs && ageMs > -clockDoubtMs;
  }

  /**
   * The answer to an address, from the request under way or a new one. Each waiter may leave through
   * its own signal; the request ends when the last one has.
   */
  async #join(
    address: string,
    request: Omit<GetRequest, 'signal'>,
    signal: AbortSignal | undefined,
  ): Promise<Reading> {
    const { endpoint, urgency } = request;
    if (signal?.aborted) throw cancelled(endpoint);
    const known = this.#flights.get(address);
    if (known) {
      this.#parts.runtime.log({ event: 'shared', endpoint, from: 'flight' });
      const isRaised =
        urgency.priority === 'interactive' && known.urgency.priority !== 'interactive';
      if (isRaised) this.#parts.queue.promote(known.urgency);
    }
    const flight = known ?? this.#start(address, request);
    flight.waiters++;
    try {
      return await (signal ? unlessAborted(flight.answer, signal) : flight.answer);
    } catch (error) {
      throw signal?.aborted ? cancelled(endpoint) : error;
    } finally {
      if (--flight.waiters === 0) {
        this.#flights.delete(address);
        flight.ending.abort(cancelled(endpoint));
      }
    }
  }

  #start(address: string, request: Omit<GetRequest, 'signal'>): Flight {
    const ending = new AbortController();
    const reading = answer({ ...request, signal: ending.signal }, this.#parts);
    const flight = { urgency: request.urgency, answer: reading, waiters: 0, ending };
    this.#flights.set(address, flight);
    return flight;
  }
}

function responseOf({ body, readAtMs, traceId }: Reading, cached: boolean): GetResponse {
  const traced = traceId === undefined ? {} : { traceId };
  return { body, rows: rowsOf(body) ?? [], readAtMs, cached, ...traced };
}
