/** Several accounts in one server. Each has an application of its own, opened with its first call. */
import { openEngine } from '../../analysis/tables/statements.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { RateBudget } from '../../client/rate-limit/budget.ts';
import type { Account, AccountList, AccountSource } from '../../config/accounts-file.ts';
import type { ServerConfig } from '../../config/config.ts';
import { CommerceError } from '../../core/errors.ts';
import { type Log, messagesOf } from '../../core/message.ts';
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

export const accountMessages = messagesOf({
  too_many_accounts: 'Too many accounts are in use; ask again in a moment.',
  account_closed: 'The account was just closed; ask again in a moment.',
});

/** The accounts of a server, which callers do not get to see. */
export interface AccountDirectory extends Pick<AccountSource, 'list' | 'problem'> {
  /** The requested account, or else the default one, by the file as it is now. Undefined if there is none. */
  find(requested: string | undefined): Promise<string | undefined>;
}

/** Called with each application that opens. `fill` is its period of order lines; `closing` aborts when it closes. */
type OnOpen = (app: App, about: { fill?: string | undefined; closing: AbortSignal }) => void;

interface AcquiredApp {
  app: App;
  callerApp: App;
  /** Aborts when the application closes although it is used. */
  closing: AbortSignal;
  release(): void;
}

/** Gives callers their application: one for all, or one for each account. */
export interface AppProvider {
  readonly directory?: AccountDirectory;
  readonly log: Log;
  apps(): readonly App[];
  /** Calls back with each application that is open, now and later. */
  onOpen(listener: OnOpen): void;
  /**
   * The whole application and what the caller may have of it, which stay open until `release`.
   * @throws {CommerceError} `overloaded` where too many accounts are open and all of them work
   */
  acquire(caller: Caller): Promise<AcquiredApp>;
}

export function singleApp(app: App, fill?: string): AppProvider {
  const appFor = scopeTo(app);
  const { signal: closing } = new AbortController();
  return {
    log: app.log,
    apps: () => [app],
    onOpen: (listener) => listener(app, { fill, closing }),
    acquire: async (caller) => ({ app, callerApp: appFor(caller), closing, release() {} }),
  };
}

export const maxOpen = 50;

const defaultBounds = {
  maxOpen,
  idleMs: 30 * 60_000,
  sweepMs: 10_000,
};

export interface AccountsSettings
  extends Pick<AppSettings, 'log' | 'queryEngine' | 'describeWithinMs' | 'now' | 'cacheFolder'> {
  config: ServerConfig;
  source: AccountSource;
  sourceOf(account: Account): AppSettings['source'];
  bounds?: Partial<typeof defaultBounds>;
  elapsed?: () => number;
}

/** An account that is open, or opening. It counts among the open ones until `closing` aborts. */
interface OpenAccount {
  readonly account: Account;
  readonly closing: AbortController;
  readonly ready: Promise<{ app: App; appFor: ReturnType<typeof scopeTo> }>;
  app?: App;
  calls: number;
  /** End of its last call. */
  usedMs: number;
}

/** The accounts of a server: opened with the first call, closed when idle, taken out or changed. */
export class Accounts implements AppProvider, AccountDirectory {
  readonly log: Log;
  readonly directory = this;
  readonly #settings: AccountsSettings;
  readonly #bounds: typeof defaultBounds;
  readonly #elapsed: () => number;
  readonly #open = new Map<string, OpenAccount>();
  readonly #closing = new Set<Promise<void>>();
  readonly #listeners: OnOpen[] = [];
  readonly #sweeping: NodeJS.Timeout;
  // Accounts share memory, the engine, the connection to Redis, and the budget of a common key.
  readonly #memoryPools = openMemoryPools();
  readonly #budgets = new Map<string, RateBudget>();
  #engine: Promise<SqlEngine> | undefined;
  #redis: Redis | undefined;

  constructor(settings: AccountsSettings) {
    const { log, elapsed = () => performance.now() } = settings;
    this.log = log;
    this.#settings = settings;
    this.#bounds = { ...defaultBounds, ...settings.bounds };
    this.#elapsed = elapsed;
    this.#sweeping = setInterval(() => void this.sweep(), this.#bounds.sweepMs).unref();
  }

  get list(): AccountList {
    return this.#settings.source.list;
  }

  get problem(): string | undefined {
    return this.#settings.source.problem;
  }

  async find(requested: string | undefined): Promise<string | undefined> {
    const expectedName = requested ?? this.list.default;
    await this.#refresh(expectedName === undefined ? [] : [expectedName]);
    // The file may name another default now.
    const name = requested ?? this.list.default;
    return name !== undefined && this.list.accounts.has(name) ? name : undefined;
  }

