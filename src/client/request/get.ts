import { CommerceError } from '../../core/errors.ts';
import type { Priority } from '../rate-limit/budget-state.ts';
import type { ProgressDeadline } from '../rate-limit/progress-deadline.ts';
import type { Urgency } from '../rate-limit/queued-request.ts';
import { noList, rowsOf } from '../transport/rows.ts';
import { addressOf, endpointOf, type Query } from '../transport/url.ts';
import { answer, type Reading, type RequestParts } from './attempts.ts';
import { openReadingCache } from './cache.ts';
import type { SharedAnswers } from './sharing.ts';
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
  /** An answer that is kept will not do, however young. */
  isAnew?: boolean;
  /** Of the long read that this one is part of: it may wait through rate windows. */
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

/** How one request of a long read is made. */
type ReadOptions = Omit<GetOptions, 'deadline' | 'isAnew'> & Pick<Urgency, 'patientUntilMs'>;

/** Answers GETs: from what is kept, from a request under way, or from the platform. */
export interface Getter {
  /** @throws CommerceError any code but `bad_input` and `bad_config` */
  get(path: string, options?: GetOptions): Promise<GetResponse>;
  /** @param isAnew whether an answer that is kept will not do */
  read(
    path: string,
    options: ReadOptions,
    isAnew?: boolean,
  ): Promise<{ reading: Reading; cached: boolean }>;
  /** Whether {@link get} would be answered by what is kept here. */
  isKept(path: string, options: Pick<GetOptions, 'query' | 'cacheForMs'>): boolean;
  /** Ends everything under way. */
  endAll(reason: unknown): void;
}

/** The error of whoever asks a client that is closed. */
export function closedError(): CommerceError {
  return new CommerceError('cancelled', 'The client is closed; nothing is asked any more.');
}

/** A getter for one API key. */
export function openGetter(
  baseUrl: string,
  parts: RequestParts,
  answers: SharedAnswers | undefined,
  closing: AbortSignal,
): Getter {
  const { runtime, queue } = parts;
  const flights = new SingleFlight(queue.promote);
  const cache = openReadingCache(runtime, answers);

  async function read(url: URL, endpoint: string, options: ReadOptions): Promise<Reading> {
    if (closing.aborted) throw closedError();
    const { priority = 'interactive', signal, patientUntilMs, holdsRows } = options;
    const onShared = () => runtime.log({ event: 'shared', endpoint, from: 'flight' });
    return flights.join(
      url.pathname + url.search,
      { endpoint, priority, signal, patientUntilMs, onShared },
      (urgency, ending) => answer({ url, endpoint, urgency, signal: ending, holdsRows }, parts),
    );
  }

  /** An answer that is kept and young enough, or else a new one, which is kept as long. */
  async function readThrough(
    path: string,
    options: ReadOptions,
    isAnew = false,
  ): Promise<{ reading: Reading; cached: boolean }> {
    const { cacheForMs = 0, endpoint = endpointOf(path), holdsRows = false } = options;
    const url = addressOf(baseUrl, path, options.query);
    const address = url.pathname + url.search;
    const kept = isAnew ? undefined : await cache.get(address, cacheForMs);
    // One without rows was kept by somebody who had no use for them, or comes from elsewhere.
    const known = kept && holdsRows && !rowsOf(kept.body) ? undefined : kept;
    if (known) runtime.log({ event: 'shared', endpoint, from: 'cache' });
    const reading = known ?? (await read(url, endpoint, options));
    // Shared in flight with somebody who had no use for rows.
    if (holdsRows && !rowsOf(reading.body)) throw noList(endpoint);
    if (!known) cache.put(address, reading, cacheForMs);
    return { reading, cached: known !== undefined };
  }

  async function get(path: string, options: GetOptions = {}): Promise<GetResponse> {
    const ask = (patientUntilMs?: () => number) =>
      readThrough(path, { ...options, ...(patientUntilMs && { patientUntilMs }) }, options.isAnew);
    const { reading, cached } = await (options.deadline?.run(ask) ?? ask());
    const { body, readAtMs, traceId } = reading;
    const traced = traceId === undefined ? {} : { traceId };
    return { body, rows: rowsOf(body) ?? [], readAtMs, cached, ...traced };
  }

  function isKept(path: string, { query, cacheForMs = 0 }: GetOptions): boolean {
    const { pathname, search } = addressOf(baseUrl, path, query);
    return cache.has(pathname + search, cacheForMs);
  }

  return { get, read: readThrough, isKept, endAll: (reason) => flights.endAll(reason) };
}
