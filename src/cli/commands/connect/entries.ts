import { basename } from 'node:path';
import { settings } from '../../../config/config.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { packageName } from '../../../core/program.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { accountOptions, namesAccount, removeAccount } from '../../open-app.ts';
import { programPath } from '../../program.ts';
import { say } from '../../terminal/text.ts';
import { type ClientDefinition, clients, readClient } from './clients.ts';
import { type Entry, serversOf } from './configuration.ts';
import { connectMessages } from './messages.ts';

export interface ConnectedEntry extends Entry {
  /** Empty for a server over HTTP. */
  command: string;
  args: readonly string[];
  /** Variables as written, with unresolved references. */
  env: Readonly<Record<string, string>>;
  isSandbox: boolean;
  /** The account of the file that it names. */
  account?: string | undefined;
}

/** The entries of this server for every client, and whether its configuration is broken. */
export async function readClients() {
  const read = async (client: ClientDefinition) => {
    const servers = await serversOf(client).catch(() => undefined);
    return { client, entries: entriesIn(client, servers ?? {}), isBroken: servers === undefined };
  };
  return Promise.all(clients.map(read));
}

export function entriesIn(client: ClientDefinition, servers: JsonObject): ConnectedEntry[] {
  return Object.entries(servers)
    .map(([name, content]) =>
      readEntry({ client, name, content: isRecord(content) ? content : {} }),
    )
    .filter(({ name, args, env }) => {
      const isProgram = args.includes(programPath()) || args.includes(packageName);
      return isProgram || name.startsWith('commerce') || 'COMMERCE_CLIENT_ID' in env;
    });
}

export function readEntry(entry: Entry): ConnectedEntry {
  const { command, cmd, env, envs } = entry.content;
  const args = Array.isArray(entry.content.args) ? entry.content.args.map(String) : [];
  const variables = Object.entries(Object(env ?? envs)).map(([key, value]) => [key, String(value)]);
  const account = args.includes('--account') ? args[args.indexOf('--account') + 1] : undefined;
  return {
    ...entry,
    args,
    account,
    command: String(command ?? cmd ?? ''),
    env: Object.fromEntries(variables),
    isSandbox: args.includes('--sandbox'),
  };
}

/** Keys of an entry that tell how a server is started or reached, for all clients. */
const connectionKeys = [
  ...['type', 'command', 'cmd', 'args', 'env', 'envs', 'url', 'serverUrl', 'httpUrl', 'uri'],
  ...['headers', 'env_keys', 'bearer_token_env_var'],
];

/**
 * Writes an entry over an existing one. Keys, variables and flags that a person added stay, unless they select the
 * account or server.
 */
export function rewriteEntry(entry: ConnectedEntry, present: unknown): ConnectedEntry {
  if (!isRecord(present)) return entry;
  const { client, name, content } = entry;
  const oldEntry = readEntry({ client, name, content: present });
  const merged = mergeKeys(present, content, (key) => connectionKeys.includes(key));
  if (entry.command !== '') {
    const env = mergeKeys(oldEntry.env, entry.env, (key) => accountOptions.includes(key));
    const key = 'envs' in content ? 'envs' : 'env';
    Object.assign(merged, {
      args: mergeArgs(oldEntry, entry),
      ...(Object.keys(env).length > 0 && { [key]: env }),
    });
  }
  return readEntry({ client, name, content: merged });
}

/** New values, and old values of keys that are not ours, in the old order. */
function mergeKeys<Value>(
  oldValues: Readonly<Record<string, Value>>,
  newValues: Readonly<Record<string, Value>>,
  isOurs: (key: string) => boolean,
): Record<string, Value> {
  const all = Object.entries({ ...oldValues, ...newValues });
  return Object.fromEntries(all.filter(([key]) => key in newValues || !isOurs(key)));
}

