import { openEngine } from '../../analysis/tables/run-statements.ts';
import type { Redis } from '../../client/fleet/redis.ts';
import { RateBudget } from '../../client/rate-limit/budget.ts';
import { inFlight } from '../../client/rate-limit/rules.ts';
import type { Account } from '../../config/accounts-file.ts';
import type { ServerConfig } from '../../config/config.ts';
import type { SqlEngine } from '../../query/engine.ts';
import { withAccount } from '../telemetry/log.ts';
import { type App, type AppSettings, createApp, openMemoryPools } from './app.ts';

export interface OpenerSettings
  extends Pick<AppSettings, 'log' | 'queryEngine' | 'describeWithinMs' | 'now'> {
  config: ServerConfig;
  sourceOf(account: Account): AppSettings['source'];
}

/**
 * Opens applications of accounts with what they share: memory, the engine, the connection to Redis, and the budget of
 * a key that several have.
 */
export class AccountOpener {
  readonly #settings: OpenerSettings;
  readonly #budgets = new Map<string, RateBudget>();
  readonly #memoryPools = openMemoryPools();
  #engine: Promise<SqlEngine> | undefined;
  #redis: Redis | undefined;

  constructor(settings: OpenerSettings) {
    this.#settings = settings;
  }

  async open(account: Account): Promise<App> {
    const { name } = account;
    const { describeWithinMs, now, sourceOf, log } = this.#settings;
    const key = keyOf(account);
    const budget = this.#budgets.get(key) ?? new RateBudget(() => performance.now());
    this.#budgets.set(key, budget);
    const redis = await this.#connect(account);
    return createApp({
      ...{ config: account, budget, account: name, memoryPools: this.#memoryPools },
      ...(describeWithinMs !== undefined && { describeWithinMs }),
      ...(now && { now }),
      source: sourceOf(account),
      log: withAccount(log, name),
      prepares: true,
      queryEngine: this.#engineOf(name),
      ...(redis && { redis }),
    });
  }

  /** Forgets the budgets of keys that no account has any more, once their last requests have ended. */
  forgetBudgets(accounts: readonly Account[]): void {
    const keys = new Set(accounts.map(keyOf));
    for (const [key, { state }] of this.#budgets)
      if (inFlight(state) === 0 && !keys.has(key)) this.#budgets.delete(key);
  }

  async close(): Promise<void> {
    await (await this.#engine)?.close();
    this.#redis?.close();
  }

  async #connect({ redisUrl }: Account): Promise<Redis | undefined> {
    if (redisUrl === undefined) return undefined;
    const { openRedis } = await import('../../client/fleet/redis.ts');
    this.#redis ??= openRedis(redisUrl);
    return this.#redis;
  }

  /** The engine for one account, which takes turns with the others. */
  #engineOf(name: string): SqlEngine {
    const { queryEngine, config } = this.#settings;
    const shared = async () => {
      if (queryEngine) return queryEngine;
      this.#engine ??= openEngine(config, true);
      return this.#engine;
    };
    return {
      run: async (statement) => (await shared()).run({ ...statement, group: name }),
      runInOneTurn: async (statements, { caller, signal }) => {
        // Accounts have callers of one name.
        const turn = { caller: `${caller} of ${name}`, group: name, signal };
        return (await shared()).runInOneTurn(statements, turn);
      },
      close: async () => {},
    };
  }
}

function keyOf({ baseUrl, clientId }: Account): string {
  return JSON.stringify([baseUrl, clientId]);
}
