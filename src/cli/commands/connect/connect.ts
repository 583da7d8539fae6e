import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readConfig, type Setting } from '../../../config/config.ts';
import { webAddress } from '../../../config/values.ts';
import { messageOf } from '../../../core/errors.ts';
import { isPublished, packageName } from '../../../core/program.ts';
import { accountFromFile, accountsPath, withoutAccount } from '../../account.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { ownCommand, programPath } from '../../program.ts';
import { type AskPerson, openAsk } from '../../terminal/ask.ts';
import { alignTable, tableColumns } from '../../terminal/table.ts';
import { print, say } from '../../terminal/text.ts';
import { examine } from '../doctor/checks.ts';
import { isWell, printChecks } from '../doctor/doctor.ts';
import {
  askForAccount,
  forgetSecret,
  keepSecret,
  questionsTo,
  samples,
  secretFileOf,
  secretFileVariable,
  secretVariable,
  variablesOf,
} from './account.ts';
import { type ClientDefinition, fileFormat, fileOf, readClient } from './clients.ts';
import {
  changeFile,
  type Entry,
  entryOf,
  renderEntry,
  serversKey,
  serversOf,
  tokenVariable,
} from './configuration.ts';
import { asEntry, entriesIn, readClients, readEntry, realEntries, titleOf } from './entries.ts';

/**
 * Puts this server into the configuration of a client and checks the account; with `--print` shows the
 * entry alone, and without a client what was found.
 */
export async function connect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const { operands, values, switches } = line;
  if (operands[0] === undefined) {
    console.log(await listFound());
    return 0;
  }
  const client = readClient(operands[0]);
  if (values.url !== undefined && client.isConnector) {
    console.log(connectorSteps(client, addressOf(values.url)));
    return 0;
  }
  const plan = await (values.url === undefined ? planLocal : planRemote)(client, line, ask);
  const { entry, secret, secretFile, isChecked } = plan;
  const path = fileOf(client);
  const text = renderEntry(entry);
  const ofToken = ` The token is taken from the variable ${tokenVariable}.`;
  const token = text.includes(tokenVariable) ? ofToken : '';
  const place = secretFile ? ` The secret's file is ${secretFile}, for your eyes only.` : token;
  if (switches.has('print')) {
    process.stdout.write(text);
    say(`This belongs into ${path}.${place}`);
    return 0;
  }
  const present = (await serversOf(client))[entry.name];
  const isPresent = JSON.stringify(present) === JSON.stringify(entry.content);
  const isEdited = !isPresent && fileFormat(client) === 'json';
  if (isEdited && !(await agrees(line, ask, `${path} gets`, text))) return 1;
  if (secretFile && secret) await keepSecret(secretFile, secret);
  if (isPresent) console.log(`${client.title} has this entry already: ${entry.name}.`);
  else if (isEdited) {
    await changeFile(entry, entry.content, 'url' in values);
    print(`${client.title} knows ${entry.name} now.${place}\n`);
  } else {
    console.log(text);
    say(`Nothing was written to ${path}: put these lines into it.${place}`);
  }
  const hasPassed = !isChecked || (await check(plan, line, ask));
  console.log(`${hasPassed ? 'Next' : 'Put right what failed, then'}: ${client.next}`);
  if (!hasPassed) return 1;
  console.log(`Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`);
  return 0;
}

/** The entry to write, and the file that is to keep its secret. */
interface Plan {
  entry: Entry;
  /** Whether it names an account, which is checked. */
  isChecked?: true;
  secret?: string;
  secretFile?: string;
}

type Ask = AskPerson | undefined;

