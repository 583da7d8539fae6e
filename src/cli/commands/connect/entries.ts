import { homedir } from 'node:os';
import { accountSettings, flagOf, listSettings } from '../../../config.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { UsageError } from '../../command-line.ts';
import { ownCommand, packageName, programPath } from '../../program.ts';
import * as client from './clients.ts';
import { BrokenFileError, readServers } from './configuration.ts';
import { readTextFile } from './file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** An entry of this server in a client's configuration. */
export interface ConnectedEntry extends client.NamedClient {
  name: string;
  /** As it is written. */
  content: JsonObject;
  command: string;
  args: readonly string[];
  /** Its variables as they are written: references are not resolved. */
  env: Readonly<Record<string, string>>;
  isSandbox: boolean;
  /** A server over HTTP, which has no command. */
  remote?: { url: string; headers: Readonly<Record<string, string>> };
}

/** A client with its entries of this server, or with what is wrong with its configuration. */
export interface ReadClient extends client.NamedClient {
  entries: ConnectedEntry[];
  /** Undefined where it has none. */
  text?: string | undefined;
  problem?: string;
}

/** The computer that this runs on. */
export function thisMachine(): client.Machine {
  return { platform: process.platform, env: process.env, home: homedir() };
}

/** Reads the configuration of every client; `name` finds entries whatever they start. */
export async function readClients(machine = thisMachine(), name?: string): Promise<ReadClient[]> {
  return Promise.all(client.listClients().map((it) => readOne(it, machine, name)));
}

async function readOne(
  named: client.NamedClient,
  machine: client.Machine,
  wanted: string | undefined,
): Promise<ReadClient> {
  try {
    const text = await readTextFile(named.client.file(machine));
    const entries = Object.entries(readServers(named.client, text ?? ''))
      .map(([name, content]) => readEntry(named, name, isRecord(content) ? content : {}))
      .filter((entry) => entry.name === wanted || startsThis(entry));
    return { ...named, entries, text };
  } catch (error) {
    const isBroken = error instanceof BrokenFileError;
    if (!isBroken && !(error instanceof Error && 'code' in error)) throw error;
    const problem = `its configuration ${isBroken ? 'is broken' : 'cannot be read'}`;
    return { ...named, entries: [], problem };
  }
}

/** Reads an entry in the words of any client. */
export function readEntry(
  named: client.NamedClient,
  name: string,
  content: JsonObject,
): ConnectedEntry {
  const args = Array.isArray(content.args) ? content.args.map(String) : [];
  const url = content.url ?? content.serverUrl ?? content.httpUrl ?? content.uri;
  return {
    ...{ ...named, name, content, args, env: texts(content.env ?? content.envs) },
    command: String(content.command ?? content.cmd ?? ''),
    isSandbox: args.includes('--sandbox'),
    ...(typeof url === 'string' && { remote: { url, headers: texts(content.headers) } }),
  };
}

function startsThis({ name, args, env }: ConnectedEntry): boolean {
  const isProgram = args.includes(programPath()) || args.includes(packageName);
  return isProgram || /^commerce(-sandbox)?$/.test(name) || 'COMMERCE_CLIENT_ID' in env;
}

function texts(value: unknown): Record<string, string> {
  const pairs = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(pairs.map(([key, text]) => [key, String(text)]));
}

/** What a text of an entry means: `${NAME}`, `${env:NAME}` and `$NAME` are variables; VS Code keeps its inputs to itself. */
export function resolve(text: string, env: Environment): string | undefined {
  const [, name] = /^\$\{?(?:env:)?(\w+)\}?$/.exec(text) ?? [];
  return text.includes('${input:') ? undefined : name === undefined ? text : env[name];
}

