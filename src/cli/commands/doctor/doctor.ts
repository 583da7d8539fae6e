import type { QueryEngine } from '../../../query/engine.ts';
import { paint } from '../../terminal/paint.ts';
import { readClient } from '../connect/clients.ts';
import {
  type ConnectedEntry,
  namesAccount,
  notConnected,
  readClients,
  titleOf,
  variablesOf,
} from '../connect/entries.ts';
import { examine } from './examine.ts';
import { type Check, checkJson, printChecks } from './report.ts';
import { examineStart } from './start.ts';

/** What `doctor` was asked to look at. */
export interface DoctorOptions {
  /** A client, whose entries are checked in place of the environment. */
  client?: string | undefined;
  json: boolean;
  sandbox: boolean;
  /** Flags of settings by name. */
  flags: Record<string, string | undefined>;
  env: Readonly<Record<string, string | undefined>>;
  queryEngine?: QueryEngine | undefined;
}

/** Checks to run under one heading: none for the account of the environment. */
interface Patient {
  title?: string;
  checks: AsyncIterable<Check>;
}

/**
 * Checks everything that has to be right before a question can be answered: for the account of the
 * environment, or else for each entry of a client on this machine. 1 if anything is not.
 */
export async function doctor(options: DoctorOptions): Promise<0 | 1> {
  const patients = await findPatients(options);
  const all: { isWell: boolean; json: ReturnType<typeof checkJson>[] }[] = [];
  for (const { title, checks } of patients) {
    if (title !== undefined && !options.json) console.log(paint('bold', `${title}\n`));
    const { isWell, done } = options.json ? await collect(checks) : await printChecks(checks);
    all.push({ isWell, json: done.map((check) => checkJson(check, title)) });
    if (title !== undefined && !options.json) console.log('');
  }
  if (options.json) console.log(JSON.stringify(all.flatMap(({ json }) => json)));
  return all.every(({ isWell }) => isWell) ? 0 : 1;
}

async function findPatients(options: DoctorOptions): Promise<Patient[]> {
  const { flags, env, sandbox, queryEngine } = options;
  const own = { checks: examine({ env, flags, sandbox, queryEngine }) };
  if (options.client === undefined && namesAccount({ env, flags, sandbox })) return [own];
  const only = options.client === undefined ? undefined : readClient(options.client);
  const read = (await readClients()).filter(({ id }) => only === undefined || only.id === id);
  for (const { client, problem } of read)
    if (problem !== undefined) console.error(`${client.title}: ${problem}`);
  const entries = read.flatMap((it) => it.entries);
  if (only && entries.length === 0) throw notConnected(only);
  const groups = new Map<string, ConnectedEntry[]>();
  for (const entry of entries) {
    const start = JSON.stringify([entry.command, entry.args, entry.env, entry.remote]);
    groups.set(start, [...(groups.get(start) ?? []), entry]);
  }
  const patients = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((it) => ({ title: titleOf(group), checks: examineEntry(it, options) })),
  );
  return patients.length > 0 ? patients : [own];
}

/** Starts the command of an entry, and then checks the account that it names. */
async function* examineEntry(entry: ConnectedEntry, options: DoctorOptions): AsyncGenerator<Check> {
  const { env, queryEngine } = options;
  yield* examineStart(entry, env);
  if (entry.remote) return;
  const settings = { env: variablesOf(entry, env), flags: {}, queryEngine };
  yield* examine({ ...settings, sandbox: entry.isSandbox });
}

async function collect(checks: AsyncIterable<Check>) {
  const done: Check[] = [];
  for await (const check of checks) done.push(check);
  return { done, isWell: !done.some(({ verdict }) => verdict === 'failed') };
}
