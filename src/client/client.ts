import { LRUCache } from 'lru-cache';
import { hasCode } from '../core/errors.ts';
import { keepToken } from './auth/token.ts';
import { discoveryUrl } from './auth/token-exchange.ts';
import { type Followed, type FollowOptions, follow } from './paging/change-feed.ts';
import { type Drained, type DrainOptions, drain } from './paging/drain.ts';
import type { AskPage, LongReadOptions } from './paging/long-read.ts';
import { type BudgetView, openLimiter } from './rate-limit/limiter.ts';
import { ProgressDeadline } from './rate-limit/progress-deadline.ts';
import { openQueue } from './rate-limit/queue.ts';
import { answer } from './request/attempts.ts';
import { closedError, type GetOptions, type GetResponse, openGetter } from './request/get.ts';
import type { Sharing } from './request/sharing.ts';
import { cancelled } from './transport/deadline.ts';
import { type Runtime, realRuntime } from './transport/runtime.ts';
import { addressOf } from './transport/url.ts';

/** One API key, where it is good, and how carefully it is used. */
export interface ClientSettings {
  /** May carry a path of its own, such as `https://host/prefix`. */
  baseUrl: string;
  authUrl: string;
  clientId: string;
  clientSecret: string;
  /** Most requests in flight. */
  concurrency: number;
  /** Longest one request may take, with its whole body. */
  timeoutMs: number;
  /** Longest a call may wait for the rate budget, for a place, and between attempts. */
  maxWaitMs: number;
  /** Most rows that one drained or followed list may read. */
  maxRows: number;
  /** Longest body. @default 64,000,000 */
  maxBodyBytes?: number;
  /** Most requests waiting. @default 1,000 */
  maxQueued?: number;
  /** @default commerce-mcp */
  userAgent?: string;
}

/** Longest description of the platform, in bytes. */
const maxDescription = 4_000_000;

/** What a fresh exchange told. */
export interface ExchangeCheck {
  discoveryUrl: string;
  tokenEndpoint: string;
  expiresInSeconds: number;
  /** The platform's clock minus ours in seconds, to about one; undefined without a `Date` header. */
  clockSkewSeconds: number | undefined;
}

/** The rate budget, and how many requests wait for it. */
export interface Budget extends BudgetView {
  waiting: number;
}

/** How we ask the platform: one for each API key, shared by all who use it. */
export interface Client {
  /**
   * Begins to exchange the key, so that the first question need not wait for it. Never fails: a
   * question tells what it met with.
   */
  prepare(): void;
  /**
   * One GET: paced, retried, shared with whoever asks the same at the same time.
   * @throws CommerceError any code but `bad_input` and `bad_config`
   */
  get(path: string, options?: GetOptions): Promise<GetResponse>;
  /** Whether such a GET costs nothing, for its answer is kept and young enough. */
  isKept(path: string, options: Pick<GetOptions, 'query' | 'cacheForMs'>): boolean;
  /** One deadline for several reads that belong together. */
  progressDeadline(): ProgressDeadline;
  /** Every page of an offset-paged list. */
  drain(path: string, options: DrainOptions): Promise<Drained>;
  /** A change feed to its end. */
  follow(path: string, options: FollowOptions): Promise<Followed>;
  /**
   * Section 9: the platform's own description, asked for without the token where it is open.
   * @param options.isTriedOnce whether a failed attempt is the end
   */
  openapi(options?: { signal?: AbortSignal; isTriedOnce?: boolean }): Promise<unknown>;
  /** Undefined while no answer has reported a budget. */
  budget(): Budget | undefined;
  /** Requests waiting for a place or the budget, and requests in flight. */
  load(): { waiting: number; inFlight: number };
  /** Exchanges the key afresh. @throws CommerceError `key_refused`, `exchange_failed` and others */
  checkExchange(): Promise<ExchangeCheck>;
  /** Ends everything under way and closes the connections. */
  close(): Promise<void>;
}

