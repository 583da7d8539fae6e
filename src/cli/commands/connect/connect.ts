import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readConfig } from '../../../config/config.ts';
import { webAddress } from '../../../config/values.ts';
import { reasonIn } from '../../../core/errors.ts';
import { isPublished, packageName } from '../../../core/program.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { accountFromFile, accountsPath, removeAccount } from '../../open-app.ts';
import { ownCommand, programPath } from '../../program.ts';
import { alignRows } from '../../terminal/table.ts';
import { print, say } from '../../terminal/text.ts';
import { examine, isWell, printChecks } from '../doctor/doctor.ts';
import {
  type AskPerson,
  askFor,
  forgetSecret,
  keepSecret,
  missingSettings,
  openAsk,
  samples,
  secretFileOf,
  secretFileVariable,
  secretVariable,
  variablesOf,
} from './account.ts';
import { type ClientDefinition, fileFormat, fileOf, readClient } from './clients.ts';
import {
  changeFile,
  entryOf,
  hasMark,
  renderEntry,
  serversOf,
  tokenVariable,
} from './configuration.ts';
import {
  asEntry,
  type ConnectedEntry,
  entriesIn,
  entryNames,
  readClients,
  readEntry,
  realEntries,
  rewriteEntry,
} from './entries.ts';
import { connectMessages } from './messages.ts';

/**
 * Adds this server to the configuration of a client, or with `--print` shows the entry. Without a client it lists the
 * clients on this machine.
 */
export async function connect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const { operands, flags } = line;
  if (operands[0] === undefined) {
    console.log(await listFound());
    return 0;
  }
  const client = readClient(operands[0]);
  if (flags.url !== undefined && client.isConnector) {
    print(connectorSteps(client.title, addressOf(flags.url)));
    return 0;
  }
  const plan = await (flags.url === undefined ? planLocal : planRemote)(client, line, ask);
  const { name, secret, secretFile } = plan;
  const { title } = client;
  const path = fileOf(client);
  const { [name]: present } = flags.print ? {} : await serversOf(client);
  const entry = { ...plan, ...rewriteEntry(plan, present) };
  const text = renderEntry(entry);
  const token = text.includes(tokenVariable)
    ? ` The token is taken from the variable ${tokenVariable}.`
    : '';
  const place = secretFile ? ` The secret's file is ${secretFile}, for your eyes only.` : token;
  if (flags.print) {
    process.stdout.write(text);
    say(`This belongs into ${path}.${place}`);
    return 0;
  }
  const isJson = fileFormat(client) === 'json';
  const isSame = JSON.stringify(present) === JSON.stringify(entry.content);
  const isPresent = isSame && !(isJson && (await hasMark(client)));
  const isEdited = !isPresent && isJson;
  if (isEdited && !(await agrees(line, ask, `${path} gets:`, text))) return 1;
  if (secretFile && secret) await keepSecret(secretFile, secret);
  if (isPresent) print(`${title} has this entry already: ${name}.`);
  else if (isEdited) {
    await changeFile(entry, entry.content, 'url' in flags);
    print(`${title} knows ${name} now.${place}\n`);
  } else {
    console.log(text);
    say(`Nothing was written to ${path}: put these lines into it.${place}`);
  }
  const isChecked = entry.command !== '' && !entry.isSandbox;
  const hasPassed = !isChecked || (await check(entry, line, ask));
  print(`${hasPassed ? 'Next' : 'Put right what failed, then'}: ${client.next}`);
  if (!hasPassed) return 1;
  print(`Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`);
  return 0;
}

function connectorSteps(title: string, url: string): string {
  return `${title} takes a server over HTTP as a connector of your account. In ${title}:
  1. Open Settings, Connectors, Add custom connector.
  2. Name it Commerce, and give this address:
       ${url}
  3. Choose Add, then Connect, and sign in.
It is reached from the internet: the address has to be public, and the server has to
use OAuth (docs/http.md). Nothing was written.`;
}

