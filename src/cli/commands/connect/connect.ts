import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLoopback } from '../../../config.ts';
import { isRecord } from '../../../core/json.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { isPublished, ownCommand, packageName, programPath } from '../../program.ts';
import { type AskPerson, openAsk } from '../../terminal/ask.ts';
import { say } from '../../terminal/text.ts';
import { examineStart } from '../doctor/doctor.ts';
import { examine } from '../doctor/examine.ts';
import { printChecks } from '../doctor/report.ts';
import { type AccountSettings, readAccount, sampleAccount } from './account.ts';
import {
  type ClientDefinition,
  clientOf,
  clients,
  contentOf,
  inputOf,
  inputReference,
  secretVariable,
  tokenVariable,
} from './clients.ts';
import { type Entry, readServers, renderEntry, withEntry, withoutEntry } from './configuration.ts';
import {
  asEntry,
  type ConnectedEntry,
  readClients,
  readEntry,
  resolve,
  thisMachine,
} from './entries.ts';
import {
  changeFile,
  forgetSecret,
  keepSecret,
  type Outcome,
  readTextFile,
  secretFileOf,
} from './file.ts';

/** An entry to be, and what belongs to it. */
interface Plan extends Entry {
  account?: AccountSettings;
  /** The file that this program keeps the secret in. */
  keptAt?: string | undefined;
  /** Where the secret is, for people; empty without one. */
  note: string;
}

/** What a person may ask first. */
const firstQuestions = `Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`;

/**
 * Puts this server into the configuration of a client and checks the account; with `--print` shows the
 * entry alone, and without a client what was found.
 */
export async function connect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = clientOf(line);
  const isPrinted = line.switches.has('print');
  if (client === undefined) {
    if (isPrinted) throw new UsageError('--print needs a client, such as cursor');
    console.log(await listFound());
    return 0;
  }
  if (line.values.url !== undefined && client.address === undefined) {
    console.log(
      `${client.title} takes a server over HTTP as a connector: Settings, Connectors, Add custom connector, and its address. It is reached from the internet, so it has to be public and use OAuth (docs/http.md).`,
    );
    return 0;
  }
  const plan = await makePlan(client, line, ask);
  if (!isPrinted) return put(client, plan, line, ask);
  process.stdout.write(renderEntry(client, plan));
  const note = plan.keptAt
    ? `The secret goes into ${plan.keptAt} (mode 600): without --print this command puts it there.`
    : plan.note;
  say(`This belongs into ${client.file(thisMachine())}. ${note}`.trim());
  return 0;
}

/** The name of an entry. @throws {UsageError} */
function readName({ values, switches }: CommandLine): string {
  const name = values.name ?? (switches.has('sandbox') ? 'commerce-sandbox' : 'commerce');
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new UsageError('--name takes up to 40 letters, digits, - and _, such as commerce-haarlem');
}

async function makePlan(
  client: ClientDefinition,
  line: CommandLine,
  ask: AskPerson | undefined,
): Promise<Plan> {
  const name = readName(line);
  if (line.values.url !== undefined) return planRemote(client, name, line, ask);
  if (line.switches.has('sandbox')) {
    const { command, args } = thisLaunch();
    const server = { name, command, args: [...args, '--sandbox'] };
    return { name, content: contentOf(client, server), note: '' };
  }
  const account = line.switches.has('print')
    ? sampleAccount(line)
    : await readAccount(line, await heldBy(client, name), ask);
  return planAccount(client, name, account);
}

/** The entry that starts the server on an account: VS Code asks for the secret itself, others read a file. */
function planAccount(client: ClientDefinition, name: string, account: AccountSettings): Plan {
  const { env, secretFile: ownFile } = account;
  const isAsked = client.asks === true && ownFile === undefined;
  const clientId = env.COMMERCE_CLIENT_ID ?? '';
  const keptAt = isAsked || ownFile ? undefined : secretFileOf(thisMachine(), clientId);
  const file = ownFile ?? keptAt ?? '';
  const secret = isAsked
    ? { [secretVariable]: inputReference(name) }
    : { [`${secretVariable}_FILE`]: file };
  return {
    ...{ name, account, keptAt, input: isAsked ? inputOf(client, name) : undefined },
    content: contentOf(client, { name, ...thisLaunch(), env: { ...env, ...secret } }),
    note: isAsked
      ? `The secret stays out of it: ${client.title} asks once and keeps it.`
      : `The secret is in ${file}, for your eyes only.`,
  };
}