/** The arguments with the flags that a person added, for Node and for this program. */
function mergeArgs(oldEntry: ConnectedEntry, newEntry: ConnectedEntry): readonly string[] {
  const programPlace = programIndex(oldEntry.args);
  if (programPlace < 0) return newEntry.args;
  const isSameLauncher = basename(oldEntry.command) === basename(newEntry.command);
  const ownPlace = programIndex(newEntry.args);
  const launcher = isSameLauncher
    ? oldEntry.args.slice(0, programPlace)
    : newEntry.args.slice(0, ownPlace);
  const givenFlags = settings
    .filter(({ variable }) => variable in newEntry.env)
    .map(({ flag }) => flag);
  const ownFlags = [...accountOptions, ...givenFlags, 'sandbox', 'description'];
  // A flag stays or goes with its values.
  let isOurs = false;
  const keptArgs = oldEntry.args.slice(programPlace + 1).filter((arg) => {
    if (arg.startsWith('-')) isOurs = ownFlags.includes(/^--([\w-]+)/.exec(arg)?.[1] ?? '');
    return !isOurs;
  });
  const [program = '', ...flags] = newEntry.args.slice(ownPlace);
  return [...launcher, program, ...keptArgs, ...flags];
}

/** -1 if neither this program nor its package is among the arguments. */
function programIndex(args: readonly string[]): number {
  const file = basename(programPath());
  return args.findIndex((arg) => basename(arg) === file || arg.startsWith(packageName));
}

/** A command line with the account and variables of an entry. */
export function lineOf(
  line: CommandLine,
  { env: entryEnv, isSandbox, account }: ConnectedEntry,
): CommandLine {
  // Clients write variables as `${NAME}`, `${env:NAME}` and `$NAME`.
  const reference = /\$\{(?:env:)?(\w+)\}|^\$(\w+)$/g;
  const resolve = (text: string) =>
    text.replaceAll(reference, (_, name, bare) => line.env[name ?? bare] ?? '');
  const env = removeAccount(line.env);
  for (const [name, text] of Object.entries(entryEnv)) env[name] = resolve(text);
  const sandbox = isSandbox ? 'true' : undefined;
  return { ...line, env, flags: { ...removeAccount(line.flags), account, sandbox } };
}

/**
 * Gives a command line that names no account the only connected one, perhaps of the sandbox, and says so on stderr.
 * @throws {UsageError} when several accounts are connected
 */
export async function applyConnectedEntry(line: CommandLine): Promise<CommandLine> {
  if (namesAccount(line)) return line;
  const candidates = realEntries(await findConnected());
  const key = ({ env, account }: ConnectedEntry) =>
    [env.COMMERCE_CLIENT_ID, env.COMMERCE_ACCOUNTS_FILE, account].join();
  if (new Set(candidates.map(key)).size > 1)
    throw new UsageError(connectMessages.several_accounts({ entries: titleOf(candidates) }));
  const [entry] = candidates;
  if (!entry) return line;
  say(`With the account of ${titleOf(candidates)}.`);
  return lineOf(line, entry);
}

/**
 * The entries that start this server on this machine, or those with the name of an entry or client.
 * @throws {UsageError} for a name without entries, or with a broken configuration
 */
export async function findConnected(requestedName?: string): Promise<readonly ConnectedEntry[]> {
  const configured = await readClients();
  const all = configured.flatMap(({ entries }) => entries.filter(({ command }) => command));
  if (requestedName === undefined) {
    for (const { client, isBroken } of configured)
      if (isBroken) say(connectMessages.broken_client({ title: client.title }).text);
    return all;
  }
  const byName = all.filter(({ name }) => name === requestedName);
  if (byName.length > 0) return byName;
  const client = readClient(requestedName);
  const own = all.filter((entry) => entry.client === client);
  if (own.length > 0) return own;
  const isBroken = configured.some((each) => each.client === client && each.isBroken);
  const { title, id } = client;
  throw new UsageError(
    isBroken
      ? connectMessages.broken_client({ title })
      : connectMessages.client_not_connected({ title, id }),
  );
}

/** Entries of real accounts, or of the sandbox if there are none. */
export function realEntries(entries: readonly ConnectedEntry[]): readonly ConnectedEntry[] {
  const accounts = entries.filter(({ isSandbox }) => !isSandbox);
  return accounts.length > 0 ? accounts : entries;
}

/** Names entries with their clients: `commerce in Cursor and Codex`. */
export function titleOf(entries: readonly ConnectedEntry[]): string {
  const join = (texts: readonly string[]) => new Intl.ListFormat('en').format(new Set(texts));
  const clients = entries.map(({ client }) => client.title);
  return `${join(entries.map(({ name }) => name))} in ${join(clients)}`;
}