/** An entry, and the secret for its file. */
type Plan = ConnectedEntry & { secret?: string; secretFile?: string };

type Ask = AskPerson | undefined;

async function planLocal(client: ClientDefinition, line: CommandLine, ask: Ask): Promise<Plan> {
  const name = nameOf(line);
  const path = programPath();
  // Entries of a package fetched by npx fetch it again.
  const isFetched = isPublished && /[\\/]_npx[\\/]/.test(path);
  const [command, ...program] = isFetched ? ['npx', '-y', packageName] : [process.execPath, path];
  const start = (args: readonly string[], env?: Record<string, string>) => {
    const server = { command, args: [...program, ...args], ...(env && { env }) };
    return readEntry(entryOf(client, name, server));
  };
  if (line.flags.sandbox) {
    const flags = removeAccount(line.flags);
    const env = removeAccount(line.env);
    readConfig({ env: { ...env, ...samples }, flags });
    const variables = variablesOf({ flags, env });
    const { description } = flags;
    const args = ['--sandbox', ...(description ? [`--description=${description}`] : [])];
    return start(args, Object.keys(variables).length > 0 ? variables : undefined);
  }
  const account = await accountFromFile(line);
  if (account !== undefined) {
    const file = { COMMERCE_ACCOUNTS_FILE: resolve(accountsPath(line) ?? '') };
    return start(['--account', account.name], { ...variablesOf(line), ...file });
  }
  const missing = missingSettings(line);
  const answers = line.flags.print
    ? Object.fromEntries(missing.map(({ variable }) => [variable, samples[variable]]))
    : ask && (await askFor(missing, ask, await offersOf(client, name, line)));
  const env = { ...line.env, ...answers };
  const { clientSecret: secret } = readConfig({ ...line, env });
  const variables = variablesOf({ ...line, env }, ['account', 'server']);
  const personalFile = env[secretVariable] ? undefined : env[secretFileVariable];
  const secretFile = personalFile ?? secretFileOf(variables.COMMERCE_CLIENT_ID ?? '');
  const entry = start([], { ...variables, [secretFileVariable]: secretFile });
  return { ...entry, ...(personalFile === undefined && { secret, secretFile }) };
}

async function planRemote(client: ClientDefinition, line: CommandLine, ask: Ask): Promise<Plan> {
  const { flags, env } = line;
  const url = addressOf(flags.url ?? '');
  const reference = `\${${tokenVariable}}`;
  const question = 'Token of that server, which stays hidden here (Enter: it takes none): ';
  const token = flags.print
    ? reference
    : (env[tokenVariable] ?? (await ask?.(question, { isHidden: true })));
  if (token === undefined)
    throw new UsageError(connectMessages.nobody_for_token({ variable: tokenVariable }));
  // Printed entries name the variable in place of the token.
  const written = token && fileFormat(client) !== 'json' ? reference : token;
  return readEntry(entryOf(client, nameOf(line), { url, token: written }));
}

function addressOf(text: string): string {
  try {
    return webAddress(text);
  } catch (error) {
    throw new UsageError(connectMessages.bad_url({ problem: reasonIn(error).text }));
  }
}

function nameOf({ flags }: CommandLine): string {
  const part = flags.sandbox ? 'sandbox' : flags.account?.replaceAll('.', '-');
  const name = flags.name ?? (part ? `commerce-${part}` : 'commerce');
  if (/^[\w-]{1,40}$/.test(name)) return name;
  throw new UsageError(connectMessages.bad_entry_name());
}

/** Values of an existing entry, of this client if it has one. */
async function offersOf(client: ClientDefinition, name: string, line: CommandLine) {
  const all = (await readClients()).flatMap(({ entries }) => entries);
  const entries = all.filter(({ env }) => 'COMMERCE_CLIENT_ID' in env);
  const entry = entries.find((each) => each.client === client && each.name === name) ?? entries[0];
  if (entry === undefined) return {};
  const { env } = asEntry(line, entry);
  const secret = await readFile(env[secretFileVariable] ?? '', 'utf8').catch(() => '');
  return { ...env, [secretVariable]: secret.trim() };
}

