import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { onAbort, unlessAborted } from '../../core/deadline.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber, toText } from '../../core/json.ts';
import { clientMessages } from '../messages.ts';
import {
  budgetUntilMs,
  type ClientCaller,
  type ProgressDeadline,
  type Urgency,
} from '../rate-limit/queue.ts';
import type { Priority } from '../rate-limit/shares.ts';
import {
  addressOf,
  endpointOf,
  noList,
  parseCount,
  type Query,
  rowsOf,
} from '../transport/http.ts';
import {
  answerOnce,
  answerWithRetries,
  type GetRequest,
  type Reading,
  type RequestParts,
} from './attempts.ts';

export interface GetOptions {
  query?: Query;
  /** Template for errors and metrics. @default the path with `{id}` for numbers */
  endpoint?: string;
  /** @default interactive */
  priority?: Priority;
  signal?: AbortSignal | undefined;
  /** An answer without a list of rows, bare or in `data`, is malformed. */
  holdsRows?: boolean;
  /** Accepts an answer of at most this age, and caches the new one for as long. @default 0 */
  cacheForMs?: number;
  /** Accepts no answer read before, in epoch milliseconds. */
  readSinceMs?: number;
  /** Makes one attempt, unless a more urgent caller joins. @default false */
  isTriedOnce?: boolean;
  /** The deadline of its long read. @default the longest wait of a call */
  deadline?: ProgressDeadline;
}

/** An answer of the platform. Other callers may share the body: never change it. */
export interface GetResponse {
  /** A JSON object or array with unchanged values. */
  body: unknown;
  readAtMs: number;
  /** Rows of a list, bare or in `data`; empty if the body has none. */
  rows: readonly unknown[];
  /** Members beside `data`; undefined if that is no list. */
  envelope?: JsonObject;
  /** Rows of the whole list by its envelope, or NaN. */
  total: number;
  cached: boolean;
  /** Length of the body in characters. */
  size: number;
}

/** Values that all replicas share, compressed. No method rejects. */
export interface SharedValues {
  /** Stores a value for so long, if it fits and Redis is there. */
  put(name: string, value: unknown, forMs: number): Promise<void>;
  /**
   * The value as `read` parses it. Undefined if it is missing, cannot be had, is too large or broken, or `read`
   * refuses it.
   */
  get<Value>(name: string, read: (value: unknown) => Value | undefined): Promise<Value | undefined>;
  remove(name: string): Promise<void>;
  /** The reason why values of other replicas may be missing now, if any. */
  trouble(): Promise<'away' | 'full' | undefined>;
}

/** Longest openapi.json, in bytes: a longer one is something else. */
const maxDescription = 4_000_000;

const readingSchema: z.ZodType<Reading> = z.object({
  body: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
  readAtMs: z.number().min(0),
  size: z.int().min(0),
});

interface PendingRequest {
  urgency: Urgency;
  answer: Promise<Reading>;
  waiters: number;
  ending: AbortController;
}

/** Answers GETs from the cache, from a running request, or from the platform. */
export class Getter {
  readonly #parts: RequestParts;
  readonly #shared: SharedValues | undefined;
  readonly #cache: LRUCache<string, Reading>;
  readonly #pending = new Map<string, PendingRequest>();

