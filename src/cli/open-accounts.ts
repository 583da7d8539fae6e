import { followAccounts } from '../config/accounts-file.ts';
import { readServerConfig, refuseSetting } from '../config/config.ts';
import { settingMessages } from '../config/messages.ts';
import { Accounts, maxOpen } from '../mcp/app/accounts.ts';
import type { CommandLine } from './command-line.ts';
import { openLog, sourceOf, userCacheFolder } from './open-app.ts';

/** Opens the accounts of a file. @throws {ConfigError} */
export function openAccounts(line: CommandLine, path: string) {
  const config = readServerConfig(line);
  const log = openLog(line, config);
  const source = followAccounts(path, config, log);
  const all = [...source.list.accounts.values()];
  const filled = all.filter(({ fill }) => fill).map(({ name }) => name);
  const { length: count } = filled;
  if (count > 0 && config.keepDir === undefined)
    throw refuseSetting(
      'COMMERCE_KEEP_DIR',
      settingMessages.keep_dir_missing({ accounts: filled }),
    );
  const tooMany = settingMessages.too_many_filled({ count, max: maxOpen - 1 });
  if (count >= maxOpen) throw refuseSetting('COMMERCE_ACCOUNTS_FILE', tooMany);
  const { queryEngine, env } = line;
  const cacheFolder = userCacheFolder(env);
  const settings = { config, source, sourceOf, log, queryEngine, cacheFolder };
  return { config, accounts: new Accounts(settings) };
}