/** The variables that a client on this machine starts the server of an entry with. */
export function variablesOf(entry: ConnectedEntry, env: Environment): Environment {
  const own = Object.entries(entry.env).map(([name, text]) => [name, resolve(text, env)]);
  // Codex and Goose pass the secret of their own environment on.
  const isPassed = !own.some(([name]) => name?.startsWith(client.secretVariable));
  const others = Object.entries(env).filter(
    ([name]) => !accountNames().includes(name) || (isPassed && name === client.secretVariable),
  );
  return Object.fromEntries([...others, ...own]);
}

/** What decides which account a command asks. */
export interface AccountChoice {
  env: Environment;
  /** Flags of settings by name. */
  flags: Environment;
  sandbox: boolean;
  /** `--as`: a client, or the name of an entry. */
  as?: string | undefined;
}

/** Whether flags or variables say which account is meant. */
export function namesAccount({ env, flags, sandbox }: AccountChoice): boolean {
  return sandbox || accountNames().some((name) => flags[name] || env[name]);
}

/** The flags and the variables of an account. */
function accountNames(): string[] {
  return listSettings().flatMap(({ key, setting }) =>
    accountSettings.some((it) => it === key)
      ? [setting.variable, `${setting.variable}_FILE`, flagOf(setting) ?? setting.variable]
      : [],
  );
}

/**
 * The account that a command asks: that of `--as`; else the one that flags and variables name; else the
 * only one that clients on this machine are connected to.
 *
 * @returns its variables; `said` tells a person which entry they come from
 * @throws {UsageError} when `--as` finds nothing, or several accounts are connected
 */
export async function chooseAccount(
  choice: AccountChoice,
): Promise<{ env: Environment; sandbox: boolean; said?: string }> {
  const { env, sandbox, as } = choice;
  if (as === undefined && namesAccount(choice)) return { env, sandbox };
  const all = (await readClients()).flatMap(({ entries }) => entries);
  const meant = (as === undefined ? all : namedBy(as, all)).filter(({ remote }) => !remote);
  const accounts = meant.filter(({ isSandbox }) => !isSandbox);
  const ids = new Set(accounts.map((it) => it.env.COMMERCE_CLIENT_ID));
  if (ids.size > 1)
    throw new UsageError(
      `${ids.size} accounts are connected: ${titleOf(accounts)}. Name a client or an entry with --as.`,
    );
  // An entry whose secret is in a file can be used anywhere.
  const hasFile = (it: ConnectedEntry) => `${client.secretVariable}_FILE` in it.env;
  const entry = accounts.find(hasFile) ?? accounts[0] ?? (as === undefined ? undefined : meant[0]);
  if (entry === undefined && as === undefined) return { env, sandbox };
  if (entry === undefined)
    throw new UsageError(`${as} has a server over HTTP, whose account only the client can ask.`);
  const variables = variablesOf(entry, env);
  if (!entry.isSandbox && !hasFile(entry) && !variables[client.secretVariable])
    throw new UsageError(
      `${entry.client.title} keeps the secret of ${entry.name} to itself: set ${client.secretVariable}.`,
    );
  const said = `With the account of ${titleOf(entry.isSandbox ? [entry] : accounts)}.`;
  return { env: variables, sandbox: entry.isSandbox, said };
}

function namedBy(as: string, entries: readonly ConnectedEntry[]): ConnectedEntry[] {
  const byName = entries.filter(({ name }) => name === as);
  if (byName.length > 0) return byName;
  const { id } = client.readClient(as);
  const found = entries.filter((it) => it.id === id);
  if (found.length > 0) return found;
  throw notConnected({ id, client: client.clients[id] });
}

/** For a client without an entry of this server. */
export function notConnected({ id, client: { title } }: client.NamedClient): UsageError {
  return new UsageError(`${title} does not start this server yet: ${ownCommand()} connect ${id}`);
}

/** Such as `commerce in Cursor and Codex`. */
export function titleOf(entries: readonly ConnectedEntry[]): string {
  const names = [...new Set(entries.map(({ name }) => name))].join(', ');
  return `${names} in ${entries.map((it) => it.client.title).join(' and ')}`;
}
