/** Several accounts in one server: each has an application of its own, opened with its first call. */
import type { FleetSettings } from '../../client/fleet/fleet.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { type Priority, RateBudget } from '../../client/rate-limit/budget.ts';
import type { Account, AccountList, AccountSource } from '../../config/accounts-file.ts';
import type { ServerConfig } from '../../config.ts';
import { CommerceError } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { Log } from '../../core/log.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { withAccount } from '../telemetry/log.ts';
import { type App, type AppSettings, type Caller, createApp, openRooms, scopeTo } from './app.ts';
import { openEngine } from './sql-runtime.ts';

/** Which accounts there are: callers are told nothing of it. */
export interface Directory {
  /** As they were when they were last looked up. */
  list(): AccountList;
  /** The account of a caller who names this one, or none, as the file is now. */
  find(named: string | undefined): Promise<string | undefined>;
  /** What is wrong with the file, if anything is. */
  readonly problem?: string | undefined;
}

/** Is called with an application that opens: the period whose order lines it keeps filled, and when it closes. */
type OnOpen = (app: App, about: { fill?: string | undefined; ending: AbortSignal }) => void;

/** Where callers get their application: one for all, or that of their account. */
export interface AppSource {
  /** Where there are several. */
  readonly directory?: Directory;
  readonly log: Log;
  /** Those that are open. */
  apps(): readonly App[];
  /** Calls back with each that is open, now and later. */
  onOpen(listener: OnOpen): void;
  /**
   * The whole application and the caller's view of it, which stay open until `leave`.
   * @throws {CommerceError} `overloaded` where too many accounts are open and all of them work
   */
  enter(caller: Caller): Promise<{ app: App; view: App; ending: AbortSignal; leave(): void }>;
}

/** The one application that all callers share. */
export function soleApp(app: App, fill?: string): AppSource {
  const viewOf = scopeTo(app);
  const { signal: ending } = new AbortController();
  return {
    log: app.log,
    apps: () => [app],
    onOpen: (listener) => listener(app, { fill, ending }),
    enter: async (caller) => ({ app, view: viewOf(caller), ending, leave() {} }),
  };
}

/** Most accounts that are open at once. */
export const maxOpen = 50;

const standard = {
  maxOpen,
  /** An account without a call for so long is closed. */
  idleMs: 30 * 60_000,
  /** Longest that a call waits for another account to be idle. */
  waitMs: 10_000,
  /** How often idle accounts are looked for, and changes of those that nobody calls. */
  sweepMs: 10_000,
};

type Shared = 'version' | 'promptsFolder' | 'log' | 'queryEngine' | 'describeWithinMs';

export interface AccountsSettings extends Pick<AppSettings, Shared> {
  config: ServerConfig;
  source: AccountSource;
  sourceOf(account: Account): AppSettings['source'];
  bounds?: Partial<typeof standard>;
  /** A clock in milliseconds that never jumps. */
  elapsed?: () => number;
}

/** An account that is open, or opening. Its place is given back when it ends. */
interface Opened {
  readonly account: Account;
  readonly ending: AbortController;
  readonly ready: Promise<{ app: App; viewOf: ReturnType<typeof scopeTo> }>;
  app?: App;
  /** Calls under way. */
  calls: number;
  idleSinceMs: number;
}

/** The budget of a key that several accounts may have: each soon uses what another has learnt of it. */
class KeyBudget extends RateBudget {
  override nextCheckMs(priority: Priority): number {
    return Math.min(super.nextCheckMs(priority), performance.now() + 250);
  }
}

