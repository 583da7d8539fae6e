import { CommerceError } from '../../core/errors.ts';
import type { Priority } from '../rate-limit/budget.ts';
import type { ProgressDeadline } from '../rate-limit/progress-deadline.ts';
import { noList, rowsOf } from '../transport/body.ts';
import { addressOf, endpointOf, type Query } from '../transport/url.ts';
import { answer, type Reading, type RequestParts } from './attempts.ts';
import { ReadingCache, type SharedAnswers } from './cache.ts';
import { SingleFlight } from './single-flight.ts';

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

/** Answers GETs: from the cache, from a request under way, or from the platform. */
export class Getter {
  readonly #baseUrl: string;
  readonly #parts: RequestParts;
  readonly #closing: AbortSignal;
  readonly #cache: ReadingCache;
  readonly #flights = new SingleFlight<Reading>();

  constructor(
    baseUrl: string,
    parts: RequestParts,
    closing: AbortSignal,
    answers: SharedAnswers | undefined,
  ) {
    this.#baseUrl = baseUrl;
    this.#parts = parts;
    this.#closing = closing;
    this.#cache = new ReadingCache(parts.runtime, answers);
  }

  /** @throws CommerceError any code but `bad_input` and `bad_config` */
  async get(path: string, options: GetOptions, caller?: string): Promise<GetResponse> {
    const { deadline } = options;
    const read = (waitUntilMs?: () => number) => this.#read(path, options, caller, waitUntilMs);
    const { reading, cached } = await (deadline?.run(read) ?? read());
    const { body, readAtMs, traceId } = reading;
    const traced = traceId === undefined ? {} : { traceId };
    return { body, rows: rowsOf(body) ?? [], readAtMs, cached, ...traced };
  }

  /** Whether {@link get} would be answered from this process's cache. */
  isKept(path: string, { query, cacheForMs = 0 }: GetOptions): boolean {
    const { pathname, search } = addressOf(this.#baseUrl, path, query);
    return this.#cache.has(pathname + search, cacheForMs);
  }

  /** Ends everything under way. */
  endAll(reason: unknown): void {
    this.#flights.endAll(reason);
  }

  /** A cached answer that is young enough, or else a new one, which is kept as long. */
  async #read(
    path: string,
    options: GetOptions,
    caller: string | undefined,
    waitUntilMs: (() => number) | undefined,
  ): Promise<{ reading: Reading; cached: boolean }> {
    const { cacheForMs = 0, endpoint = endpointOf(path), holdsRows = false } = options;
    const { priority = 'interactive', signal } = options;
    const { runtime, queue } = this.#parts;
    const url = addressOf(this.#baseUrl, path, options.query);
    const address = url.pathname + url.search;
    const kept = options.isAnew ? undefined : await this.#cache.get(address, cacheForMs);
    // An answer without rows may have been kept by a caller that needs none.
    if (kept && (!holdsRows || rowsOf(kept.body))) {
      runtime.log({ event: 'shared', endpoint, from: 'cache' });
      return { reading: kept, cached: true };
    }
    if (this.#closing.aborted) throw closedError();
    const urgency = { priority, waitUntilMs };
    const reading = await this.#flights.join(
      address,
      {
        endpoint,
        urgency,
        signal,
        onShared(underWay) {
          runtime.log({ event: 'shared', endpoint, from: 'flight' });
          const isRaised = priority === 'interactive' && underWay.priority !== 'interactive';
          if (isRaised) queue.promote(underWay);
        },
      },
      (ending) =>
        answer({ url, endpoint, urgency, signal: ending, holdsRows, caller }, this.#parts),
    );
    // It may have joined a request that needs no rows.
    if (holdsRows && !rowsOf(reading.body)) throw noList(endpoint);
    this.#cache.put(address, reading, cacheForMs);
    return { reading, cached: false };
  }
}

/** The error of a call to a client that is closed. */
export function closedError(): CommerceError {
  return new CommerceError('cancelled', 'The client is closed; nothing is asked any more.');
}
