import { basename } from 'node:path';
import { settings } from '../../../config/config.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { packageName } from '../../../core/program.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { accountNames, namesAccount, withoutAccount } from '../../open-app.ts';
import { programPath } from '../../program.ts';
import { say } from '../../terminal/text.ts';
import { type ClientDefinition, clients, readClient } from './clients.ts';
import { type Entry, serversOf } from './configuration.ts';
import { connectMessages, type EntryNames, titleOf } from './messages.ts';

/** An entry of this server, whatever the format of its client. */
export interface ConnectedEntry extends Entry {
  /** Empty for a server over HTTP. */
  command: string;
  args: readonly string[];
  /** Its variables as they are written: references are not resolved. */
  env: Readonly<Record<string, string>>;
  isSandbox: boolean;
  /** The account that it names of the file in its variables. */
  account?: string | undefined;
}

/** Reads the entries of this server in the configuration of every client, and whether it is broken. */
export async function readClients() {
  const read = async (client: ClientDefinition) => {
    const servers = await serversOf(client).catch(() => undefined);
    return { client, entries: entriesIn(client, servers ?? {}), isBroken: servers === undefined };
  };
  return Promise.all(clients.map(read));
}

/** The entries of this server among all servers of a client. */
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

/** Reads an entry in the format of any client. */
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

/** Keys of an entry that say how a server is started or reached, in the format of any client. */
const placeKeys = [
  ...['type', 'command', 'cmd', 'args', 'env', 'envs', 'url', 'serverUrl', 'httpUrl', 'uri'],
  ...['headers', 'env_keys', 'bearer_token_env_var'],
];

/**
 * An entry that is written over another: the keys, variables, headers and flags that a person added stay. Those that
 * say which account or server is meant are the new entry's alone.
 */
export function rewriteEntry(entry: ConnectedEntry, present: unknown): ConnectedEntry {
  if (!isRecord(present)) return entry;
  const { client, name, content } = entry;
  const before = readEntry({ client, name, content: present });
  const merged = mergeKeys(present, content, (key) => placeKeys.includes(key));
  const { address = 'url' } = client;
  if (entry.command !== '') {
    const env = mergeKeys(before.env, entry.env, (key) => accountNames.includes(key));
    const key = 'envs' in content ? 'envs' : 'env';
    Object.assign(merged, {
      args: mergeArgs(before, entry),
      ...(Object.keys(env).length > 0 && { [key]: env }),
    });
  } else if (isRecord(present.headers) && present[address] === content[address]) {
    const headers = isRecord(content.headers) ? content.headers : {};
    merged.headers = mergeKeys(present.headers, headers, (key) => /^authorization$/i.test(key));
  }
  return readEntry({ client, name, content: merged });
}

/** The new values, and the old ones of keys that are not ours, in the old order. */
function mergeKeys<Value>(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
  isOurs: (key: string) => boolean,
): Record<string, Value> {
  const kept = Object.entries({ ...before, ...after });
  return Object.fromEntries(kept.filter(([key]) => key in after || !isOurs(key)));
}

/** Arguments with the flags that a person added: those of this program, and those of Node before it. */
function mergeArgs(before: ConnectedEntry, after: ConnectedEntry): readonly string[] {
  const place = programIndex(before.args);
  if (place < 0) return after.args;
  const isSameLauncher = basename(before.command) === basename(after.command);
  const ownPlace = programIndex(after.args);
  const launching = isSameLauncher ? before.args.slice(0, place) : after.args.slice(0, ownPlace);
  const given = settings.filter(({ variable }) => variable in after.env).map(({ flag }) => flag);
  const ours = [...accountNames, ...given, 'sandbox', 'description'];
  // A flag and the values after it stay or go together.
  let isOurs = false;
  const kept = before.args.slice(place + 1).filter((arg) => {
    if (arg.startsWith('-')) isOurs = ours.includes(/^--([\w-]+)/.exec(arg)?.[1] ?? '');
    return !isOurs;
  });
  const [program = '', ...flags] = after.args.slice(ownPlace);
  return [...launching, program, ...kept, ...flags];
}

/** The index of this program, or its package, among arguments; -1 where there is none. */
function programIndex(args: readonly string[]): number {
  const file = basename(programPath());
  return args.findIndex((arg) => basename(arg) === file || arg.startsWith(packageName));
}

/** A command line with the account of an entry, and the variables that its client starts it with. */
export function asEntry(
  line: CommandLine,
  { env: entryEnv, isSandbox, account }: ConnectedEntry,
): CommandLine {
  // Clients write variables as `${NAME}`, `${env:NAME}` and `$NAME`.
  const reference = /\$\{(?:env:)?(\w+)\}|^\$(\w+)$/g;
  const resolve = (text: string) =>
    text.replaceAll(reference, (_, name, bare) => line.env[name ?? bare] ?? '');
  const env = withoutAccount(line.env);
  for (const [name, text] of Object.entries(entryEnv)) env[name] = resolve(text);
  const sandbox = isSandbox ? 'true' : undefined;
  return { ...line, env, flags: { ...withoutAccount(line.flags), account, sandbox } };
}

/**
 * A command line; without an account of its own, with the only one that clients on this machine are connected to,
 * even that of the sandbox. Says which account was taken.
 * @throws {UsageError} when several accounts are connected
 */
export async function withConnected(line: CommandLine): Promise<CommandLine> {
  if (namesAccount(line)) return line;
  const meant = realEntries(await findConnected());
  const key = ({ env, account }: ConnectedEntry) =>
    [env.COMMERCE_CLIENT_ID, env.COMMERCE_ACCOUNTS_FILE, account].join();
  if (new Set(meant.map(key)).size > 1)
    throw new UsageError(connectMessages.several_accounts({ ...entryNames(meant) }));
  const [entry] = meant;
  if (!entry) return line;
  say(`With the account of ${titleOf(entryNames(meant))}.`, 'dim');
  return asEntry(line, entry);
}

/**
 * The entries that start this server on this machine, or those of an entry's or a client's name.
 * @throws {UsageError} for a name that has none, or whose configuration cannot be read
 */
export async function findConnected(wanted?: string): Promise<readonly ConnectedEntry[]> {
  const configured = await readClients();
  const all = configured.flatMap(({ entries }) => entries.filter(({ command }) => command));
  if (wanted === undefined) {
    for (const { client, isBroken } of configured)
      if (isBroken) say(connectMessages.broken_client({ title: client.title }).text);
    return all;
  }
  const byName = all.filter(({ name }) => name === wanted);
  if (byName.length > 0) return byName;
  const client = readClient(wanted);
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

/** The entries of real accounts, or else those of the sandbox. */
export function realEntries(entries: readonly ConnectedEntry[]): readonly ConnectedEntry[] {
  const accounts = entries.filter(({ isSandbox }) => !isSandbox);
  return accounts.length > 0 ? accounts : entries;
}

/** The names of entries and the titles of their clients, each once. */
export function entryNames(entries: readonly ConnectedEntry[]): EntryNames {
  return {
    names: [...new Set(entries.map(({ name }) => name))],
    titles: [...new Set(entries.map(({ client }) => client.title))],
  };
}
