import { isRecord } from '../../../core/json.ts';
import { type AccountLine, UsageError } from '../../command-line.ts';
import { ownCommand, packageName, programPath } from '../../program.ts';
import { say } from '../../terminal/text.ts';
import { accountNames } from './account.ts';
import { type ClientDefinition, clients, readClient } from './clients.ts';
import type { Entry } from './configuration.ts';
import { serversOf } from './file.ts';

type Environment = AccountLine['env'];

/** An entry of this server, read in the words of its client. */
export interface ConnectedEntry extends Entry {
  /** Empty for a server over HTTP. */
  command: string;
  args: readonly string[];
  /** Its variables as they are written: references are not resolved. */
  env: Readonly<Record<string, string>>;
  isSandbox: boolean;
}

/** Reads the entries of this server in the configuration of every client, or says what is wrong with it. */
export async function readClients() {
  const read = async (client: ClientDefinition) => {
    const servers = await serversOf(client).catch(() => undefined);
    const entries = Object.entries(servers ?? {})
      .map(([name, it]) => readEntry({ client, name, content: isRecord(it) ? it : {} }))
      .filter(startsThis);
    return { client, entries, problem: servers ? undefined : 'its configuration is broken' };
  };
  return Promise.all(clients.map(read));
}

/** Reads an entry in the words of any client. */
export function readEntry(entry: Entry): ConnectedEntry {
  const { content } = entry;
  const args = Array.isArray(content.args) ? content.args.map(String) : [];
  return {
    ...entry,
    args,
    command: String(content.command ?? content.cmd ?? ''),
    env: Object.fromEntries(
      Object.entries(Object(content.env ?? content.envs)).map(([key, it]) => [key, String(it)]),
    ),
    isSandbox: args.includes('--sandbox'),
  };
}

function startsThis({ name, args, env }: ConnectedEntry): boolean {
  const isProgram = args.includes(programPath()) || args.includes(packageName);
  return isProgram || name.startsWith('commerce') || 'COMMERCE_CLIENT_ID' in env;
}

/** A command line with the account of an entry, whatever account its flags and variables name. */
export function asEntry<Line extends AccountLine>(line: Line, entry: ConnectedEntry): Line {
  const switches = new Set([...line.switches].filter((name) => name !== 'sandbox'));
  if (entry.isSandbox) switches.add('sandbox');
  const env = variablesOf(entry, line.env);
  return { ...line, env, values: withoutAccount(line.values), switches };
}

/** The variables that a client on this machine starts the server of an entry with. */
export function variablesOf(entry: ConnectedEntry, env: Environment): Environment {
  const own = Object.entries(entry.env).map(([name, text]) => [name, resolve(text, env)]);
  return { ...withoutAccount(env), ...Object.fromEntries(own) };
}

function withoutAccount(given: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(given).filter(([it]) => !accountNames.includes(it)));
}

/** What a text of an entry means: `${NAME}`, `${env:NAME}` and `$NAME` are variables. */
export function resolve(text: string, env: Environment): string {
  const reference = /\$\{(?:env:)?(\w+)\}|^\$(\w+)$/g;
  return text.replaceAll(reference, (_, name, bare) => env[name ?? bare] ?? '');
}

/** Whether flags or variables say which account is meant. */
export function namesAccount({ env, values, switches }: AccountLine): boolean {
  return switches.has('sandbox') || accountNames.some((name) => values[name] || env[name]);
}

/**
 * A command line with the account of `--as CLIENT`; without it and without an account of its own, with
 * the only one that clients on this machine are connected to. Says which account was taken.
 *
 * @throws {UsageError} when `--as` finds nothing, or several accounts are connected
 */
export async function withConnected<Line extends AccountLine>(line: Line): Promise<Line> {
  const { as } = line.values;
  if (as === undefined && namesAccount(line)) return line;
  if (line.switches.has('sandbox'))
    throw new UsageError('--as takes a connected account, --sandbox none: give one of them');
  const all = (await readClients())
    .flatMap(({ entries }) => entries)
    .filter(({ command }) => command);
  const meant = as === undefined ? all.filter((it) => !it.isSandbox) : accountsOf(namedBy(as, all));
  if (new Set(meant.map(({ env }) => env.COMMERCE_CLIENT_ID)).size > 1)
    throw new UsageError(
      `Several accounts are connected: ${titleOf(meant)}. Name a client or an entry with --as.`,
    );
  const [entry] = meant;
  if (entry === undefined) return line;
  say(`With the account of ${titleOf(meant)}.`, 'dim');
  return asEntry(line, entry);
}

/** The entries of that name, or else of that client. @throws {UsageError} where there are none */
function namedBy(as: string, entries: readonly ConnectedEntry[]): readonly ConnectedEntry[] {
  const byName = entries.filter(({ name }) => name === as);
  if (byName.length > 0) return byName;
  const client = readClient(as);
  const found = entries.filter((it) => it.client === client);
  if (found.length === 0) throw notConnected(client);
  return found;
}

/** The entries of real accounts, or else those of the sandbox. */
export function accountsOf(entries: readonly ConnectedEntry[]): readonly ConnectedEntry[] {
  const accounts = entries.filter(({ isSandbox }) => !isSandbox);
  return accounts.length > 0 ? accounts : entries;
}

/** For a client without an entry of this server. */
export function notConnected({ id, title }: ClientDefinition): UsageError {
  return new UsageError(`${title} does not start this server yet: ${ownCommand()} connect ${id}`);
}

/** Such as `commerce in Cursor and Codex`. */
export function titleOf(entries: readonly ConnectedEntry[]): string {
  const list = new Intl.ListFormat('en');
  const names = list.format(new Set(entries.map(({ name }) => name)));
  return `${names} in ${list.format(new Set(entries.map(({ client }) => client.title)))}`;
}
