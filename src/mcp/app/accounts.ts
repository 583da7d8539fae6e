/** Several accounts in one server: each has an application of its own, opened with its first call. */

import { openEngine } from '../../analysis/tables/run-statements.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { RateBudget } from '../../client/rate-limit/budget.ts';
import { inFlight } from '../../client/rate-limit/rules.ts';
import type { Account, AccountList, AccountSource } from '../../config/accounts-file.ts';
import type { ServerConfig } from '../../config/config.ts';
import { withDeadline } from '../../core/deadline.ts';
import { CommerceError } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { Log } from '../../core/log.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { withAccount } from '../telemetry/log.ts';
import {
  type App,
  type AppSettings,
  type Caller,
  createApp,
  openMemoryPools,
  scopeTo,
} from './app.ts';

/** Which accounts there are: callers are told nothing of it. */
export type AccountDirectory = ReturnType<typeof createAccounts>['directory'];

/** Is called with an application that opens: the period whose order lines it keeps filled, and when it closes. */
type OnOpen = (app: App, about: { fill?: string | undefined; closing: AbortSignal }) => void;

/** An application that a caller uses. */
interface AcquiredApp {
  app: App;
  callerApp: App;
  /** Aborts when the application closes although it is used. */
  closing: AbortSignal;
  release(): void;
}

/** Where callers get their application: one for all, or that of their account. */
export interface AppProvider {
  /** Where there are several. */
  readonly directory?: AccountDirectory;
  readonly log: Log;
  /** Those that are open. */
  apps(): readonly App[];
  /** Calls back with each that is open, now and later. */
  onOpen(listener: OnOpen): void;
  /**
   * The whole application and what the caller may have of it, which stay open until `release`.
   * @throws {CommerceError} `overloaded` where too many accounts are open and all of them work
   */
  acquire(caller: Caller): Promise<AcquiredApp>;
}

/** The one application that all callers share. */
export function soleApp(app: App, fill?: string): AppProvider {
  const appFor = scopeTo(app);
  const { signal: closing } = new AbortController();
  return {
    log: app.log,
    apps: () => [app],
    onOpen: (listener) => listener(app, { fill, closing }),
    acquire: async (caller) => ({ app, callerApp: appFor(caller), closing, release() {} }),
  };
}

/** Most accounts that are open at once. */
export const maxOpen = 50;

const defaultBounds = {
  maxOpen,
  /** An account without a call for so long is closed. */
  idleMs: 30 * 60_000,
  /** Longest that a call waits for another account to be idle. */
  waitMs: 10_000,
  /** How often idle accounts are looked for, and changes of those that nobody calls. */
  sweepMs: 10_000,
};

export interface AccountsSettings
  extends Pick<AppSettings, 'log' | 'queryEngine' | 'describeWithinMs'> {
  config: ServerConfig;
  source: AccountSource;
  sourceOf(account: Account): AppSettings['source'];
  bounds?: Partial<typeof defaultBounds>;
  /** A clock in milliseconds that never jumps. */
  elapsed?: () => number;
}

/** An account that is open, or opening. It counts among the open ones until `closing` aborts. */
interface OpenAccount {
  readonly account: Account;
  readonly closing: AbortController;
  readonly ready: Promise<{ app: App; appFor: ReturnType<typeof scopeTo> }>;
  app?: App;
  /** Calls under way. */
  calls: number;
  idleSinceMs: number;
}