/** The entry of a server over HTTP. @throws {UsageError} for an address that is not safe for a token */
async function planRemote(
  client: ClientDefinition,
  name: string,
  { values: { url = '' }, switches, env }: CommandLine,
  ask: AskPerson | undefined,
): Promise<Plan> {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new UsageError(
      `--url takes an address such as https://mcp.example.com/mcp, not "${url}"`,
    );
  const plan = (token: string, note: string) => ({
    ...{ name, note, input: inputOf(client, name) },
    content: contentOf(client, { name, remote: { url, token } }),
  });
  if (client.asks) return plan('', `${client.title} asks for the token once and keeps it.`);
  if (client.format !== 'json') return plan('', `It takes the token from ${tokenVariable}.`);
  if (switches.has('print')) return plan('your-token', '');
  const question = 'Token of that server, which stays hidden here (Enter: it takes none): ';
  const token = env[tokenVariable] ?? (await ask?.(question, { isHidden: true }));
  const note = token === '' ? token : 'The token is in that file, which only you may read.';
  if (token !== undefined) return plan(token, note);
  throw new UsageError(`no person is here to ask for the token: set ${tokenVariable}`);
}

/** What this client's entry holds already, or else that of any client. */
async function heldBy(client: ClientDefinition, name: string): Promise<CommandLine['env']> {
  const entries = (await readClients()).flatMap((it) => it.entries);
  const accounts = entries.filter((it) => it.env.COMMERCE_CLIENT_ID !== undefined);
  const entry = accounts.find((it) => it.client === client && it.name === name) ?? accounts[0];
  const file = entry?.env[`${secretVariable}_FILE`];
  const secret = file && (await readTextFile(file).catch(() => undefined))?.trim();
  const texts = Object.entries(entry?.env ?? {}).map(([key, text]) => [
    key,
    resolve(text, {}) || undefined,
  ]);
  return { ...Object.fromEntries(texts), [secretVariable]: secret || undefined };
}

async function put(
  client: ClientDefinition,
  plan: Plan,
  line: CommandLine,
  ask: AskPerson | undefined,
): Promise<0 | 1> {
  const { title, next } = client;
  const outcome = await install(client, plan, line, ask);
  if (outcome === 'same') console.log(`${title} has this entry already: ${plan.name}.`);
  if (outcome === 'written') console.log(`${title} knows ${plan.name} now. ${plan.note}`.trim());
  if (outcome === 'declined') console.log('Nothing was written.');
  if (outcome === 'declined') return 1;
  const isWell = await check(client, plan, line, ask);
  console.log(`${isWell ? 'Next' : 'Put right what failed, then'}: ${next}`);
  if (isWell) console.log(firstQuestions);
  return isWell ? 0 : 1;
}

/** Writes an entry into a JSON configuration; in another format it is printed. */
async function install(
  client: ClientDefinition,
  plan: Plan,
  { switches, values }: CommandLine,
  ask: AskPerson | undefined,
): Promise<Outcome | 'printed'> {
  const { account, keptAt, note } = plan;
  const path = client.file(thisMachine());
  const text = renderEntry(client, plan);
  const prepare = async () => {
    if (keptAt && account) await keepSecret(keptAt, account.secret);
  };
  if (client.format === 'json')
    return changeFile(path, {
      change: (before) => withEntry(client, before, plan),
      shown: text.replaceAll(/^(?=.)/gm, '+ '),
      ...{ prepare, ask: switches.has('yes') ? 'agreed' : ask },
      isPrivate: values.url !== undefined,
    });
  const held = readServers(client, (await readTextFile(path)) ?? '')[plan.name];
  await prepare();
  if (isRecord(held) && text === renderEntry(client, { ...plan, content: held })) return 'same';
  process.stdout.write(text);
  say(`Nothing was written to ${path}: put these lines into it. ${note}`.trim());
  return 'printed';
}

/** Checks what the entry will be answered; a person whose secret is refused is asked for it again. */
async function check(
  client: ClientDefinition,
  { name, content, account, keptAt }: Plan,
  line: CommandLine,
  ask: AskPerson | undefined,
): Promise<boolean> {
  const entry = readEntry(client, name, content);
  if (entry.remote) return (await printChecks([await examineStart(entry, line.env)])).isWell;
  if (account === undefined) return true;
  for (let { secret } = account; ; ) {
    console.log('');
    const env = { ...line.env, [secretVariable]: secret };
    const { isWell, done } = await printChecks(examine(asEntry({ ...line, env }, entry)));
    const isRefused = done.some(({ code }) => code === 'key_refused');
    if (!isRefused || !ask || account.secretFile) return isWell;
    secret = await ask('Client secret once more (Enter stops): ', { isHidden: true });
    if (secret === '') return false;
    if (keptAt) await keepSecret(keptAt, secret);
  }
}