/** The accounts of a server: opened with the first call, closed when idle, taken out or changed. */
export function createAccounts(settings: AccountsSettings) {
  const { source, log, elapsed = () => performance.now() } = settings;
  const bounds = { ...standard, ...settings.bounds };
  const open = new Map<string, Opened>();
  const closing = new Set<Promise<void>>();
  /** Places of those that are open. */
  const places = new FairQueue({ maxActive: bounds.maxOpen, maxWaiting: 1000 });
  const listeners: OnOpen[] = [];
  const budgets = new Map<string, RateBudget>();
  const rooms = openRooms();
  const sweeping = setInterval(() => void sweep(), bounds.sweepMs).unref();
  let engine: Promise<SqlEngine> | undefined;
  let redis: Redis | undefined;

  const directory: Directory = {
    list: () => source.list,
    get problem() {
      return source.problem;
    },
    async find(named) {
      const wanted = named ?? source.list.default;
      await refresh(wanted === undefined ? [] : [wanted]);
      const name = named ?? source.list.default;
      return name !== undefined && source.list.accounts.has(name) ? name : undefined;
    },
  };

  async function enter(caller: Caller) {
    const account = source.list.accounts.get(caller.account ?? '');
    if (account === undefined) throw closed();
    const opened = open.get(account.name) ?? start(account);
    opened.calls++;
    const leave = () => {
      opened.calls--;
      opened.idleSinceMs = elapsed();
      if (places.waiting.length > 0) makeRoom();
    };
    try {
      const { app, viewOf } = await opened.ready;
      return { app, view: viewOf(caller), ending: opened.ending.signal, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Closes what is idle or no longer there, and opens what is to stay open. */
  async function sweep(): Promise<void> {
    await refresh([...open.keys()]);
    const sinceMs = elapsed() - bounds.idleMs;
    for (const opened of idle()) if (opened.idleSinceMs <= sinceMs) end(opened);
    forgetBudgets();
    for (const account of source.list.accounts.values())
      if (account.fill && !open.has(account.name)) start(account).ready.catch(() => {});
  }

  /** Forgets the budgets of keys that no account has any more, once their last requests have ended. */
  function forgetBudgets(): void {
    const keys = new Set([...source.list.accounts.values()].map(keyOf));
    for (const [key, { inFlight }] of budgets)
      if (inFlight === 0 && !keys.has(key)) budgets.delete(key);
  }

  async function close(): Promise<void> {
    clearInterval(sweeping);
    const all = [...open.values()];
    for (const opened of all) end(opened);
    await Promise.all([...all.map(({ ready }) => ready.catch(() => {})), ...closing]);
    await (await engine)?.close();
    redis?.close();
  }

  /** Reads the accounts as they are now, and closes those that are gone or changed. */
  async function refresh(names: readonly string[]): Promise<void> {
    await source.refresh(names);
    for (const opened of open.values())
      if (source.list.accounts.get(opened.account.name) !== opened.account) end(opened);
  }

  /** Those that may be closed, the longest idle first. */
  function idle(): Opened[] {
    return [...open.values()]
      .filter(({ app, calls, account }) => app && calls === 0 && !account.fill)
      .sort((a, b) => a.idleSinceMs - b.idleSinceMs);
  }

  function makeRoom(): void {
    const [longest] = idle();
    if (longest) end(longest);
  }

  function start(account: Account): Opened {
    const opened: Opened = {
      ...{ account, ending: new AbortController(), calls: 0, idleSinceMs: elapsed() },
      ready: Promise.resolve().then(() => prepare(opened)),
    };
    open.set(account.name, opened);
    opened.ready.catch(() => end(opened));
    return opened;
  }

  async function prepare(opened: Opened) {
    const { account, ending } = opened;
    if (places.active >= bounds.maxOpen) makeRoom();
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(bounds.waitMs)]);
    const release = await places.enter({ signal }).catch(() => {
      throw new CommerceError('overloaded', 'Too many accounts are in use; ask again in a moment.');
    });
    if (ending.signal.aborted) release();
    else ending.signal.addEventListener('abort', release, { once: true });
    const app = await create(account);
    if (ending.signal.aborted) {
      await app.close();
      throw closed();
    }
    opened.app = app;
    opened.idleSinceMs = elapsed();
    const about = { fill: account.fill, ending: ending.signal };
    for (const listener of listeners) listener(app, about);
    return { app, viewOf: scopeTo(app) };
  }

  async function create(account: Account): Promise<App> {
    const { name, baseUrl, clientId, redisUrl } = account;
    const { version, promptsFolder, describeWithinMs, sourceOf } = settings;
    const key = keyOf(account);
    const budget = budgets.get(key) ?? new KeyBudget(() => performance.now());
    budgets.set(key, budget);
    const fleet = redisUrl && (await join({ baseUrl, clientId, redisUrl, part: name }));
    return createApp({
      ...{ config: account, version, promptsFolder, budget, account: name, rooms },
      ...(describeWithinMs !== undefined && { describeWithinMs }),
      source: sourceOf(account),
      log: withAccount(log, name),
      prepares: true,
      queryEngine: {
        run: async (statement) => (await sharedEngine()).run({ ...statement, group: name }),
        close: async () => {},
      },
      ...(fleet && { fleet }),
    });
  }

  function sharedEngine(): Promise<SqlEngine> | SqlEngine {
    if (settings.queryEngine) return settings.queryEngine;
    engine ??= openEngine(settings.config, true);
    return engine;
  }

  /** One connection serves all accounts. */
  async function join(key: FleetSettings) {
    const { joinFleet, openRedis } = await import('../../client/fleet/fleet.ts');
    redis ??= openRedis(key.redisUrl);
    return joinFleet(key, redis);
  }

  function end(opened: Opened): void {
    const { account, ending, app } = opened;
    if (ending.signal.aborted) return;
    // Another one may have been opened since, as the account was changed.
    if (open.get(account.name) === opened) open.delete(account.name);
    ending.abort();
    if (app === undefined) return;
    const ended = app.close().then(() => void closing.delete(ended));
    closing.add(ended);
  }

  return {
    ...{ directory, log, enter, sweep, close },
    apps: () => [...open.values()].flatMap(({ app }) => app ?? []),
    onOpen: (listener: OnOpen) => void listeners.push(listener),
  };
}

/** Accounts with the same key share a budget. */
function keyOf({ baseUrl, clientId }: Account): string {
  return JSON.stringify([baseUrl, clientId]);
}

function closed(): CommerceError {
  return new CommerceError('overloaded', 'The account was just closed; ask again in a moment.');
}
