import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { QueryEngine } from '../../../query/engine.ts';
import { UsageError } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { type AskPerson, openAsk } from '../../terminal/ask.ts';
import { examine } from '../doctor/examine.ts';
import { printChecks } from '../doctor/report.ts';
import { examineStart } from '../doctor/start.ts';
import { missingSettings, readAccount, sampleAccount, whereValuesAre } from './account.ts';
import { type NamedClient, readClient, secretVariable, tokenVariable } from './clients.ts';
import { readServers, renderEntry, withEntry } from './configuration.ts';
import { readClients, readEntry, resolve, thisMachine } from './entries.ts';
import { keepSecret, readTextFile } from './file.ts';
import { type Plan, planAccount, planRemote, planSandbox } from './plan.ts';
import { type Outcome, say, writeChange } from './write.ts';

/** What `connect` was asked to do. */
export interface ConnectOptions {
  /** The name of a client; without one the clients on this machine are listed. */
  client?: string | undefined;
  /** The name of the entry. @default commerce, or commerce-sandbox */
  name?: string | undefined;
  /** `file`, or `client` where the client has a way of its own. */
  secretFrom?: string | undefined;
  /** The address of a server over HTTP, in place of starting one. */
  url?: string | undefined;
  print: boolean;
  yes: boolean;
  sandbox: boolean;
  /** Flags of settings by name. */
  flags: Readonly<Record<string, string | undefined>>;
  env: Readonly<Record<string, string | undefined>>;
  queryEngine?: QueryEngine | undefined;
  /** @default the person at the terminal, if there is one */
  ask?: AskPerson | undefined;
}

/** What a person may ask first. */
const firstQuestions = `Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`;

/**
 * Puts this server into the configuration of a client and checks the account; with `print` shows the
 * entry alone, and without a client what was found.
 */
export async function connect(given: ConnectOptions): Promise<0 | 1> {
  if (given.client === undefined) {
    if (given.print) throw new UsageError('--print needs a client, such as cursor');
    console.log(await listFound());
    return 0;
  }
  const named = readClient(given.client);
  const { client } = named;
  if (given.url !== undefined && !('address' in client)) {
    say(
      'Claude Desktop takes a server over HTTP as a connector: Settings, Connectors, Add custom connector, and its address. It is reached from the internet, so it has to be public and use OAuth (docs/http.md).',
    );
    return 0;
  }
  const options = { ...given, ask: given.ask ?? openAsk() };
  const plan = await makePlan(named, options);
  if (!given.print) return put(named, plan, options);
  process.stdout.write(renderEntry(client, plan.entry));
  const note = plan.keptAt
    ? `The secret goes into ${plan.keptAt} (mode 600): without --print this command puts it there.`
    : plan.note;
  say(`This belongs into ${client.file(thisMachine())}. ${note}`.trim());
  return 0;
}

async function makePlan({ id, client }: NamedClient, options: ConnectOptions): Promise<Plan> {
  const { url, sandbox, print, flags, env, ask } = options;
  const name = readName(options);
  if (sandbox) return planSandbox(client, name);
  if (url !== undefined)
    return planRemote(client, name, url, () => (print ? 'your-token' : readToken(options)));
  if (print) return planAccount(client, name, sampleAccount({ flags, env }), options.secretFrom);
  if (ask && missingSettings({ flags, env }).length > 0) say(whereValuesAre);
  const account = await readAccount({ flags, env }, await heldBy(id, name), ask);
  return planAccount(client, name, account, options.secretFrom);
}

/** The name of an entry. @throws {UsageError} */
export function readName({ name, sandbox }: Pick<ConnectOptions, 'name' | 'sandbox'>): string {
  const given = name ?? (sandbox ? 'commerce-sandbox' : 'commerce');
  if (/^[\w-]{1,40}$/.test(given)) return given;
  throw new UsageError('--name takes up to 40 letters, digits, - and _, such as commerce-haarlem');
}

async function readToken({ env, ask }: ConnectOptions): Promise<string> {
  const question = 'Token of that server, which stays hidden here (Enter: it takes none): ';
  const token = env[tokenVariable] ?? (await ask?.(question, { isHidden: true }));
  if (token !== undefined) return token;
  throw new UsageError(`no person is here to ask for the token: set ${tokenVariable}`);
}

