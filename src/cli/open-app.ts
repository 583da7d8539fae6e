/** The account that a command line means (of the environment, of a file of several, or the sandbox's), and its application. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type Config,
  type ConfigSource,
  readConfig,
  readServerConfig,
  refuseSetting,
  settings,
  unknownVariables,
} from '../config/config.ts';
import { settingMessages } from '../config/messages.ts';
import { isLoopback } from '../config/values.ts';
import type { Log } from '../core/message.ts';
import { packaged } from '../core/program.ts';
import { createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { usageMessages } from './messages.ts';

/** Variables and flags that say which account is meant. */
export const accountNames: readonly (string | undefined)[] = settings
  .filter(({ group, key }) => group === 'account' || key === 'accountsFile')
  .flatMap(({ variable, fileVariable, flag }) => [variable, fileVariable, flag])
  .concat('account');

/** Variables or flags except those that name an account. */
export function withoutAccount(named: ConfigSource['env']): ConfigSource['env'] {
  return Object.fromEntries(Object.entries(named).filter(([name]) => !accountNames.includes(name)));
}

/** Whether flags or variables say which account is meant. */
export function namesAccount({ env, flags }: CommandLine): boolean {
  return flags.sandbox !== undefined || accountNames.some((name = '') => flags[name] || env[name]);
}

/** The path of the file of accounts, where one is named. */
export function accountsPath({ env, flags }: CommandLine): string | undefined {
  return flags['accounts-file']?.trim() || env.COMMERCE_ACCOUNTS_FILE?.trim() || undefined;
}

/** The accounts of the file that is named, and the settings beside them. @throws {ConfigError} */
export async function accountsFromFile(
  { env, flags: { fill: _, ...flags } }: CommandLine,
  path: string,
) {
  // The flag `fill` of a command line is a period of the command `fill`, no setting of an account.
  const server = readServerConfig({ env, flags });
  const { readAccounts } = await import('../config/accounts-file.ts');
  return { ...(await readAccounts(path, server)), server };
}

/** The account of the file that `--account` names, or its default; undefined without a file. @throws {UsageError} */
export async function accountFromFile(line: CommandLine) {
  const { account: requested, fill } = line.flags;
  const path = accountsPath(line);
  if (path === undefined) {
    if (requested === undefined) return undefined;
    throw new UsageError(usageMessages.account_without_file());
  }
  const { accounts, default: defaultName } = await accountsFromFile(line, path);
  const name = requested ?? defaultName ?? '';
  const account = accounts.get(name);
  if (account) return { name, config: { ...account, fill } };
  throw new UsageError(usageMessages.unknown_account({ name, path, names: [...accounts.keys()] }));
}

/**
 * Reads the configuration, and starts the sandbox when asked for: its account replaces every other. `close` ends it.
 * @throws {ConfigError}
 */
export async function openAccount(line: CommandLine) {
  const { env, flags } = line;
  if (!flags.sandbox) {
    const account = await accountFromFile(line);
    const config = account?.config ?? readConfig(line);
    return { config, source: sourceOf(config), name: account?.name, close: async () => {} };
  }
  if (flags.account !== undefined) throw new UsageError(usageMessages.account_and_sandbox());
  const { descriptions, startSandbox } = await import('../sandbox/sandbox.ts');
  const { baseUrl, authUrl, clientId, clientSecret, close } = await startSandbox({
    description: descriptions.find((name) => name === flags.description),
  });
  // The examples of this package are definitions of the retailer that the sandbox is.
  const definitions = packaged('definitions');
  const fallback = { baseUrl, authUrl, clientId, clientSecret, definitions };
  const own = { env: withoutAccount(env), flags: withoutAccount(flags) };
  try {
    const config = readConfig({ ...own, fallback });
    return { config, source: 'sandbox' as const, name: undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `sandbox` where one runs by itself: its client ids name its account. */
export function sourceOf(config: Pick<Config, 'clientId' | 'baseUrl'>): 'live' | 'sandbox' {
  const isSandbox = /^[a-z]+_sandbox\./.test(config.clientId);
  return isSandbox && isLoopback(new URL(config.baseUrl).hostname) ? 'sandbox' : 'live';
}

/** Opens the account of a command line and builds the application over it; `close` ends both. @throws {ConfigError} */
export async function openApp(line: CommandLine) {
  const { config, source, name: account, close } = await openAccount(line);
  if (config.fill !== undefined && config.keepDir === undefined) {
    await close();
    throw refuseSetting('COMMERCE_KEEP_DIR', settingMessages.keep_dir_missing({}));
  }
  const { queryEngine } = line;
  const cacheFolder = line.flags.sandbox ? undefined : userCacheFolder(line.env);
  const log = openLog(line, config);
  const app = await createApp({ config, source, account, queryEngine, cacheFolder, log });
  return {
    app,
    config,
    async close() {
      await app.close();
      await close();
    },
  };
}

/** The log of a command; variables that are mistyped come first. */
export function openLog(
  { env }: Pick<CommandLine, 'env'>,
  { logLevel, auditFile }: Pick<Config, 'logLevel' | 'auditFile'>,
): Log {
  const log = createLog(logLevel, { auditFile });
  for (const unknown of unknownVariables(env)) log.warn(unknown, 'this variable is no setting');
  return log;
}

/** The folder where this system keeps caches of the user's programs. */
export function userCacheFolder(
  env: CommandLine['env'],
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  const own = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(platform === 'win32' ? local : env.XDG_CACHE_HOME || own, 'commerce-mcp');
}
