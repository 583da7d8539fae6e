/** Opens the account of a command line (of the environment, a file of accounts, or the sandbox) and its application. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type Config,
  type ConfigSource,
  readConfig,
  readServerConfig,
  settings,
  unknownVariables,
} from '../config/config.ts';
import { isLoopback } from '../config/values.ts';
import type { Log } from '../core/message.ts';
import { packageFolder } from '../core/program.ts';
import { createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { usageMessages } from './messages.ts';

/** Variables and flags that select an account. */
export const accountOptions: readonly (string | undefined)[] = settings
  .filter(({ group, key }) => group === 'account' || key === 'accountsFile')
  .flatMap(({ variable, fileVariable, flag }) => [variable, fileVariable, flag])
  .concat('account');

/** Removes variables or flags that select an account. */
export function removeAccount(values: ConfigSource['env']): ConfigSource['env'] {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !accountOptions.includes(name)),
  );
}

export function namesAccount({ env, flags }: CommandLine): boolean {
  return flags.sandbox !== undefined || accountOptions.some((key = '') => flags[key] || env[key]);
}

export function accountsPath({ env, flags }: CommandLine): string | undefined {
  return flags['accounts-file']?.trim() || env.COMMERCE_ACCOUNTS_FILE?.trim() || undefined;
}

/** The accounts of a file. @throws {ConfigError} */
export async function accountsFromFile(line: CommandLine, path: string) {
  const server = readServerConfig(line);
  const { readAccounts } = await import('../config/accounts-file.ts');
  return readAccounts(path, server);
}

/** The account that `--account` names in the file, or its default; undefined without a file. @throws {UsageError} */
export async function accountFromFile(line: CommandLine) {
  const { account: requested } = line.flags;
  const path = accountsPath(line);
  if (path === undefined) {
    if (requested === undefined) return undefined;
    throw new UsageError(usageMessages.account_without_file());
  }
  const { accounts, default: defaultName } = await accountsFromFile(line, path);
  const name = requested ?? defaultName ?? '';
  const account = accounts.get(name);
  if (account) return { name, config: account };
  throw new UsageError(usageMessages.unknown_account({ name, path, names: [...accounts.keys()] }));
}

/**
 * Reads the configuration. With `--sandbox` it starts the sandbox, whose account replaces all others; `close` ends
 * it.
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
  // The packaged examples are definitions of the retailer in the sandbox.
  const definitions = packageFolder('definitions');
  const fallback = { baseUrl, authUrl, clientId, clientSecret, definitions };
  const others = { env: removeAccount(env), flags: removeAccount(flags) };
  try {
    const config = readConfig({ ...others, fallback });
    return { config, source: 'sandbox' as const, name: undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Recognises a sandbox that runs separately by its client ids. */
export function sourceOf(config: Pick<Config, 'clientId' | 'baseUrl'>): 'live' | 'sandbox' {
  const isSandbox = /^[a-z]+_sandbox\./.test(config.clientId);
  return isSandbox && isLoopback(new URL(config.baseUrl).hostname) ? 'sandbox' : 'live';
}

/** Opens the account of a command line and its application; `close` ends both. @throws {ConfigError} */
export async function openApp(line: CommandLine) {
  const { config, source, name: account, close } = await openAccount(line);
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

export function openLog(
  { env }: Pick<CommandLine, 'env'>,
  { logLevel, auditFile }: Pick<Config, 'logLevel' | 'auditFile'>,
): Log {
  const log = createLog(logLevel, { auditFile });
  for (const unknown of unknownVariables(env)) log.warn(unknown, 'this variable is no setting');
  return log;
}

export function userCacheFolder(
  env: CommandLine['env'],
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  const own = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(platform === 'win32' ? local : env.XDG_CACHE_HOME || own, 'commerce-mcp');
}