/**
 * A client for one API key.
 * @param sharing what it shares with other clients on the key; nothing unless given
 * @example
 * const client = createClient(settings);
 * const { body } = await client.get('/api/me');
 */
export function createClient(
  settings: ClientSettings,
  given: Partial<Runtime> = {},
  sharing?: Sharing,
): Client {
  const runtime = realRuntime(given);
  const closing = new AbortController();
  const limiter = sharing?.limiter ?? openLimiter(runtime.elapsed);
  const { concurrency, maxQueued = 1000, maxBodyBytes = 64_000_000 } = settings;
  const queue = openQueue({ concurrency, maxQueued }, limiter, runtime);
  const tokens = keepToken(settings, runtime, closing.signal);
  const parts = {
    settings: { ...settings, maxBodyBytes, userAgent: settings.userAgent ?? 'commerce-mcp' },
    runtime,
    tokens,
    queue,
  };
  const describing = { ...parts, settings: { ...parts.settings, maxBodyBytes: maxDescription } };
  const lengths = new LRUCache<string, number>({ max: 200 });
  const getter = openGetter(settings.baseUrl, parts, sharing?.answers, closing.signal);
  const { get } = getter;

  function progressDeadline(): ProgressDeadline {
    return new ProgressDeadline({
      elapsed: runtime.elapsed,
      maxWaitMs: settings.maxWaitMs,
      windowMs: () => (limiter.view()?.windowSeconds ?? 60) * 1000,
    });
  }

  function pagesOf(
    path: string,
    { endpoint, cacheForMs = 0, deadline = progressDeadline() }: LongReadOptions,
  ): AskPage {
    return (query, signal, isAnew) =>
      deadline.run(async (patientUntilMs) => {
        const asked = { query, endpoint, cacheForMs, patientUntilMs, ...(signal && { signal }) };
        const { reading, cached } = await getter.read(
          path,
          { ...asked, priority: 'drain' },
          isAnew,
        );
        return { ...reading, cached };
      });
  }

  return {
    prepare() {
      Promise.resolve(tokens.current()).catch(() => {});
    },
    get,
    isKept: getter.isKept,
    progressDeadline,
    async drain(path, options) {
      const { start: _, limit: __, ...filters } = options.query ?? {};
      const list = addressOf(settings.baseUrl, path, filters).href;
      const drained = await drain(options, {
        read: pagesOf(path, options),
        concurrency,
        maxRows: settings.maxRows,
        lastTotal: lengths.get(list),
      });
      lengths.set(list, drained.total);
      return drained;
    },
    follow: (path, options) =>
      follow(options, { read: pagesOf(path, options), maxRows: settings.maxRows }),
    // A description that is longer describes something else, and parsing it would hold up every call.
    async openapi({ signal, isTriedOnce = false } = {}) {
      const url = addressOf(settings.baseUrl, '/openapi.json');
      const endpoint = 'GET /openapi.json';
      const urgency = { priority: 'interactive' } as const;
      const ending = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const request = { url, endpoint, urgency, signal: ending, isAnonymous: true, isTriedOnce };
      try {
        return (await answer(request, describing)).body;
      } catch (error) {
        if (ending.aborted) throw cancelled(endpoint);
        if (!hasCode(error, 'unauthorized')) throw error;
        const again = { ...request, isAnonymous: false };
        return (await answer(again, describing)).body;
      }
    },
    budget() {
      const view = limiter.view();
      return view && { ...view, waiting: queue.count().waiting };
    },
    load: queue.count,
    async checkExchange() {
      const token = await tokens.renew();
      const { clockSkewMs } = token;
      return {
        discoveryUrl: discoveryUrl(settings.authUrl).href,
        tokenEndpoint: tokens.endpoint()?.href ?? '',
        expiresInSeconds: Math.floor(token.lifetimeMs / 1000),
        clockSkewSeconds: clockSkewMs === undefined ? undefined : Math.round(clockSkewMs / 1000),
      };
    },
    async close() {
      closing.abort(closedError());
      getter.endAll(closedError());
      await runtime.hangUp();
    },
  };
}
