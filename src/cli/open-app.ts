import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Fleet } from '../client/fleet/fleet.ts';
import { type Config, ConfigError, isLoopback, readConfig } from '../config.ts';
import { type App, createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import type { AccountLine } from './command-line.ts';
import { version } from './program.ts';

/** Whose account is asked, with the sandbox that was started where one was asked for. */
export interface Account {
  config: Config;
  source: 'live' | 'sandbox';
  close(): Promise<void>;
}

/** The application and what was started for it. */
export interface Opened {
  app: App;
  config: Config;
  close(): Promise<void>;
}

const noKeepDir = {
  name: 'COMMERCE_KEEP_DIR',
  problem: 'is missing: it names the folder in which the lines are kept that COMMERCE_FILL reads',
};

/**
 * Reads the configuration and starts the sandbox when asked for; its account then replaces every other.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openAccount(line: AccountLine): Promise<Account> {
  const { env, values: flags, switches } = line;
  if (!switches.has('sandbox')) {
    const config = readConfig({ env, flags });
    return { config, source: isSandboxAccount(config) ? 'sandbox' : 'live', close: async () => {} };
  }
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  const { baseUrl, authUrl, clientId, clientSecret, close } = await startSandbox();
  const account = {
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_AUTH_URL: authUrl,
    COMMERCE_CLIENT_ID: clientId,
    COMMERCE_CLIENT_SECRET: clientSecret,
  };
  const noFlags = { 'base-url': undefined, 'auth-url': undefined, 'client-id': undefined };
  try {
    const config = readConfig({ env: { ...env, ...account }, flags: { ...flags, ...noFlags } });
    return { config, source: 'sandbox', close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens the account and builds the application over it.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openApp(line: AccountLine): Promise<Opened> {
  const { config: given, source, close } = await openAccount(line);
  if (given.fill !== undefined && given.keepDir === undefined) {
    await close();
    throw new ConfigError([noKeepDir]);
  }
  const { queryEngine, switches } = line;
  // The examples of this package are definitions of the retailer that the sandbox is.
  const definitions = switches.has('sandbox') ? packaged('definitions') : undefined;
  const config = { ...(definitions && { definitions }), ...given };
  const fleet = await openFleet(config);
  const app = await createApp({
    config,
    source,
    version,
    promptsFolder: packaged('prompts'),
    log: createLog(config.logLevel),
    ...(queryEngine && { queryEngine }),
    ...(fleet && { fleet }),
  });
  return {
    app,
    config,
    async close() {
      await app.close();
      await close();
    },
  };
}

/** What is shared with other processes on the key; loaded only where there is a Redis to share it in. */
async function openFleet({ redisUrl, ...key }: Config): Promise<Fleet | undefined> {
  if (redisUrl === undefined) return undefined;
  const { joinFleet } = await import('../client/fleet/fleet.ts');
  return joinFleet({ ...key, redisUrl });
}

/**
 * Whether the account is that of a sandbox that runs by itself: its client ids name the account
 * `sandbox`, and it listens on this machine only.
 */
function isSandboxAccount({ baseUrl, clientId }: Config): boolean {
  return isLoopback(new URL(baseUrl).hostname) && /^[a-z]+_sandbox\./.test(clientId);
}

/** Folders of the package lie beside `dist/`, and beside `src/` in a checkout. */
function packaged(folder: string): string {
  const candidates = ['..', '../..', '../../..'].map((path) =>
    fileURLToPath(new URL(`${path}/${folder}`, import.meta.url)),
  );
  return candidates.find((path) => existsSync(path)) ?? folder;
}