async function planLocal(client: ClientDefinition, line: CommandLine, ask: Ask): Promise<Plan> {
  const name = nameOf(line);
  const path = programPath();
  // A package that was fetched is fetched again.
  const isFetched = isPublished && /[\\/]_npx[\\/]/.test(path);
  const [command, ...program] = isFetched ? ['npx', '-y', packageName] : [process.execPath, path];
  const start = (args: readonly string[], env?: Record<string, string>) =>
    entryOf(client, name, { command, args: [...program, ...args], ...(env && { env }) });
  const { description } = line.values;
  if (line.switches.has('sandbox')) {
    const flags = withoutAccount(line.values);
    readConfig({ env: { ...withoutAccount(line.env), ...samples }, flags });
    const env = variablesOf({ values: flags, env: withoutAccount(line.env) });
    const args = ['--sandbox', ...(description ? [`--description=${description}`] : [])];
    return { entry: start(args, Object.keys(env).length > 0 ? env : undefined) };
  }
  const account = await accountFromFile(line);
  if (account !== undefined) {
    const file = { COMMERCE_ACCOUNTS_FILE: resolve(accountsPath(line) ?? '') };
    const entry = start(['--account', account.name], { ...variablesOf(line), ...file });
    return { entry, isChecked: true };
  }
  const isPrinted = line.switches.has('print');
  const sample = ({ variable }: Setting) => (isPrinted ? samples[variable] : undefined);
  const answer = ask && !isPrinted && questionsTo(ask, await knownOf(client, name, line));
  const { env, secret, personalFile } = await askForAccount(line, answer || sample);
  const secretFile = secretFileOf(env.COMMERCE_CLIENT_ID ?? '');
  const entry = start([], { ...env, [secretFileVariable]: personalFile ?? secretFile });
  return { entry, isChecked: true, ...(personalFile === undefined && { secret, secretFile }) };
}

/** The entry of a server over HTTP. @throws {UsageError} for an address that is not safe for a token */
async function planRemote(client: ClientDefinition, line: CommandLine, ask: Ask): Promise<Plan> {
  const { values, switches, env } = line;
  const url = addressOf(values.url ?? '');
  const question = 'Token of that server, which stays hidden here (Enter: it takes none): ';
  const reference = `\${${tokenVariable}}`;
  const token = switches.has('print')
    ? reference
    : (env[tokenVariable] ?? (await ask?.(question, { isHidden: true })));
  if (token === undefined)
    throw new UsageError(`no person is here to ask for the token: set ${tokenVariable}`);
  // A printed entry names the variable: its client reads it from there.
  const written = token && fileFormat(client) !== 'json' ? reference : token;
  return { entry: entryOf(client, nameOf(line), { url, token: written }) };
}

/** What a person does in a client that takes a server over HTTP into the account, not into a file. */
function connectorSteps({ title }: ClientDefinition, url: string): string {
  return [
    `${title} takes a server over HTTP as a connector of your account. In ${title}:`,
    '  1. Open Settings, Connectors, Add custom connector.',
    '  2. Name it Commerce, and give this address:',
    `       ${url}`,
    '  3. Choose Add, then Connect, and sign in.',
    'It is reached from the internet: the address has to be public, and the server has to',
    'use OAuth (docs/http.md). Nothing was written.',
  ].join('\n');
}

function addressOf(text: string): string {
  try {
    return webAddress(text);
  } catch (error) {
    throw new UsageError(`--url ${messageOf(error)}`);
  }
}

function nameOf({ values, switches }: CommandLine): string {
  const part = switches.has('sandbox') ? 'sandbox' : values.account?.replaceAll('.', '-');
  const name = values.name ?? (part ? `commerce-${part}` : 'commerce');
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new UsageError('--name takes up to 40 letters, digits, - and _, such as commerce-haarlem');
}

/** What this client's entry holds already, or else that of any client. */
async function knownOf(client: ClientDefinition, name: string, line: CommandLine) {
  const all = (await readClients()).flatMap(({ entries }) => entries);
  const entries = all.filter(({ env }) => 'COMMERCE_CLIENT_ID' in env);
  const entry = entries.find((it) => it.client === client && it.name === name) ?? entries[0];
  if (entry === undefined) return {};
  const { env } = asEntry(line, entry);
  const secret = await readFile(env[secretFileVariable] ?? '', 'utf8').catch(() => '');
  return { ...env, [secretVariable]: secret.trim() };
}

