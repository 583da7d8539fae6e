import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { onAbort, unlessAborted } from '../../core/deadline.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import { clientMessages } from '../messages.ts';
import {
  budgetUntilMs,
  type ClientCaller,
  type ProgressDeadline,
  type Urgency,
} from '../rate-limit/queue.ts';
import type { Priority } from '../rate-limit/shares.ts';
import { addressOf, endpointOf, noList, type Query, rowsOf } from '../transport/http.ts';
import {
  answerOnce,
  answerWithRetries,
  type GetRequest,
  type Reading,
  type RequestParts,
} from './attempts.ts';

/** How to make one GET. */
export interface GetOptions {
  query?: Query;
  /** Template for errors and metrics. @default the path with its numbers as `{id}` */
  endpoint?: string;
  /** @default interactive */
  priority?: Priority;
  signal?: AbortSignal | undefined;
  /** The answer has to hold a list of rows, bare or in `data`; without one it is malformed. */
  holdsRows?: boolean;
  /** Accepts an answer that is at most this old, and keeps this one as long. @default 0 */
  cacheForMs?: number;
  /** Accepts none that was read before, in epoch milliseconds. */
  readSinceMs?: number;
  /** Makes one attempt, unless a more urgent caller joins. @default false */
  isTriedOnce?: boolean;
  /** Of the long read that this request is part of. @default the longest wait of a call */
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
  /** What stands beside `data`; undefined where that holds no list. */
  envelope?: JsonObject;
  /** Rows of the list overall, as its envelope says; NaN where it does not. */
  total: number;
  /** Whether it came from the cache. */
  cached: boolean;
  /** Length of the body in characters. */
  size: number;
}

/** Values that all replicas can reach, compressed. Nothing here rejects. */
export interface SharedValues {
  /** Keeps a value for so long, where it fits and Redis is there. */
  put(name: string, value: unknown, forMs: number): Promise<void>;
  /**
   * What `read` makes of the value; undefined when it is not there, cannot be had, is too large,
   * broken, or refused by `read`.
   */
  get<Value>(name: string, read: (value: unknown) => Value | undefined): Promise<Value | undefined>;
  /** Takes a value away, where Redis is there. */
  remove(name: string): Promise<void>;
  /** Why values of other replicas may not be here now, if there is a reason. */
  trouble(): Promise<'away' | 'full' | undefined>;
}

/** Longest description of the platform, in bytes: a longer one describes something else. */
const maxDescription = 4_000_000;

/** A body is whatever the platform may answer. */
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

/** Answers GETs: from the cache, from a request under way, or from the platform. */
export class Getter {
  readonly #parts: RequestParts;
  readonly #shared: SharedValues | undefined;
  readonly #cache: LRUCache<string, Reading>;
  readonly #pending = new Map<string, PendingRequest>();

  /** @param shared where replicas find each other's answers */
  constructor(parts: RequestParts, shared?: SharedValues) {
    this.#parts = parts;
    this.#shared = shared;
    this.#cache = new LRUCache<string, Reading>({
      maxSize: 64_000_000,
      // At most 5,000 answers: with `max` it would allocate all of them at once.
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
   * A cached answer that is young enough, or else a new one, which is kept as long.
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
    const request = { url, endpoint, urgency: this.#urgencyOf(options), holdsRows, caller };
    const reading = await this.#join(address, request, options.signal);
    deadline?.noteProgress();
    // It may have joined the request of a caller that needs no rows.
    if (holdsRows && rowsOf(reading.body) === undefined) throw noList(endpoint);
    if (cacheForMs > 0) {
      this.#keep(address, reading, cacheForMs);
      void this.#shared?.put(nameOf(address), reading, cacheForMs);
    }
    return responseOf(reading, false);
  }

  /** The platform's own description, without the token where it is open. */
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
    const held = this.#cache.get(address);
    const kept = held ?? (await this.#shared?.get(nameOf(address), read));
    if (kept === undefined) return undefined;
    const ageMs = runtime.now() - kept.readAtMs;
    if (kept.readAtMs < readSinceMs || ageMs >= cacheForMs || ageMs < 0) return undefined;
    if (!held) this.#keep(address, kept, cacheForMs - ageMs);
    return kept;
  }

  #keep(address: string, reading: Reading, forMs: number): void {
    this.#cache.set(address, reading, { ttl: forMs });
    this.#parts.settings.cachePool?.fit();
  }

  /**
   * The answer to an address, from the request under way or a new one. Each waiter may leave through
   * its own signal; the request ends when the last one has. One that joined a request of less patience asks
   * again when that has waited for the rate budget as long as it may.
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
    // A copy: who joins may make this request more urgent, but not the calls that wait for it.
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

/** Addresses carry what was searched for: their hashes name the answers. */
function nameOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url');
}

/** Opens an answer (docs/platform.md#lists). */
export function responseOf({ body, readAtMs, size }: Reading, cached: boolean): GetResponse {
  const { data, ...envelope } = isRecord(body) ? body : {};
  const rows = rowsOf(body) ?? [];
  if (!Array.isArray(data)) return { body, readAtMs, size, cached, rows, total: Number.NaN };
  return { body, readAtMs, size, cached, rows, envelope, total: toNumber(envelope.total) };
}