  apps(): readonly App[] {
    return [...this.#open.values()].flatMap(({ app }) => app ?? []);
  }

  onOpen(listener: OnOpen): void {
    this.#listeners.push(listener);
  }

  async acquire(caller: Caller): Promise<AcquiredApp> {
    const account = this.list.accounts.get(caller.account ?? '');
    if (account === undefined) throw closedError();
    const entry = this.#open.get(account.name) ?? this.#start(account);
    entry.calls++;
    const release = () => {
      entry.calls--;
      entry.usedMs = this.#elapsed();
    };
    try {
      const { app, appFor } = await entry.ready;
      return { app, callerApp: appFor(caller), closing: entry.closing.signal, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Closes accounts that changed or were idle for long, and opens those that keep order lines filled. */
  async sweep(): Promise<void> {
    await this.#refresh([...this.#open.keys()]);
    const idleSinceMs = this.#elapsed() - this.#bounds.idleMs;
    for (const entry of this.#idle()) if (entry.usedMs <= idleSinceMs) this.#close(entry);
    for (const account of this.list.accounts.values())
      if (account.fill && !this.#open.has(account.name)) this.#start(account).ready.catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    const entries = [...this.#open.values()];
    for (const entry of entries) this.#close(entry);
    await Promise.all([...entries.map(({ ready }) => ready.catch(() => {})), ...this.#closing]);
    await (await this.#engine)?.close();
    this.#redis?.close();
  }

  /** Open accounts that may close: without a call, and not kept filled. The longest idle comes first. */
  #idle(): OpenAccount[] {
    const idle = [...this.#open.values()].filter(
      ({ calls, account }) => calls === 0 && !account.fill,
    );
    return idle.sort((a, b) => a.usedMs - b.usedMs);
  }

  async #refresh(names: readonly string[]): Promise<void> {
    await this.#settings.source.refresh(names);
    for (const entry of this.#open.values())
      if (this.list.accounts.get(entry.account.name) !== entry.account) this.#close(entry);
  }

  #start(account: Account): OpenAccount {
    const entry: OpenAccount = {
      account,
      closing: new AbortController(),
      calls: 0,
      usedMs: this.#elapsed(),
      ready: Promise.resolve().then(() => this.#prepare(entry)),
    };
    this.#open.set(account.name, entry);
    entry.ready.catch(() => this.#close(entry));
    return entry;
  }

  async #prepare(entry: OpenAccount) {
    const { signal } = entry.closing;
    const tooMany = this.#open.size - this.#bounds.maxOpen;
    if (tooMany > 0) for (const idle of this.#idle().slice(0, tooMany)) this.#close(idle);
    if (this.#open.size > this.#bounds.maxOpen)
      throw new CommerceError('overloaded', accountMessages.too_many_accounts());
    const app = await this.#openApp(entry.account);
    if (signal.aborted) {
      await app.close();
      throw closedError();
    }
    entry.app = app;
    const { fill } = entry.account;
    for (const listener of this.#listeners) listener(app, { fill, closing: signal });
    return { app, appFor: scopeTo(app) };
  }

  async #openApp(account: Account): Promise<App> {
    const { name, redisUrl } = account;
    const { describeWithinMs, now, sourceOf, log, cacheFolder } = this.#settings;
    const key = keyOf(account);
    const budget = this.#budgets.get(key) ?? new RateBudget(() => performance.now());
    this.#budgets.set(key, budget);
    if (redisUrl !== undefined) {
      const { openRedis } = await import('../../client/fleet/redis.ts');
      this.#redis ??= openRedis(redisUrl);
    }
    return createApp({
      config: account,
      budget,
      account: name,
      cacheFolder,
      memoryPools: this.#memoryPools,
      prepares: true,
      describeWithinMs,
      now,
      redis: redisUrl === undefined ? undefined : this.#redis,
      source: sourceOf(account),
      log: withAccount(log, name),
      queryEngine: this.#engineFor(name),
    });
  }

  #engineFor(group: string): SqlEngine {
    const { queryEngine, config } = this.#settings;
    const shared = async () => {
      if (queryEngine) return queryEngine;
      this.#engine ??= openEngine(config, true);
      return this.#engine;
    };
    return {
      run: async (statement) => (await shared()).run({ ...statement, group }),
      // Callers of two accounts may have one name.
      runInOneTurn: async (statements, { caller, signal }) =>
        (await shared()).runInOneTurn(statements, {
          caller: `${caller} of ${group}`,
          group,
          signal,
        }),
      close: async () => {},
    };
  }

  #close(entry: OpenAccount): void {
    const { account, closing, app } = entry;
    if (closing.signal.aborted) return;
    // A changed account may be open again already.
    if (this.#open.get(account.name) === entry) this.#open.delete(account.name);
    closing.abort();
    if (app === undefined) return;
    const closingApp = app.close(closedError()).then(() => void this.#closing.delete(closingApp));
    this.#closing.add(closingApp);
  }
}

function closedError(): CommerceError {
  return new CommerceError('overloaded', accountMessages.account_closed());
}

function keyOf({ baseUrl, clientId }: Account): string {
  return JSON.stringify([baseUrl, clientId]);
}