async function agrees({ flags }: CommandLine, ask: Ask, what: string, text: string) {
  say(what);
  // Hides the token of a server over HTTP.
  console.error(text.replaceAll(/(?<="Bearer )[^"]*/g, '…').trimEnd());
  if (flags.yes) return true;
  if (!ask) throw new UsageError(connectMessages.nobody_to_agree());
  const isAgreed = /^(y|yes|j|ja)$/i.test(await ask('Write this? [y/N] '));
  if (!isAgreed) print('Nothing was written.');
  return isAgreed;
}

/** Asks again for a refused secret. */
async function check(entry: Plan, line: CommandLine, ask: Ask): Promise<boolean> {
  const { secretFile } = entry;
  for (;;) {
    const done = await printChecks(examine(asEntry(line, entry)));
    const isRefused = done.some(({ code }) => code === 'key_refused');
    if (!isRefused || !ask || secretFile === undefined) return isWell(done);
    const secret = await ask('Client secret once more (Enter stops): ', { isHidden: true });
    if (secret === '') return false;
    await keepSecret(secretFile, secret);
  }
}

async function listFound(): Promise<string> {
  const rows = (await readClients()).map(({ client, entries, isBroken }) => {
    const file = fileOf(client);
    // The home folder, where some clients keep their file, always exists.
    const isHere = [file, dirname(file)].some((path) => path !== homedir() && existsSync(path));
    const names = entries.map(({ name }) => name).join(', ');
    const state = isHere ? 'not connected' : 'not found here';
    const connected = names === '' ? state : `connected as ${names}`;
    return [client.id, isBroken ? 'its configuration is broken' : connected, file];
  });
  const table = alignRows(['client', 'state', 'file'], rows, Infinity);
  return [
    ...table,
    '',
    `Connect one:      ${ownCommand()} connect cursor`,
    `Only look at it:  ${ownCommand()} connect cursor --sandbox --print`,
  ].join('\n');
}

/** Removes this server from the configuration of a client, and its secret unless another entry uses it. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = readClient(line.operands[0] ?? '');
  const { title } = client;
  const path = fileOf(client);
  // A broken configuration is refused: it may hold an entry.
  const entries = entriesIn(client, await serversOf(client));
  const wanted = line.flags.name || line.flags.sandbox ? nameOf(line) : undefined;
  const meant = wanted ? entries.filter(({ name }) => name === wanted) : realEntries(entries);
  const entry = meant.find(({ name }) => name === 'commerce') ?? meant[0];
  if (entry === undefined) {
    print(`${title} has no entry ${wanted ?? 'commerce'}.`);
    return 0;
  }
  const { name, env } = entry;
  if (meant.length > 1 && name !== 'commerce')
    throw new UsageError(connectMessages.several_entries({ ...entryNames(meant) }));
  if (fileFormat(client) !== 'json') {
    say(`Nothing was written: take ${client.servers}.${name} out of ${path} by hand.`);
    return 1;
  }
  if (!(await agrees(line, ask, `${path} loses:`, `${client.servers}.${name}`))) return 1;
  await changeFile(entry, undefined);
  print(`${title} no longer knows ${name}.`);
  const { [secretFileVariable]: secret = '' } = env;
  if (!(await isUsed(secret)) && (await forgetSecret(secret)))
    print(`Its secret is gone too: ${secret}`);
  for (const { name: other } of entries.filter((each) => each !== entry))
    print(`${other} is still there: ${ownCommand()} disconnect ${client.id} --name ${other}`);
  print(`Next: ${client.next}`);
  return 0;
}

/** A broken configuration may use the file, so it counts as used. */
async function isUsed(file: string): Promise<boolean> {
  const read = await readClients();
  const files = read.flatMap(({ entries }) => entries.map(({ env }) => env[secretFileVariable]));
  return files.includes(file) || read.some(({ isBroken }) => isBroken);
}
