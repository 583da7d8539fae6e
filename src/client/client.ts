import { CommerceError } from '../core/errors.ts';
import { LoopTurns } from '../core/process/loop-turns.ts';
import { HeldBytes } from '../core/process/memory-pool.ts';
import { createTokens } from './auth/token.ts';
import {
  type AllPages,
  type AskPage,
  type Changes,
  type FollowOptions,
  followChanges,
  ListBytes,
  type LongReadOptions,
  maxListBytes,
  readAllPages,
} from './long-reads.ts';
import { clientMessages } from './messages.ts';
import { type BudgetView, RateBudget } from './rate-limit/budget.ts';
import {
  type ClientCaller,
  type ProgressDeadline,
  progressDeadline,
  RequestQueue,
} from './rate-limit/queue.ts';
import type { Priority } from './rate-limit/shares.ts';
import { type GetOptions, type GetResponse, Getter, type SharedValues } from './request/get.ts';
import { type ClientSettings, type Runtime, realRuntime } from './transport/runtime.ts';

export interface ExchangeCheck {
  expiresInSeconds: number;
  /** The clock of the platform minus ours, exact to about a second; undefined without a `Date` header. */
  clockSkewSeconds: number | undefined;
}

export interface BudgetStatus extends BudgetView {
  waiting: number;
}

export interface Client {
  /** Starts the exchange of the key, so that the first call need not wait. Never fails. */
  prepare(): void;
  /**
   * A GET: paced, retried, and shared by callers that ask the same at once.
   * @throws CommerceError any code but `bad_input` and `bad_config`
   */
  get(path: string, options?: GetOptions): Promise<GetResponse>;
  progressDeadline(): ProgressDeadline;
  readAllPages(path: string, options: LongReadOptions): Promise<AllPages>;
  followChanges(path: string, options: FollowOptions): Promise<Changes>;
  /** Reads openapi.json in one attempt, without the token if it is public. */
  openapi(): Promise<unknown>;
  /** Undefined while no answer has reported a budget. */
  budget(): BudgetStatus | undefined;
  /** Limits the share of the budget, from 0 to 1, that may be used while background requests run. */
  shareInBackground(share: number): void;
  /** Milliseconds by which our clock is ahead of the platform, exact to about a second; never negative. */
  clockAheadMs(): number;
  load(): { waiting: number; inFlight: number };
  /** Exchanges the key again. @throws CommerceError `key_refused`, `exchange_failed` and others */
  checkExchange(): Promise<ExchangeCheck>;
  /** The client for one of several callers, perhaps with a maximal share of the budget. */
  as(id: string, share?: number): Client;
  close(): Promise<void>;
}

/** Most bytes that lists hold while they are read to their end. */
export const longReadBounds = { caller: maxListBytes, all: 2 * maxListBytes };

/**
 * A client for one API key.
 * @param shared the budget of a fleet, on the client's elapsed clock
 * @param answers the cached answers of a fleet
 * @example
 * const client = createClient(settings);
 * const { body } = await client.get('/api/me');
 */
export function createClient(
  settings: ClientSettings,
  world: Partial<Runtime> = {},
  shared?: RateBudget,
  answers?: SharedValues,
): Client {
  const runtime = realRuntime(world, settings);
  const { concurrency, maxRows, maxWaitMs } = settings;
  const closing = new AbortController();
  const budget = shared ?? new RateBudget(runtime.elapsed);
  const queue = new RequestQueue(settings, budget, runtime);
  const tokens = createTokens(settings, runtime, closing.signal);
  const { parsing = new LoopTurns(), longReads = new HeldBytes(longReadBounds) } = settings;
  const parts = { settings, runtime, tokens, queue, parsing, closing: closing.signal };
  const getter = new Getter(parts, answers);
  // Background reads wait for as many windows as they need.
  const newDeadline = (priority?: Priority) => {
    const maxHeldMs = priority === 'background' ? Infinity : maxWaitMs;
    return progressDeadline(runtime.elapsed, { maxWaitMs, maxHeldMs }, budget);
  };

  function pagesOf(path: string, options: LongReadOptions, caller?: ClientCaller): AskPage {
    const paged = {
      priority: 'bulk',
      deadline: newDeadline(options.priority),
      ...options,
    } as const;
    // A page without a list does not fail the read, which reports the missing rows.
    return (query, signal, isAnew) => {
      // Pages cached in this millisecond belong to the previous round.
      const since = isAnew && { readSinceMs: runtime.now() + 1 };
      return getter.get(path, { ...paged, ...since, holdsRows: false, query, signal }, caller);
    };
  }

  async function holdingBytes<Read>(
    { id }: Pick<ClientCaller, 'id'> = { id: '' },
    read: (bytes: ListBytes) => Promise<Read>,
  ): Promise<Read> {
    const bytes = new ListBytes(longReads, JSON.stringify([settings.account, id]));
    return read(bytes).finally(() => bytes.release());
  }

  const clientOf = (caller?: ClientCaller): Client => ({
    prepare() {
      Promise.resolve(tokens.current()).catch(() => {});
    },
    get: (path, options = {}) => getter.get(path, options, caller),
    progressDeadline: () => newDeadline(),
    readAllPages: (path, options) =>
      holdingBytes(caller, (bytes) =>
        readAllPages({ maxRows, ...options, bytes }, pagesOf(path, options, caller), concurrency),
      ),
    followChanges: (path, options) =>
      holdingBytes(caller, (bytes) =>
        followChanges({ maxRows, ...options, bytes }, pagesOf(path, options, caller)),
      ),
    openapi: () => getter.openapi(),
    budget() {
      const view = budget.view();
      return view && { ...view, waiting: queue.count().waiting };
    },
    shareInBackground(share) {
      budget.backgroundShare = share;
    },
    clockAheadMs: () => Math.max(0, -tokens.clockSkewMs()),
    load: () => queue.count(),
    async checkExchange() {
      const { lifetimeMs, clockSkewMs } = await tokens.renew();
      return {
        expiresInSeconds: Math.floor(lifetimeMs / 1000),
        clockSkewSeconds: clockSkewMs && Math.round(clockSkewMs / 1000),
      };
    },
    as: (id, share) => clientOf({ id, share }),
    async close() {
      closing.abort(new CommerceError('cancelled', clientMessages.client_closed()));
      queue.close();
      await runtime.hangUp();
    },
  });
  return clientOf();
}
