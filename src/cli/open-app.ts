import { ConfigError } from '../config/problem.ts';
import type { Message } from '../core/message.ts';
import { createApp } from '../mcp/app/app.ts';
import { openAccount } from './account.ts';
import type { CommandLine } from './command-line.ts';
import { openLog } from './open-log.ts';

declare module '../core/message.ts' {
  interface PersonMessages {
    /** `accounts`: those of several that name a period to fill. */
    keep_dir_missing: { accounts?: readonly string[] };
    keep_dir_unusable: { reason: Message };
    too_many_filled: { count: number; most: number };
  }
}

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
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem: { code: 'keep_dir_missing' } }]);
  }
  const app = await createApp({
    ...{ config, source, log: openLog(line, config) },
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
