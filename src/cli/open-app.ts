import { ConfigError } from '../config/config.ts';
import { createApp } from '../mcp/app/app.ts';
import { createLog } from '../mcp/telemetry/log.ts';
import { openAccount } from './account.ts';
import type { CommandLine } from './command-line.ts';

/**
 * Opens the account of a command line and builds the application over it; `close` ends both.
 *
 * @throws {ConfigError} with one line for each setting that is missing or wrong.
 */
export async function openApp(line: CommandLine) {
  const { config, source, name: account, close } = await openAccount(line);
  const { queryEngine } = line;
  const { fill, keepDir } = config;
  if (fill !== undefined && keepDir === undefined) {
    await close();
    const problem =
      'is missing: it names the folder that keeps the lines which COMMERCE_FILL reads';
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
  }
  const app = await createApp({
    ...{ config, source, log: createLog(config.logLevel) },
    ...(account !== undefined && { account }),
    ...(queryEngine && { queryEngine }),
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
