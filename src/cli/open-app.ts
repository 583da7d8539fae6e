import { ConfigError } from '../config.ts';
import { createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import { openAccount, packaged } from './account.ts';
import type { CommandLine } from './command-line.ts';
import { version } from './program.ts';

/**
 * Opens the account of a command line and builds the application over it; `close` ends both.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openApp(line: CommandLine) {
  const { config, source, name: account, close } = await openAccount(line);
  const { queryEngine } = line;
  const { redisUrl, fill, keepDir } = config;
  if (fill !== undefined && keepDir === undefined) {
    await close();
    const problem =
      'is missing: it names the folder that keeps the lines which COMMERCE_FILL reads';
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
  }
  // What is shared with other processes on the key; loaded only where there is a Redis to share it in.
  const settings = redisUrl && { ...config, redisUrl, part: account };
  const fleet = settings && (await (await import('../client/fleet/fleet.ts')).joinFleet(settings));
  const app = await createApp({
    ...{ config, source, version, promptsFolder: packaged('prompts') },
    log: createLog(config.logLevel),
    ...(account !== undefined && { account }),
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