/** The accounts of a server: opened with the first call, closed when idle, taken out or changed. */
export function createAccounts(settings: AccountsSettings) {
  const { source, log, elapsed = () => performance.now() } = settings;
  const bounds = { ...defaultBounds, ...settings.bounds };
  const open = new Map<string, OpenAccount>();
  /** Each resolves when an application has closed. */
  const closingApps = new Set<Promise<void>>();
  const places = new FairQueue({ maxActive: bounds.maxOpen, maxWaiting: 1000 });
  const listeners: OnOpen[] = [];
  const budgets = new Map<string, RateBudget>();
  const memoryPools = openMemoryPools();
  const sweeping = setInterval(() => void sweep(), bounds.sweepMs).unref();
  let engine: Promise<SqlEngine> | undefined;
  let redis: Redis | undefined;

  const directory = {
    /** As they were when they were last looked up. */
    list: (): AccountList => source.list,
    /** What is wrong with the file, if anything is. */
    get problem() {
      return source.problem;
    },
    /** The account of a caller who names this one, or none, as the file is now. */
    async find(requested: string | undefined) {
      const wanted = requested ?? source.list.default;
      await refresh(wanted === undefined ? [] : [wanted]);
      const name = requested ?? source.list.default;
      return name !== undefined && source.list.accounts.has(name) ? name : undefined;
    },
  };

  async function acquire(caller: Caller): Promise<AcquiredApp> {
    const account = source.list.accounts.get(caller.account ?? '');
    if (account === undefined) throw closedError();
    const opened = open.get(account.name) ?? start(account);
    opened.calls++;
    const release = () => {
      opened.calls--;
      opened.idleSinceMs = elapsed();
      if (places.waiting.length > 0) makeRoom();
    };
    try {
      const { app, appFor } = await opened.ready;
      return { app, callerApp: appFor(caller), closing: opened.closing.signal, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    await refresh([...open.keys()]);
    const sinceMs = elapsed() - bounds.idleMs;
    for (const opened of idle()) if (opened.idleSinceMs <= sinceMs) closeAccount(opened);
    forgetBudgets();
    for (const account of source.list.accounts.values())
      if (account.fill && !open.has(account.name)) start(account).ready.catch(() => {});
  }

  /** Forgets the budgets of keys that no account has any more, once their last requests have ended. */
  function forgetBudgets(): void {
    const keys = new Set([...source.list.accounts.values()].map(keyOf));
    for (const [key, { state }] of budgets)
      if (inFlight(state) === 0 && !keys.has(key)) budgets.delete(key);
  }

  async function close(): Promise<void> {
    clearInterval(sweeping);
    const all = [...open.values()];
    for (const opened of all) closeAccount(opened);
    await Promise.all([...all.map(({ ready }) => ready.catch(() => {})), ...closingApps]);
    await (await engine)?.close();
    redis?.close();
  }

  async function refresh(names: readonly string[]): Promise<void> {
    await source.refresh(names);
    for (const opened of open.values())
      if (source.list.accounts.get(opened.account.name) !== opened.account) closeAccount(opened);
  }

  function idle(): OpenAccount[] {
    return [...open.values()]
      .filter(({ app, calls, account }) => app && calls === 0 && !account.fill)
      .sort((a, b) => a.idleSinceMs - b.idleSinceMs);
  }

  function makeRoom(): void {
    const [longest] = idle();
    if (longest) closeAccount(longest);
  }

  function start(account: Account): OpenAccount {
    const opened: OpenAccount = {
      ...{ account, closing: new AbortController(), calls: 0, idleSinceMs: elapsed() },
      ready: Promise.resolve().then(() => prepare(opened)),
    };
    open.set(account.name, opened);
    opened.ready.catch(() => closeAccount(opened));
    return opened;
  }

  async function prepare(opened: OpenAccount) {
    const { account, closing } = opened;
    if (places.active >= bounds.maxOpen) makeRoom();
    const release = await withDeadline({ ms: bounds.waitMs, signal: closing.signal }, (signal) =>
      places.enter({ signal }),
    ).catch(() => {
      throw new CommerceError('overloaded', 'Too many accounts are in use; ask again in a moment.');
    });
    if (closing.signal.aborted) release();
    else closing.signal.addEventListener('abort', release, { once: true });
    const app = await create(account);
    if (closing.signal.aborted) {
      await app.close();
      throw closedError();
    }
    opened.app = app;
    opened.idleSinceMs = elapsed();
    const about = { fill: account.fill, closing: closing.signal };
    for (const listener of listeners) listener(app, about);
    return { app, appFor: scopeTo(app) };
  }

  async function create(account: Account): Promise<App> {
    const { name, redisUrl } = account;
    const { describeWithinMs, sourceOf } = settings;
    const key = keyOf(account);
    const budget = budgets.get(key) ?? new RateBudget(() => performance.now());
    budgets.set(key, budget);
    // One connection serves all accounts.
    if (redisUrl) {
      const { openRedis } = await import('../../client/fleet/redis.ts');
      redis ??= openRedis(redisUrl);
    }
    return createApp({
      ...{ config: account, budget, account: name, memoryPools },
      ...(describeWithinMs !== undefined && { describeWithinMs }),
      source: sourceOf(account),
      log: withAccount(log, name),
      prepares: true,
      queryEngine: {
        run: async (statement) => (await sharedEngine()).run({ ...statement, group: name }),
        runInOneTurn: async (statements, { caller, signal }) => {
          // Accounts have callers of one name.
          const turn = { caller: `${caller} of ${name}`, group: name, signal };
          return (await sharedEngine()).runInOneTurn(statements, turn);
        },
        close: async () => {},
      },
      ...(redis && { redis }),
    });
  }

  function sharedEngine(): Promise<SqlEngine> | SqlEngine {
    if (settings.queryEngine) return settings.queryEngine;
    engine ??= openEngine(settings.config, true);
    return engine;
  }

  function closeAccount(opened: OpenAccount): void {
    const { account, closing, app } = opened;
    if (closing.signal.aborted) return;
    // Another one may have been opened since, as the account was changed.
    if (open.get(account.name) === opened) open.delete(account.name);
    closing.abort();
    if (app === undefined) return;
    const closed = app.close().then(() => void closingApps.delete(closed));
    closingApps.add(closed);
  }

  return {
    ...{ directory, log, acquire, sweep, close },
    apps: () => [...open.values()].flatMap(({ app }) => app ?? []),
    onOpen: (listener: OnOpen) => void listeners.push(listener),
  };
}

function keyOf({ baseUrl, clientId }: Account): string {
  return JSON.stringify([baseUrl, clientId]);
}

function closedError(): CommerceError {
  return new CommerceError('overloaded', 'The account was just closed; ask again in a moment.');
}
