import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isLoopback } from '../../../config.ts';
import { CommerceError } from '../../../core/errors.ts';
import { isRecord } from '../../../core/json.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { isPublished, ownCommand, packageName, programPath } from '../../program.ts';
import { type AskPerson, openAsk } from '../../terminal/ask.ts';
import { alignTable } from '../../terminal/table.ts';
import { say } from '../../terminal/text.ts';
import { examineStart } from '../doctor/doctor.ts';
import { examine } from '../doctor/examine.ts';
import { printChecks } from '../doctor/report.ts';
import { type AccountSettings, askingFor, readAccount, sampleOf } from './account.ts';
import { type ClientDefinition, clientOf, clients, fileOf } from './clients.ts';
import {
  BrokenFileError,
  type Entry,
  entryOf,
  inputReference,
  readServers,
  renderEntry,
  secretVariable,
  tokenVariable,
  withEntry,
  withoutEntry,
} from './configuration.ts';
import { asEntry, type ConnectedEntry, readClients, readEntry, resolve } from './entries.ts';
import {
  agreesTo,
  changeFile,
  forgetSecret,
  keepSecret,
  readTextFile,
  secretFileOf,
  thisMachine,
} from './file.ts';

/** An entry to be, and what belongs to it. */
interface Plan {
  entry: Entry;
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
  if (!isPrinted) return put(plan, line, ask);
  process.stdout.write(renderEntry(plan.entry));
  const note = plan.keptAt
    ? `The secret goes into ${plan.keptAt} (mode 600): without --print this command puts it there.`
    : plan.note;
  say(`This belongs into ${fileOf(client, thisMachine())}. ${note}`.trim());
  return 0;
}

async function makePlan(
  client: ClientDefinition,
  line: CommandLine,
  ask: AskPerson | undefined,
): Promise<Plan> {
  const { values, switches } = line;
  const name = readName(line);
  if (values.url !== undefined) return planRemote(client, name, line, ask);
  const launch = thisLaunch();
  if (switches.has('sandbox')) {
    const args = [...launch.args, '--sandbox'];
    return { entry: entryOf(client, name, { ...launch, args }), note: '' };
  }
  const answer = ask && askingFor(ask, await heldBy(client, name));
  const account = await readAccount(
    line,
    switches.has('print') ? sampleOf : (answer ?? (() => undefined)),
  );
  // VS Code asks for the secret itself, others read a file.
  const isAsked = client.asks === true && account.secretFile === undefined;
  const { env, secretFile = secretFileOf(env.COMMERCE_CLIENT_ID ?? '') } = account;
  const secret = isAsked
    ? { [secretVariable]: inputReference(name) }
    : { [`${secretVariable}_FILE`]: secretFile };
  return {
    entry: entryOf(client, name, { ...launch, env: { ...env, ...secret } }),
    account,
    keptAt: isAsked || account.secretFile ? undefined : secretFile,
    note: isAsked
      ? `The secret stays out of it: ${client.title} asks once and keeps it.`
      : `The secret is in ${secretFile}, for your eyes only.`,
  };
}

/** The name of an entry. @throws {UsageError} */
function readName({ values, switches }: CommandLine): string {
  const name = values.name ?? (switches.has('sandbox') ? 'commerce-sandbox' : 'commerce');
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new UsageError('--name takes up to 40 letters, digits, - and _, such as commerce-haarlem');
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
    entry: entryOf(client, name, { url, token }),
    note,
  });
  if (client.asks)
    return plan(inputReference(name), `${client.title} asks for the token once and keeps it.`);
  if (client.format !== 'json')
    return plan(`\${${tokenVariable}}`, `It takes the token from ${tokenVariable}.`);
  if (switches.has('print')) return plan('your-token', '');
  const question = 'Token of that server, which stays hidden here (Enter: it takes none): ';
  const token = env[tokenVariable] ?? (await ask?.(question, { isHidden: true }));
  if (token !== undefined)
    return plan(token, token && 'The token is in that file, which only you may read.');
  throw new UsageError(`no person is here to ask for the token: set ${tokenVariable}`);
}

/** What this client's entry holds already, or else that of any client. */
async function heldBy(client: ClientDefinition, name: string): Promise<CommandLine['env']> {
  const entries = (await readClients()).flatMap((it) => it.entries);
  const accounts = entries.filter(({ env }) => env.COMMERCE_CLIENT_ID !== undefined);
  const entry = accounts.find((it) => it.client === client && it.name === name) ?? accounts[0];
  const held = Object.entries(entry?.env ?? {}).map(([key, text]) => [key, resolve(text, {})]);
  const file = entry?.env[`${secretVariable}_FILE`];
  const secret = file && (await readTextFile(file).catch(() => undefined))?.trim();
  return { ...Object.fromEntries(held), [secretVariable]: secret };
}

