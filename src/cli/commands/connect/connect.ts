import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readConfig, settings } from '../../../config/config.ts';
import { webAddress } from '../../../config/values.ts';
import { reasonIn } from '../../../core/errors.ts';
import { isPublished, packageName } from '../../../core/program.ts';
import { type CommandLine, UsageError } from '../../command-line.ts';
import { accountFromFile, accountsPath, removeAccount } from '../../open-app.ts';
import { ownCommand, programPath } from '../../program.ts';
import { alignRows } from '../../terminal/table.ts';
import { print, say } from '../../terminal/text.ts';
import { settingAtFault } from '../doctor/check.ts';
import { examine, isFailure, reportChecks } from '../doctor/doctor.ts';
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
import { type ClientDefinition, fileOf, isEditable, readClient } from './clients.ts';
import {
  changeFile,
  entryOf,
  hasMark,
  renderEntry,
  serversOf,
  tokenVariable,
} from './configuration.ts';
import {
  type ConnectedEntry,
  entriesIn,
  lineOf,
  readClients,
  readEntry,
  realEntries,
  rewriteEntry,
  titleOf,
} from './entries.ts';
import { connectMessages } from './messages.ts';

/**
 * Adds this server to the configuration of a client, or with `--print` shows the entry. Without a client it lists the
 * clients on this machine.
 */
export async function connect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const { operands, flags } = line;
  if (operands[0] === undefined) {
    console.log(await listClients());
    return 0;
  }
  const client = readClient(operands[0]);
  if (flags.url !== undefined && client.isConnector) {
    print(connectorSteps(client.title, addressOf(flags.url)));
    return 0;
  }
  if (!flags.print && !(await isWanted(client, ask))) return 1;
  const { entry, present, checks } = await planEntry(client, line, ask);
  const { name, secret, secretFile } = entry;
  const { title } = client;
  const path = fileOf(client);
  const text = renderEntry(entry);
  const token = text.includes(tokenVariable)
    ? ` The token is taken from the variable ${tokenVariable}.`
    : '';
  const place = secretFile ? ` The secret's file is ${secretFile}, private to you.` : token;
  if (flags.print) {
    process.stdout.write(text);
    say(`Put this into ${path}.${place}`);
    return 0;
  }
  if (settingAtFault(checks) !== undefined) {
    print('Nothing was written.');
    return 1;
  }
  const isSame = JSON.stringify(present) === JSON.stringify(entry.content);
  const isPresent = isSame && !(isEditable(client) && (await hasMark(client)));
  const isEdited = !isPresent && isEditable(client);
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
  const hasFailed = checks.some(isFailure);
  print(`${hasFailed ? 'Put right what failed, then' : 'Next'}: ${client.next}`);
  if (hasFailed) return 1;
  print(`Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`);
  return 0;
}

/** Whether a client is installed, or a person asks for its entry anyway. */
async function isWanted(client: ClientDefinition, ask: Ask): Promise<boolean> {
  if (isInstalled(client)) return true;
  const { id, title } = client;
  const absent = connectMessages.client_not_found({ id, title, path: fileOf(client) });
  if (!ask) throw new UsageError(absent);
  say(absent.text);
  return isConfirmed(ask, 'Go on all the same? [y/N] ');
}

/** Whether the configuration of a client or its folder exists. The home folder does not count. */
function isInstalled(client: ClientDefinition): boolean {
  const file = fileOf(client);
  return [file, dirname(file)].some((path) => path !== homedir() && existsSync(path));
}

/** Plans an entry over the present one, and checks its account. A person is asked again for a setting at fault. */
async function planEntry(client: ClientDefinition, given: CommandLine, ask: Ask) {
  const { print: isPrinted, url } = given.flags;
  let line = url === undefined ? await completeAccount(client, given, ask) : given;
  for (;;) {
    const plan = await (url === undefined
      ? planLocal(client, line)
      : planRemote(client, line, ask));
    const { [plan.name]: present } = isPrinted ? {} : await serversOf(client);
    const entry = { ...plan, ...rewriteEntry(plan, present) };
    const isChecked = entry.command !== '' && !entry.isSandbox && !isPrinted;
    // The file that the entry names for the secret is not written yet.
    const secret = plan.secret && { [secretVariable]: plan.secret };
    const { env, ...entryLine } = lineOf(line, entry);
    const checks = isChecked ? await examine({ ...entryLine, env: { ...env, ...secret } }) : [];
    if (isChecked) console.log(reportChecks(checks));
    const setting = settingAtFault(checks);
    if (setting === undefined || !ask || entry.account !== undefined)
      return { entry, present, checks };
    line = addAnswers(line, await askFor([setting], ask, {}));
  }
}