/** This node and this build; a package that was fetched is fetched again. */
function thisLaunch(): { command: string; args: string[] } {
  const path = programPath();
  if (!/[\\/]_npx[\\/]/.test(path)) return { command: process.execPath, args: [path] };
  if (isPublished) return { command: 'npx', args: ['-y', packageName] };
  throw new UsageError(
    'this copy lies in a cache that may be emptied at any time: run connect from where it is installed',
  );
}

/** The clients on this machine, and whether they start this server. */
async function listFound(): Promise<string> {
  const machine = thisMachine();
  const found = (await readClients()).map(({ client, entries, problem }) => {
    const { id } = client;
    const file = client.file(machine);
    const names = entries.map(({ name }) => name).join(', ');
    const state = problem ?? (names === '' ? 'not connected' : `connected as ${names}`);
    // The configuration of Claude Code is in the home folder, which says nothing.
    const folder = id === 'claude-code' ? join(machine.home, '.claude') : dirname(file);
    const isHere = existsSync(file) || existsSync(folder);
    return { id, file, state, isHere };
  });
  const here = found.filter(({ isHere }) => isHere);
  const absent = found.filter(({ isHere }) => !isHere).map(({ id }) => id);
  const example = `${ownCommand()} connect ${here[0]?.id ?? 'cursor'}`;
  const width = Math.max(0, ...here.map(({ state }) => state.length));
  return [
    ...here.map(({ id, state, file }) => `${id.padEnd(14)}  ${state.padEnd(width)}  ${file}`),
    ...(here.length === 0 ? ['None of the clients that this command knows was found here.'] : []),
    '',
    ...(absent.length > 0 ? [`Not found here: ${absent.join(', ')}.`] : []),
    `Connect one:      ${example}`,
    `Only look at it:  ${example} --sandbox --print`,
  ].join('\n');
}

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = clientOf(line);
  if (client === undefined)
    throw new UsageError(`disconnect needs a client: ${clients.map(({ id }) => id).join(', ')}`);
  const path = client.file(thisMachine());
  const wanted = line.values.name || line.switches.has('sandbox') ? readName(line) : undefined;
  const entries = (await readClients(wanted)).find((it) => it.client === client)?.entries ?? [];
  const entry = pickEntry(entries, wanted);
  const name = entry?.name ?? wanted ?? 'commerce';
  if (client.format !== 'json' && entry) {
    say(`Nothing was written: take ${client.servers}.${name} out of ${path} by hand.`);
    return 1;
  }
  const outcome = await changeFile(path, {
    change: (text) => withoutEntry(client, text, name),
    shown: renderEntry(client, { name, content: entry?.content ?? {} }).replaceAll(
      /^(?=.)/gm,
      '- ',
    ),
    ask: line.switches.has('yes') ? 'agreed' : ask,
  });
  if (outcome !== 'written') {
    const isSame = outcome === 'same';
    console.log(isSame ? `${client.title} has no entry ${name}.` : 'Nothing was written.');
    return isSame ? 0 : 1;
  }
  console.log(`${client.title} no longer knows ${name}.`);
  await forgetSecretOf(entry);
  for (const other of entries.filter((it) => it !== entry))
    say(
      `${other.name} is still there: ${ownCommand()} disconnect ${client.id} --name ${other.name}`,
    );
  console.log(`Next: ${client.next}`);
  return 0;
}

/** The entry that is named; else the account's; else the sandbox's. @throws {UsageError} for several */
function pickEntry(
  entries: readonly ConnectedEntry[],
  wanted: string | undefined,
): ConnectedEntry | undefined {
  if (wanted !== undefined) return entries.find(({ name }) => name === wanted);
  const accounts = entries.filter(({ isSandbox }) => !isSandbox);
  const meant = accounts.length > 0 ? accounts : entries;
  const entry = meant.find(({ name }) => name === 'commerce');
  if (entry || meant.length < 2) return entry ?? meant[0];
  const names = meant.map(({ name }) => name).join(', ');
  throw new UsageError(`there are several entries: ${names}. Name one with --name.`);
}

/** Deletes the secret of an entry, unless another one names its file or a configuration cannot be read. */
async function forgetSecretOf(entry: ConnectedEntry | undefined): Promise<void> {
  const variable = `${secretVariable}_FILE`;
  const file = entry?.env[variable];
  const read = await readClients();
  const isUsed = read.some(
    (it) => it.problem ?? it.entries.some(({ env }) => env[variable] === file),
  );
  if (file !== undefined && !isUsed && (await forgetSecret(thisMachine(), file)))
    console.log(`Its secret is gone too: ${file}`);
}
