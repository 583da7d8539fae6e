import { isRecord } from '../../../core/json.ts';
import { type AccountLine, UsageError } from '../../command-line.ts';
import { ownCommand, packageName, programPath } from '../../program.ts';
import { say } from '../../terminal/text.ts';
import { accountNames } from './account.ts';
import { type ClientDefinition, clients, fileOf, readClient } from './clients.ts';
import {
  BrokenFileError,
  type Entry,
  readServers,
  secretVariable,
  tokenVariable,
} from './configuration.ts';
import { readTextFile, thisMachine } from './file.ts';

type Environment = AccountLine['env'];

/** An entry of this server, read in the words of its client. */
export interface ConnectedEntry extends Entry {
  command: string;
  args: readonly string[];
  /** Its variables as they are written: references are not resolved. */
  env: Readonly<Record<string, string>>;
  isSandbox: boolean;
  /** A server over HTTP, which has no command. */
  remote?: { url: string; headers: Readonly<Record<string, string>> };
}

/** A client with its entries of this server, or with what is wrong with its configuration. */
export interface ReadClient {
  client: ClientDefinition;
  entries: ConnectedEntry[];
  problem?: string;
}

/** Reads the configuration of every client; `wanted` names an entry that counts whatever it starts. */
export async function readClients(wanted?: string): Promise<ReadClient[]> {
  const read = async (client: ClientDefinition): Promise<ReadClient> => {
    try {
      const text = (await readTextFile(fileOf(client, thisMachine()))) ?? '';
      const entries = Object.entries(readServers(client, text))
        .map(([name, it]) => readEntry({ client, name, content: isRecord(it) ? it : {} }))
        .filter((entry) => entry.name === wanted || startsThis(entry));
      return { client, entries };
    } catch (error) {
      const state = error instanceof BrokenFileError ? 'is broken' : 'cannot be read';
      return { client, entries: [], problem: `its configuration ${state}` };
    }
  };
  return Promise.all(clients.map(read));
}

/** Reads an entry in the words of any client. */
export function readEntry(entry: Entry): ConnectedEntry {
  const { content } = entry;
  const args = Array.isArray(content.args) ? content.args.map(String) : [];
  const url = content.url ?? content.serverUrl ?? content.httpUrl ?? content.uri;
  const token = content.bearer_token_env_var;
  const headers = token ? { Authorization: `Bearer \${${token}}` } : texts(content.headers);
  return {
    ...entry,
    args,
    command: String(content.command ?? content.cmd ?? ''),
    env: texts(content.env ?? content.envs),
    isSandbox: args.includes('--sandbox'),
    ...(typeof url === 'string' && { remote: { url, headers } }),
  };
}

function startsThis({ name, args, env }: ConnectedEntry): boolean {
  const isProgram = args.includes(programPath()) || args.includes(packageName);
  return isProgram || name.startsWith('commerce') || 'COMMERCE_CLIENT_ID' in env;
}

function texts(value: unknown): Record<string, string> {
  const pairs = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(pairs.map(([key, text]) => [key, String(text)]));
}

/** A command line with the account of an entry, whatever account its flags and variables name. */
export function asEntry<Line extends AccountLine>(line: Line, entry: ConnectedEntry): Line {
  const others = [...line.switches].filter((name) => name !== 'sandbox');
  const switches = new Set([...others, ...(entry.isSandbox ? ['sandbox'] : [])]);
  return {
    ...line,
    env: variablesOf(entry, line.env),
    values: withoutAccount(line.values),
    switches,
  };
}

/** The variables that a client on this machine starts the server of an entry with. */
export function variablesOf(entry: ConnectedEntry, env: Environment): Environment {
  const own = Object.entries(entry.env).map(([name, text]) => [name, resolve(text, env)]);
  return { ...withoutAccount(env), ...Object.fromEntries(own) };
}

function withoutAccount(given: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(given).filter(([it]) => !accountNames.includes(it)));
}

/** What a text of an entry means: `${NAME}`, `${env:NAME}`, `$NAME` and what VS Code asks for are variables. */
export function resolve(text: string, env: Environment): string {
  const asked = text.startsWith('Bearer') ? tokenVariable : secretVariable;
  return text
    .replace(/\$\{input:[\w-]+\}/, `\${${asked}}`)
    .replaceAll(/\$\{(?:env:)?(\w+)\}|^\$(\w+)$/g, (_, name, bare) => env[name ?? bare] ?? '');
}

/** Whether an entry needs a secret that its client alone knows; the variable of the secret makes up for it. */
export function isKeptByClient({ content }: ConnectedEntry, env: Environment): boolean {
  const isAsked = JSON.stringify(content).includes(`\${input:`);
  return isAsked && !env[secretVariable] && !env[tokenVariable];
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
  const all = (await readClients()).flatMap(({ entries }) => entries);
  const meant = (as === undefined ? all : namedBy(as, all)).filter(({ remote }) => !remote);
  const accounts = meant.filter(({ isSandbox }) => !isSandbox);
  const ids = new Set(accounts.map(({ env }) => env.COMMERCE_CLIENT_ID));
  if (ids.size > 1)
    throw new UsageError(
      `${ids.size} accounts are connected: ${titleOf(accounts)}. Name a client or an entry with --as.`,
    );
  // An entry whose secret is in a file can be used anywhere.
  const usable = accounts.find(({ env }) => `${secretVariable}_FILE` in env) ?? accounts[0];
  const entry = usable ?? (as === undefined ? undefined : meant[0]);
  if (entry === undefined && as === undefined) return line;
  if (entry === undefined)
    throw new UsageError(`${as} has a server over HTTP, whose account only the client can ask.`);
  if (isKeptByClient(entry, line.env))
    throw new UsageError(
      `${entry.client.title} keeps the secret of ${entry.name} to itself: set ${secretVariable}.`,
    );
  say(`With the account of ${titleOf(entry.isSandbox ? [entry] : accounts)}.`, 'dim');
  return asEntry(line, entry);
}

function namedBy(as: string, entries: readonly ConnectedEntry[]): ConnectedEntry[] {
  const byName = entries.filter(({ name }) => name === as);
  if (byName.length > 0) return byName;
  const client = readClient(as);
  const found = entries.filter((it) => it.client === client);
  if (found.length === 0) throw notConnected(client);
  return found;
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