/** What this client's entry holds already, or else that of any client. */
async function heldBy(id: string, name: string): Promise<Record<string, string | undefined>> {
  const entries = (await readClients()).flatMap((it) => it.entries);
  const accounts = entries.filter((it) => it.env.COMMERCE_CLIENT_ID !== undefined);
  const entry = accounts.find((it) => it.id === id && it.name === name) ?? accounts[0];
  const file = entry?.env[`${secretVariable}_FILE`];
  const secret = file && (await readTextFile(file).catch(() => undefined))?.trim();
  const texts = Object.entries(entry?.env ?? {}).map(([key, text]) => [key, resolve(text, {})]);
  return { ...Object.fromEntries(texts), [secretVariable]: secret || undefined };
}

async function put(named: NamedClient, plan: Plan, options: ConnectOptions): Promise<0 | 1> {
  const { client } = named;
  const { name } = plan.entry;
  const outcome = await install(named, plan, options);
  if (outcome === 'declined') {
    console.error('Nothing was written.');
    return 1;
  }
  if (outcome === 'same') console.log(`${client.title} has this entry already: ${name}.`);
  if (outcome === 'written') console.log(`${client.title} knows ${name} now. ${plan.note}`.trim());
  const isWell = await check(named, plan, options);
  console.log(`${isWell ? 'Next' : 'Put right what failed, then'}: ${client.next}`);
  if (isWell) console.log(firstQuestions);
  return isWell ? 0 : 1;
}

/** Writes an entry into a JSON configuration; for another format prints it. */
async function install(
  { client }: NamedClient,
  plan: Plan,
  { ask, yes }: ConnectOptions,
): Promise<Outcome | 'printed'> {
  const { entry, account, keptAt } = plan;
  const prepare = async () => {
    if (keptAt && account) await keepSecret(keptAt, account.secret);
  };
  if (client.format === 'json')
    return writeChange(client, {
      change: (text) => withEntry(client, text, entry),
      shown: renderEntry(client, entry).replaceAll(/^/gm, '+ '),
      prepare,
      ask,
      isAgreed: yes,
      isPrivate: plan.holdsToken,
    });
  const file = client.file(thisMachine());
  const servers = readServers(client, (await readTextFile(file)) ?? '');
  await prepare();
  if (isDeepStrictEqual(servers[entry.name], entry.content)) return 'same';
  process.stdout.write(renderEntry(client, entry));
  say(`Nothing was written to ${file}: put these lines into it. ${plan.note}`.trim());
  return 'printed';
}

/** Checks what the entry will be answered; a person whose secret is refused is asked for it again. */
async function check(named: NamedClient, plan: Plan, options: ConnectOptions): Promise<boolean> {
  const { account, keptAt, entry, isRemote } = plan;
  const { ask, env, queryEngine } = options;
  if (isRemote)
    return (await printChecks(examineStart(readEntry(named, entry.name, entry.content), env)))
      .isWell;
  if (account === undefined) return true;
  for (let { secret } = account; ; ) {
    console.log('');
    const variables = { ...account.env, [secretVariable]: secret };
    const { isWell, done } = await printChecks(
      examine({ env: variables, flags: {}, sandbox: false, queryEngine }),
    );
    const isRefused = done.some(({ code }) => code === 'key_refused');
    if (!isRefused || !ask || account.secretFile) return isWell;
    const again = await ask('Client secret once more (Enter stops): ', { isHidden: true });
    if (again === '') return false;
    secret = again;
    if (keptAt) await keepSecret(keptAt, secret);
  }
}

/** The clients on this machine, and whether they start this server. */
async function listFound(): Promise<string> {
  const machine = thisMachine();
  const found = (await readClients(machine)).map(({ id, client, entries, problem, text }) => {
    const file = client.file(machine);
    const names = entries.map(({ name }) => name).join(', ');
    const state = problem ?? (names === '' ? 'not connected' : `connected as ${names}`);
    // The configuration of Claude Code is in the home folder, which says nothing.
    const folder = id === 'claude-code' ? join(machine.home, '.claude') : dirname(file);
    const isHere = text !== undefined || problem !== undefined || existsSync(folder);
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