  /** @param shared answers of other replicas */
  constructor(parts: RequestParts, shared?: SharedValues) {
    this.#parts = parts;
    this.#shared = shared;
    this.#cache = new LRUCache<string, Reading>({
      maxSize: 64_000_000,
      // At most 5,000 answers. With `max` it would allocate all of them at once.
      sizeCalculation: ({ size }) => Math.max(size, 12_800),
      perf: { now: parts.runtime.elapsed },
      ttl: 1,
      ttlResolution: 0,
    });
    const { closing, settings } = parts;
    settings.cachePool?.caches.add(this.#cache);
    onAbort(closing, () => {
      settings.cachePool?.caches.delete(this.#cache);
      for (const { ending } of this.#pending.values()) ending.abort(closing.reason);
    });
  }

  /**
   * A cached answer that is young enough, or else a new one, which is cached as long.
   * @throws CommerceError any code but `bad_input` and `bad_config`
   */
  async get(path: string, options: GetOptions, caller?: ClientCaller): Promise<GetResponse> {
    const { runtime, settings, closing } = this.#parts;
    const { cacheForMs = 0, endpoint = endpointOf(path), holdsRows, deadline } = options;
    const url = addressOf(settings.baseUrl, path, options.query);
    const address = url.pathname + url.search;
    const cached = cacheForMs > 0 && (await this.#cached(address, options));
    if (cached) {
      runtime.log({ event: 'shared', endpoint, from: 'cache' });
      return responseOf(cached, true);
    }
    closing.throwIfAborted();
    const limit = parseCount(toText(options.query?.limit));
    const urgency = this.#urgencyOf(options);
    const request = { url, endpoint, urgency, limit, holdsRows, caller };
    const reading = await this.#join(address, request, options.signal);
    deadline?.noteProgress();
    // The joined request may be of a caller that needs no rows.
    if (holdsRows && rowsOf(reading.body) === undefined) throw noList(endpoint);
    if (cacheForMs > 0) {
      this.#keep(address, reading, cacheForMs);
      void this.#shared?.put(nameOf(address), reading, cacheForMs);
    }
    return responseOf(reading, false);
  }

  /** Reads openapi.json, without the token if it is public. */
  async openapi(): Promise<unknown> {
    const { settings, closing } = this.#parts;
    const request = {
      url: addressOf(settings.baseUrl, '/openapi.json'),
      endpoint: 'GET /openapi.json',
      urgency: this.#urgencyOf({}),
      signal: closing,
      maxBodyBytes: maxDescription,
    };
    const open = await answerOnce(request, this.#parts).catch((error: unknown) => {
      if (!hasCode(error, 'unauthorized')) throw error;
      return answerWithRetries(request, this.#parts);
    });
    return open.body;
  }

  #urgencyOf({ priority = 'interactive', isTriedOnce = false, deadline }: GetOptions): Urgency {
    const { runtime, settings } = this.#parts;
    const endsAtMs = runtime.elapsed() + settings.maxWaitMs;
    const isOfMany = deadline !== undefined && priority !== 'interactive';
    const waitUntilMs = isOfMany ? deadline.untilMs : () => endsAtMs;
    return { priority, isTriedOnce, deadline, waitUntilMs };
  }

  async #cached(address: string, options: GetOptions): Promise<Reading | undefined> {
    const { cacheForMs = 0, readSinceMs = 0 } = options;
    const { runtime } = this.#parts;
    const read = (value: unknown) => readingSchema.safeParse(value).data;
    const cached = this.#cache.get(address);
    const reading = cached ?? (await this.#shared?.get(nameOf(address), read));
    if (reading === undefined) return undefined;
    const ageMs = runtime.now() - reading.readAtMs;
    if (reading.readAtMs < readSinceMs || ageMs >= cacheForMs || ageMs < 0) return undefined;
    if (!cached) this.#keep(address, reading, cacheForMs - ageMs);
    return reading;
  }

  #keep(address: string, reading: Reading, forMs: number): void {
    this.#cache.set(address, reading, { ttl: forMs });
    this.#parts.settings.cachePool?.dropSurplus();
  }

  /**
   * The answer to an address, from the running request or a new one. A waiter leaves by its own signal, and the
   * request ends with the last waiter. A waiter asks again if it may wait longer for the rate budget than the request
   * that it joined.
   */
  async #join(
    address: string,
    request: Omit<GetRequest, 'signal'>,
    signal: AbortSignal | undefined,
  ): Promise<Reading> {
    const { endpoint, urgency } = request;
    for (;;) {
      if (signal?.aborted) throw cancelled(endpoint);
      const current = this.#pending.get(address) ?? this.#start(address, request);
      if (current.waiters++ > 0) {
        this.#parts.runtime.log({ event: 'shared', endpoint, from: 'flight' });
        this.#parts.queue.raise(current.urgency, urgency);
      }
      try {
        return await (signal ? unlessAborted(current.answer, signal) : current.answer);
      } catch (error) {
        if (signal?.aborted) {
          const reason = cancelled(endpoint);
          if (current.waiters === 1) current.ending.abort(reason);
          throw reason;
        }
        const isPatient = budgetUntilMs(urgency) > budgetUntilMs(current.urgency);
        if (!hasCode(error, 'rate_limited') || !isPatient) throw error;
        this.#forget(address, current);
      } finally {
        if (--current.waiters === 0) this.#forget(address, current);
      }
    }
  }

  #start(address: string, request: Omit<GetRequest, 'signal'>): PendingRequest {
    const ending = new AbortController();
    // A copy: joining callers raise this request, but not the calls that wait for it.
    const urgency = { ...request.urgency };
    const answer = answerWithRetries({ ...request, urgency, signal: ending.signal }, this.#parts);
    const current = { urgency, answer, waiters: 0, ending };
    this.#pending.set(address, current);
    return current;
  }

  #forget(address: string, current: PendingRequest): void {
    if (this.#pending.get(address) === current) this.#pending.delete(address);
  }
}

function cancelled(endpoint: string): CommerceError {
  return new CommerceError('cancelled', clientMessages.request_cancelled({ endpoint }));
}

/** Addresses contain search words, so their hashes name the answers. */
function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}

/** Unpacks an answer (docs/platform.md#lists). */
export function responseOf({ body, readAtMs, size }: Reading, cached: boolean): GetResponse {
  const { data, ...envelope } = isRecord(body) ? body : {};
  const rows = rowsOf(body) ?? [];
  if (!Array.isArray(data)) return { body, readAtMs, size, cached, rows, total: Number.NaN };
  return { body, readAtMs, size, cached, rows, envelope, total: toNumber(envelope.total) };
}
