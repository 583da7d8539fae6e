/** Several accounts in one server: each has an application of its own, opened with its first call. */
import type { FleetSettings } from '../../client/fleet/fleet.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { type Priority, RateBudget } from '../../client/rate-limit/budget.ts';
import type { Account, AccountList, AccountSource } from '../../config/accounts-file.ts';
import type { ServerConfig } from '../../config.ts';
import { CommerceError } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { type Log, withAccount } from '../telemetry/log.ts';
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
  override nextLookMs(priority: Priority): number {
    return Math.min(super.nextLookMs(priority), performance.now() + 250);
  }
}

/** The accounts of a server: opened with the first call, closed when idle, taken out or changed. */
export class Accounts implements AppSource, Directory {
  readonly directory = this;
  readonly log: Log;
  readonly #settings: AccountsSettings;
  readonly #bounds: typeof standard;
  readonly #elapsed: () => number;
  readonly #open = new Map<string, Opened>();
  readonly #closing = new Set<Promise<void>>();
  /** Places of those that are open. */
  readonly #places: FairQueue;
  readonly #listeners: OnOpen[] = [];
  readonly #budgets = new Map<string, RateBudget>();
  readonly #rooms = openRooms();
  readonly #sweeping: NodeJS.Timeout;
  #engine: Promise<SqlEngine> | undefined;
  #redis: Redis | undefined;

  constructor(settings: AccountsSettings) {
    this.#settings = settings;
    this.log = settings.log;
    this.#bounds = { ...standard, ...settings.bounds };
    this.#elapsed = settings.elapsed ?? (() => performance.now());
    const [maxActive, maxWaiting] = [this.#bounds.maxOpen, 1000];
    const each = { maxActivePerCaller: maxActive, maxWaitingPerCaller: maxWaiting };
    this.#places = new FairQueue({ maxActive, maxWaiting, ...each });
    this.#sweeping = setInterval(() => void this.sweep(), this.#bounds.sweepMs).unref();
  }

  get problem(): string | undefined {
    return this.#settings.source.problem;
  }

  list(): AccountList {
    return this.#settings.source.list;
  }

  async find(named: string | undefined): Promise<string | undefined> {
    const wanted = named ?? this.list().default;
    await this.#refresh(wanted === undefined ? [] : [wanted]);
    const name = named ?? this.list().default;
    return name !== undefined && this.list().accounts.has(name) ? name : undefined;
  }

  apps(): readonly App[] {
    return [...this.#open.values()].flatMap(({ app }) => app ?? []);
  }

  onOpen(listener: OnOpen): void {
    this.#listeners.push(listener);
  }

  async enter(caller: Caller) {
    const account = this.list().accounts.get(caller.account ?? '');
    if (account === undefined) throw closed();
    const opened = this.#open.get(account.name) ?? this.#start(account);
    opened.calls++;
    const leave = () => {
      opened.calls--;
      opened.idleSinceMs = this.#elapsed();
      if (this.#places.waiting.length > 0) this.#makeRoom();
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
  async sweep(): Promise<void> {
    await this.#refresh([...this.#open.keys()]);
    const sinceMs = this.#elapsed() - this.#bounds.idleMs;
    for (const opened of this.#idle()) if (opened.idleSinceMs <= sinceMs) this.#close(opened);
    for (const account of this.list().accounts.values())
      if (account.fill && !this.#open.has(account.name)) this.#start(account).ready.catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    const all = [...this.#open.values()];
    for (const opened of all) this.#close(opened);
    await Promise.all([...all.map(({ ready }) => ready.catch(() => {})), ...this.#closing]);
    await (await this.#engine)?.close();
    this.#redis?.close();
  }

  /** Reads the accounts as they are now, and closes those that are gone or changed. */
  async #refresh(names: readonly string[]): Promise<void> {
    await this.#settings.source.refresh(names);
    for (const opened of this.#open.values())
      if (this.list().accounts.get(opened.account.name) !== opened.account) this.#close(opened);
  }

  /** Those that may be closed, the longest idle first. */
  #idle(): Opened[] {
    return [...this.#open.values()]
      .filter(({ app, calls, account }) => app && calls === 0 && !account.fill)
      .sort((a, b) => a.idleSinceMs - b.idleSinceMs);
  }

  #makeRoom(): void {
    const [longest] = this.#idle();
    if (longest) this.#close(longest);
  }

  #start(account: Account): Opened {
    const opened: Opened = {
      ...{ account, ending: new AbortController(), calls: 0, idleSinceMs: this.#elapsed() },
      ready: Promise.resolve().then(() => this.#prepare(opened)),
    };
    this.#open.set(account.name, opened);
    opened.ready.catch(() => this.#close(opened));
    return opened;
  }

  async #prepare(opened: Opened) {
    const { account, ending } = opened;
    if (this.#places.active >= this.#bounds.maxOpen) this.#makeRoom();
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(this.#bounds.waitMs)]);
    const release = await this.#places.enter({ signal }).catch(() => {
      throw new CommerceError('overloaded', 'Too many accounts are in use; ask again in a moment.');
    });
    if (ending.signal.aborted) release();
    else ending.signal.addEventListener('abort', release, { once: true });
    const app = await this.#create(account);
    if (ending.signal.aborted) {
      await app.close();
      throw closed();
    }
    opened.app = app;
    opened.idleSinceMs = this.#elapsed();
    const about = { fill: account.fill, ending: ending.signal };
    for (const listener of this.#listeners) listener(app, about);
    return { app, viewOf: scopeTo(app) };
  }

  async #create(account: Account): Promise<App> {
    const { name, baseUrl, clientId, redisUrl } = account;
    const { version, promptsFolder, describeWithinMs, sourceOf } = this.#settings;
    const key = JSON.stringify([baseUrl, clientId]);
    const budget = this.#budgets.get(key) ?? new KeyBudget(() => performance.now());
    this.#budgets.set(key, budget);
    const fleet = redisUrl && (await this.#join({ baseUrl, clientId, redisUrl, part: name }));
    return createApp({
      ...{ config: account, version, promptsFolder, budget, account: name, rooms: this.#rooms },
      ...(describeWithinMs !== undefined && { describeWithinMs }),
      source: sourceOf(account),
      log: withAccount(this.log, name),
      prepares: true,
      queryEngine: {
        run: async (statement) => (await this.#sharedEngine()).run({ ...statement, group: name }),
        close: async () => {},
      },
      ...(fleet && { fleet }),
    });
  }

  #sharedEngine(): Promise<SqlEngine> | SqlEngine {
    const { queryEngine, config } = this.#settings;
    if (queryEngine) return queryEngine;
    this.#engine ??= openEngine(config, true);
    return this.#engine;
  }

  /** One connection serves all accounts. */
  async #join(key: FleetSettings) {
    const { joinFleet, openRedis } = await import('../../client/fleet/fleet.ts');
    this.#redis ??= openRedis(key.redisUrl);
    return joinFleet(key, this.#redis);
  }

  #close(opened: Opened): void {
    const { account, ending, app } = opened;
    if (ending.signal.aborted) return;
    // Another one may have been opened since, as the account was changed.
    if (this.#open.get(account.name) === opened) this.#open.delete(account.name);
    ending.abort();
    if (app === undefined) return;
    const closing = app.close().then(() => void this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function closed(): CommerceError {
  return new CommerceError('overloaded', 'The account was just closed; ask again in a moment.');
}