async function agrees({ switches }: CommandLine, ask: Ask, what: string, text: string) {
  // The token of a server over HTTP is in it.
  console.error(`${what}:\n${text.replaceAll(/(?<="Bearer )[^"]*/g, '…').trimEnd()}`);
  if (switches.has('yes')) return true;
  if (!ask)
    throw new UsageError('no person is here to agree: add --yes, or --print to only see the entry');
  const isAgreed = /^(y|yes|j|ja)$/i.test(await ask('Write this? [y/N] '));
  if (!isAgreed) console.log('Nothing was written.');
  return isAgreed;
}

/** Checks what the entry will be answered; a person whose secret is refused is asked for it again. */
async function check({ entry, secretFile }: Plan, line: CommandLine, ask: Ask): Promise<boolean> {
  for (;;) {
    const done = await printChecks(examine(asEntry(line, readEntry(entry))));
    const isRefused = done.some(({ code }) => code === 'key_refused');
    if (!isRefused || !ask || secretFile === undefined) return isWell(done);
    const secret = await ask('Client secret once more (Enter stops): ', { isHidden: true });
    if (secret === '') return false;
    await keepSecret(secretFile, secret);
  }
}

async function listFound(): Promise<string> {
  const rows = (await readClients()).map(({ client, entries, problem }) => {
    const file = fileOf(client);
    // That the home folder is there says nothing.
    const isHere = existsSync(file) || (dirname(file) !== homedir() && existsSync(dirname(file)));
    const names = entries.map(({ name }) => name).join(', ');
    const state = isHere ? 'not connected' : 'not found here';
    return [client.id, problem ?? (names === '' ? state : `connected as ${names}`), file];
  });
  return [
    ...alignTable(tableColumns(['client', 'state', 'file'], rows), Infinity),
    '',
    `Connect one:      ${ownCommand()} connect cursor`,
    `Only look at it:  ${ownCommand()} connect cursor --sandbox --print`,
  ].join('\n');
}

/** Takes this server out of the configuration of a client again, and the secret that only it used. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = readClient(line.operands[0] ?? '');
  const path = fileOf(client);
  // A broken configuration may hold an entry.
  const entries = entriesIn(client, await serversOf(client));
  const wanted = line.values.name || line.switches.has('sandbox') ? nameOf(line) : undefined;
  const meant = wanted ? entries.filter(({ name }) => name === wanted) : realEntries(entries);
  const entry = meant.find(({ name }) => name === 'commerce') ?? meant[0];
  if (entry === undefined) {
    console.log(`${client.title} has no entry ${wanted ?? 'commerce'}.`);
    return 0;
  }
  const { name, env } = entry;
  if (meant.length > 1 && name !== 'commerce')
    throw new UsageError(`there are several entries: ${titleOf(meant)}. Name one with --name.`);
  if (fileFormat(client) !== 'json') {
    say(`Nothing was written: take ${serversKey(client)}.${name} out of ${path} by hand.`);
    return 1;
  }
  if (!(await agrees(line, ask, `${path} loses`, `${serversKey(client)}.${name}`))) return 1;
  await changeFile(entry, undefined);
  console.log(`${client.title} no longer knows ${name}.`);
  const { [secretFileVariable]: secret = '' } = env;
  if (!(await isUsed(secret)) && (await forgetSecret(secret)))
    console.log(`Its secret is gone too: ${secret}`);
  for (const { name: other } of entries.filter((it) => it !== entry))
    console.log(`${other} is still there: ${ownCommand()} disconnect ${client.id} --name ${other}`);
  console.log(`Next: ${client.next}`);
  return 0;
}

/** Whether an entry names the file of a secret; a configuration that cannot be read may do so. */
async function isUsed(file: string): Promise<boolean> {
  const read = await readClients();
  const files = read.flatMap(({ entries }) => entries.map(({ env }) => env[secretFileVariable]));
  return files.includes(file) || read.some(({ problem }) => problem !== undefined);
}
