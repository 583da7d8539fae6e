import { readServerConfig } from '../config.ts';
import { quote } from '../core/text.ts';
import { type CommandLine, UsageError } from './command-line.ts';

/** The path of the file of accounts, where one is named. */
export function accountsPath({
  env,
  values,
}: Pick<CommandLine, 'env' | 'values'>): string | undefined {
  return values['accounts-file']?.trim() || env.COMMERCE_ACCOUNTS_FILE?.trim() || undefined;
}

/** The accounts of the file that is named, and the settings beside them. @throws {ConfigError} */
export async function readAccountsOf({ env, values }: CommandLine, path: string) {
  // What `fill` takes on a command line is a period of its own, not that of an account.
  const { fill: _, ...flags } = values;
  const server = readServerConfig({ env, flags });
  const { readAccounts } = await import('../config/accounts-file.ts');
  return { ...(await readAccounts(path, server)), server };
}

/**
 * The account of the file that `--account` names, or its default; undefined without a file.
 *
 * @throws {UsageError} that lists the names: who runs a command owns the file
 */
export async function accountOfFile(line: CommandLine) {
  const { account: named, fill } = line.values;
  const path = accountsPath(line);
  if (path === undefined) {
    if (named === undefined) return undefined;
    throw new UsageError('--account takes the name of one in a file: set COMMERCE_ACCOUNTS_FILE');
  }
  const { accounts, default: standard } = await readAccountsOf(line, path);
  const name = named ?? standard ?? '';
  const account = accounts.get(name);
  if (account) return { name, config: { ...account, fill } };
  const problem = name === '' ? 'No account is named' : `There is no account ${quote(name, 60)}`;
  throw new UsageError(
    `${problem} (--account). Those of ${path} are: ${[...accounts.keys()].join(', ')}.`,
  );
}