async function put(plan: Plan, line: CommandLine, ask: AskPerson | undefined): Promise<0 | 1> {
  const { client, name } = plan.entry;
  const outcome = await install(plan, line, ask);
  if (outcome === 'declined') {
    console.log('Nothing was written.');
    return 1;
  }
  if (outcome === 'same') console.log(`${client.title} has this entry already: ${name}.`);
  if (outcome === 'written') console.log(`${client.title} knows ${name} now. ${plan.note}`.trim());
  const isWell = await check(plan, line, ask);
  console.log(`${isWell ? 'Next' : 'Put right what failed, then'}: ${client.next}`);
  if (isWell) console.log(firstQuestions);
  return isWell ? 0 : 1;
}

/** Writes an entry into a JSON configuration; in another format it is printed. */
async function install(
  { entry, account, keptAt, note }: Plan,
  { switches, values }: CommandLine,
  ask: AskPerson | undefined,
): Promise<'same' | 'declined' | 'written' | 'printed'> {
  const { client, name } = entry;
  const path = fileOf(client, thisMachine());
  const rendered = renderEntry(entry);
  const content = await entryIn(path, client, name);
  const isSame = content !== undefined && renderEntry({ ...entry, content }) === rendered;
  if (!isSame && client.format === 'json')
    if (!(await agreesTo(path, '+', rendered, ask, switches.has('yes')))) return 'declined';
  if (keptAt && account) await keepSecret(keptAt, account.secret);
  if (isSame) return 'same';
  if (client.format === 'json') {
    await changeFile(path, (text) => withEntry(text, entry), values.url !== undefined);
    return 'written';
  }
  process.stdout.write(rendered);
  say(`Nothing was written to ${path}: put these lines into it. ${note}`.trim());
  return 'printed';
}

/** An entry as a configuration has it. @throws {CommerceError} for a file that cannot be changed */
async function entryIn(path: string, client: ClientDefinition, name: string) {
  try {
    const content = readServers(client, (await readTextFile(path)) ?? '')[name];
    return isRecord(content) ? content : undefined;
  } catch (error) {
    if (!(error instanceof BrokenFileError)) throw error;
    const advice = 'Put it right, or add the entry that --print shows by hand';
    throw new CommerceError(
      'bad_config',
      `${path} was left as it is: ${error.message}. ${advice}.`,
    );
  }
}

/** Checks what the entry will be answered; a person whose secret is refused is asked for it again. */
async function check(
  { entry: written, account, keptAt }: Plan,
  line: CommandLine,
  ask: AskPerson | undefined,
): Promise<boolean> {
  const entry = readEntry(written);
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

/** The clients, and whether they are on this machine and start this server. */
async function listFound(): Promise<string> {
  const machine = thisMachine();
  const rows = (await readClients()).map(({ client, entries, problem }) => {
    const file = fileOf(client, machine);
    const names = entries.map(({ name }) => name).join(', ');
    // The configuration of Claude Code is in the home folder, which says nothing.
    const folder = client.id === 'claude-code' ? join(machine.home, '.claude') : dirname(file);
    const isHere = existsSync(file) || existsSync(folder);
    const state = isHere ? 'not connected' : 'not found here';
    return [client.id, problem ?? (names === '' ? state : `connected as ${names}`), file];
  });
  const columns = [{ title: 'client' }, { title: 'state' }, { title: 'file' }];
  return [
    ...alignTable(columns, rows, Number.POSITIVE_INFINITY),
    '',
    `Connect one:      ${ownCommand()} connect cursor`,
    `Only look at it:  ${ownCommand()} connect cursor --sandbox --print`,
  ].join('\n');
}

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = clientOf(line);
  if (client === undefined)
    throw new UsageError(`disconnect needs a client: ${clients.map(({ id }) => id).join(', ')}`);
  const { id, title, servers, format, next } = client;
  const path = fileOf(client, thisMachine());
  const wanted = line.values.name || line.switches.has('sandbox') ? readName(line) : undefined;
  const entries = (await readClients(wanted)).find((it) => it.client === client)?.entries ?? [];
  const entry = pickEntry(entries, wanted);
  if (entry === undefined) {
    // A broken file may hold one.
    await entryIn(path, client, wanted ?? 'commerce');
    console.log(`${title} has no entry ${wanted ?? 'commerce'}.`);
    return 0;
  }
  const { name } = entry;
  if (format !== 'json') {
    say(`Nothing was written: take ${servers}.${name} out of ${path} by hand.`);
    return 1;
  }
  if (!(await agreesTo(path, '-', renderEntry(entry), ask, line.switches.has('yes')))) {
    console.log('Nothing was written.');
    return 1;
  }
  await changeFile(path, (text) => withoutEntry(text, entry));
  console.log(`${title} no longer knows ${name}.`);
  await forgetSecretOf(entry);
  for (const other of entries.filter((it) => it !== entry))
    say(`${other.name} is still there: ${ownCommand()} disconnect ${id} --name ${other.name}`);
  console.log(`Next: ${next}`);
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
async function forgetSecretOf({ env }: ConnectedEntry): Promise<void> {
  const variable = `${secretVariable}_FILE`;
  const file = env[variable];
  const isUsed = (await readClients()).some(
    (it) => it.problem ?? it.entries.some((other) => other.env[variable] === file),
  );
  if (file !== undefined && !isUsed && (await forgetSecret(file)))
    console.log(`Its secret is gone too: ${file}`);
}