/** Completes the account of a command line: asks a person, or takes samples for a printed entry. */
async function completeAccount(client: ClientDefinition, line: CommandLine, ask: Ask) {
  const { flags } = line;
  const missing = flags.sandbox || accountsPath(line) ? [] : missingSettings(line);
  if (!flags.print)
    return addAnswers(line, ask && (await askFor(missing, ask, await offersOf(client, line))));
  const values = missing.map(({ variable }) => [variable, samples[variable]]);
  return addAnswers(line, Object.fromEntries(values));
}

/** A command line with answers in place of the flags and variables of the same settings. */
function addAnswers(line: CommandLine, answers: CommandLine['env'] = {}): CommandLine {
  const answered = settings.filter(({ variable }) => variable in answers);
  const flags = Object.fromEntries(answered.map(({ flag = '' }) => [flag, undefined]));
  return { ...line, flags: { ...line.flags, ...flags }, env: { ...line.env, ...answers } };
}

function connectorSteps(title: string, url: string): string {
  return `${title} takes a server over HTTP as a connector of your account. In ${title}:
  1. Open Settings, Connectors, Add custom connector.
  2. Name it Commerce, and give this address:
       ${url}
  3. Choose Add, then Connect, and sign in.
It calls the server from the internet: the address has to be public, and the
server has to use OAuth (docs/http.md). Nothing was written.`;
}

type Plan = ConnectedEntry & { secret?: string; secretFile?: string };

type Ask = AskPerson | undefined;

async function planLocal(client: ClientDefinition, line: CommandLine): Promise<Plan> {
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
  const { env } = line;
  const { clientSecret: secret } = readConfig(line);
  const variables = variablesOf(line, ['account', 'server']);
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
  const tokenText = token && !isEditable(client) ? reference : token;
  return readEntry(entryOf(client, nameOf(line), { url, token: tokenText }));
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
async function offersOf(client: ClientDefinition, line: CommandLine) {
  const name = nameOf(line);
  const all = (await readClients()).flatMap(({ entries }) => entries);
  const entries = all.filter(({ env }) => 'COMMERCE_CLIENT_ID' in env);
  const entry = entries.find((each) => each.client === client && each.name === name) ?? entries[0];
  if (entry === undefined) return {};
  const { env } = lineOf(line, entry);
  const secret = await readFile(env[secretFileVariable] ?? '', 'utf8').catch(() => '');
  return { ...env, [secretVariable]: secret.trim() };
}

async function agrees({ flags }: CommandLine, ask: Ask, title: string, text: string) {
  say(title);
  // Hides the token of a server over HTTP.
  console.error(text.replaceAll(/(?<="Bearer )[^"]*/g, '…').trimEnd());
  if (flags.yes) return true;
  if (!ask) throw new UsageError(connectMessages.nobody_to_agree());
  return isConfirmed(ask, 'Write this? [y/N] ');
}

async function isConfirmed(ask: AskPerson, question: string): Promise<boolean> {
  const isAgreed = /^(y|yes|j|ja)$/i.test(await ask(question));
  if (!isAgreed) print('Nothing was written.');
  return isAgreed;
}

async function listClients(): Promise<string> {
  const read = await readClients();
  const rows = read.map(({ client, entries, isBroken }) => {
    const names = entries.map(({ name }) => name).join(', ');
    const state = isInstalled(client) ? 'not connected' : 'not found here';
    const connected = names === '' ? state : `connected as ${names}`;
    return [client.id, isBroken ? 'its configuration is broken' : connected, fileOf(client)];
  });
  const table = alignRows(['client', 'state', 'file'], rows, Infinity);
  const isOpen = (each: (typeof read)[number]) => each.entries.length === 0 && !each.isBroken;
  const { client } = read.find((each) => isOpen(each) && isInstalled(each.client)) ?? {};
  return [
    ...table,
    '',
    client ? `Connect it:       ${ownCommand()} connect ${client.id}` : 'No other client is here.',
    `Only look at it:  ${ownCommand()} connect ${client?.id ?? 'cursor'} --sandbox --print`,
  ].join('\n');
}

/** Removes this server from the configuration of a client, and its secret unless another entry uses it. */
export async function disconnect(line: CommandLine, ask = openAsk()): Promise<0 | 1> {
  const client = readClient(line.operands[0] ?? '');
  const { title } = client;
  const path = fileOf(client);
  // A broken configuration is refused: it may hold an entry.
  const entries = entriesIn(client, await serversOf(client));
  const requestedName = line.flags.name || line.flags.sandbox ? nameOf(line) : undefined;
  const matches = requestedName
    ? entries.filter(({ name }) => name === requestedName)
    : realEntries(entries);
  const entry = matches.find(({ name }) => name === 'commerce') ?? matches[0];
  if (entry === undefined) {
    print(`${title} has no entry ${requestedName ?? 'commerce'}.`);
    return 0;
  }
  const { name, env } = entry;
  if (matches.length > 1 && name !== 'commerce')
    throw new UsageError(connectMessages.several_entries({ entries: titleOf(matches) }));
  if (!isEditable(client)) {
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
