import { type Config, ConfigError, isLoopback, readConfig } from '../config.ts';
import { builtFile } from '../core/files.ts';
import { createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import { accountOfFile } from './account-file.ts';
import { type CommandLine, UsageError } from './command-line.ts';
import { version } from './program.ts';

/**
 * Reads the configuration and starts the sandbox when asked for; its account then replaces every other.
 * `close` ends what was started.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openAccount(line: CommandLine) {
  const { env, values, switches } = line;
  if (!switches.has('sandbox')) {
    const account = await accountOfFile(line);
    const config = account?.config ?? readConfig({ env, flags: values });
    return { config, source: sourceOf(config), name: account?.name, close: async () => {} };
  }
  if (values.account !== undefined)
    throw new UsageError('--account names a real account: leave out --sandbox');
  const { descriptions, startSandbox } = await import('../sandbox/sandbox.ts');
  const { baseUrl, authUrl, clientId, clientSecret, close } = await startSandbox({
    description: descriptions.find((it) => it === values.description),
  });
  const account = {
    COMMERCE_BASE_URL: baseUrl,
    COMMERCE_AUTH_URL: authUrl,
    COMMERCE_CLIENT_ID: clientId,
    COMMERCE_CLIENT_SECRET: clientSecret,
  };
  const { 'base-url': _, 'auth-url': __, 'client-id': ___, ...flags } = values;
  try {
    // The examples of this package are definitions of the retailer that the sandbox is.
    const examples = { definitions: packaged('definitions') };
    const config = { ...examples, ...readConfig({ env: { ...env, ...account }, flags }) };
    return { config, source: 'sandbox' as const, name: undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** `sandbox` where one runs by itself: its client ids name its account. */
export function sourceOf({
  clientId,
  baseUrl,
}: Pick<Config, 'clientId' | 'baseUrl'>): 'live' | 'sandbox' {
  const isSandbox = /^[a-z]+_sandbox\./.test(clientId);
  return isSandbox && isLoopback(new URL(baseUrl).hostname) ? 'sandbox' : 'live';
}

/**
 * Opens the account and builds the application over it.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openApp(line: CommandLine) {
  const { config, source, name: account, close } = await openAccount(line);
  const { queryEngine } = line;
  if (config.fill !== undefined && config.keepDir === undefined) {
    await close();
    const problem =
      'is missing: it names the folder that keeps the lines which COMMERCE_FILL reads';
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
  }
  // What is shared with other processes on the key; loaded only where there is a Redis to share it in.
  const { redisUrl } = config;
  const fleetSettings = redisUrl && { ...config, redisUrl, part: account };
  const fleet =
    fleetSettings && (await (await import('../client/fleet/fleet.ts')).joinFleet(fleetSettings));
  const app = await createApp({
    config,
    source,
    ...(account !== undefined && { account }),
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

/** A folder of the package, next to `dist/`. */
export function packaged(folder: string): string {
  return builtFile(`../${folder}`) ?? folder;
}
