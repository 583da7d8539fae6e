import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:tls';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connectionAdvice } from '../../../analysis/errors/advice.ts';
import { openEngine } from '../../../analysis/tables/statements.ts';
import {
  type Config,
  ConfigError,
  settings,
  textOf,
  unknownVariables,
} from '../../../config/config.ts';
import { inParallel, withDeadline } from '../../../core/deadline.ts';
import { CommerceError, errorMessages, reasonIn } from '../../../core/errors.ts';
import { version } from '../../../core/program.ts';
import { createApp } from '../../../mcp/app/app.ts';
import { createLog } from '../../../mcp/telemetry/log.ts';
import type { CommandLine } from '../../command-line.ts';
import { accountsFromFile, accountsPath, namesAccount, openAccount } from '../../open-app.ts';
import { person, type Said } from '../../terminal/catalogue/catalogue.ts';
import { type Remedy, remedies } from '../../terminal/catalogue/checks.ts';
import { paint, wrap } from '../../terminal/text.ts';
import { fileOf } from '../connect/clients.ts';
import { hasMark } from '../connect/configuration.ts';
import { asEntry, type ConnectedEntry, entryNames, findConnected } from '../connect/entries.ts';
import { titleOf } from '../connect/messages.ts';
import {
  type Check,
  type CheckedAccount,
  checks,
  type Found,
  failed,
  note,
  ok,
  remedy,
} from './checks.ts';

/**
 * Checks everything that has to be right before a question can be answered: for the account of the
 * environment, or else for each entry of a client on this machine. 1 if anything is not.
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const print: Print = line.flags.json ? () => {} : (text) => console.log(text);
  const examined = (await examineAccounts(line, print)) ?? (await examineSubjects(line, print));
  const done = examined.flatMap(([title, checks]) =>
    checks.map((check) => {
      const { detail, remedy = null } = inWords(check);
      const name = title ? `${title}: ${check.name}` : check.name;
      return { check: name, ok: check.verdict !== 'FAILED', detail, remedy };
    }),
  );
  if (line.flags.json) console.log(JSON.stringify(done));
  return done.every(({ ok }) => ok) ? 0 : 1;
}

/** The checks of what has this title, which is empty for the account of the environment. */
type Examined = [title: string, checks: Check[]];

type Print = (text: string) => void;

/** Accounts that are checked at the same time. */
const width = 8;

/** Undefined where one account is meant, or the file is wrong: the checks of one say so. */
async function examineAccounts(line: CommandLine, print: Print): Promise<Examined[] | undefined> {
  const { operands, flags } = line;
  const path = accountsPath(line);
  const isOne = operands.length > 0 || flags.sandbox || flags.account !== undefined;
  if (path === undefined || isOne) return undefined;
  const file = await accountsFromFile(line, path).catch(configErrorOf);
  if (file instanceof ConfigError) return undefined;
  const { accounts, server } = file;
  const queryEngine = line.queryEngine ?? (await openEngine(server, false));
  const examined = [...accounts.keys()].map((account): Examined => [account, []]);
  await inParallel(examined, width, undefined, async ([account, checks]) => {
    const named = { ...line, flags: { ...flags, account }, queryEngine };
    for await (const check of examine(named)) checks.push(check);
    const shownChecks = checks.filter(({ verdict }) => flags.all || verdict !== 'ok');
    const verdict = person.say({ code: 'account_verdict', isWell: isWell(checks) });
    const shown = isWell(checks) ? verdict : paint('red', verdict);
    print([`${paint('bold', account)}: ${shown}`, ...shownChecks.map(renderCheck)].join('\n'));
  });
  if (line.queryEngine === undefined) await queryEngine.close();
  const failed = examined.filter(([, checks]) => !isWell(checks)).map(([account]) => account);
  print(`\n${person.say({ code: 'accounts_verdict', failed, count: examined.length })}`);
  return examined;
}

async function examineSubjects(line: CommandLine, print: Print): Promise<Examined[]> {
  const [name] = line.operands;
  const entries = name === undefined && namesAccount(line) ? [] : await findConnected(name);
  const isAll = line.flags.all !== undefined;
  if (entries.length === 0) return [['', await printChecks(examine(line), isAll, print)]];
  const examined: Examined[] = [];
  for (const entry of entries) {
    const title = titleOf(entryNames([entry]));
    print(paint('bold', `${title}\n`));
    examined.push([title, await printChecks(examineEntry(entry, line), isAll, print)]);
    print('');
  }
  return examined;
}

/** Starts the command of an entry as its client does, and then checks the account that it names. */
async function* examineEntry(entry: ConnectedEntry, line: CommandLine): AsyncGenerator<Check> {
  const { command, args, client: program } = entry;
  if (program.refusesMark && (await hasMark(program))) {
    const place = { path: fileOf(program), title: program.title, client: program.id };
    yield { name: 'file', ...failed({ code: 'file_has_mark', ...place, entry: entry.name }) };
  }
  const name = 'start';
  const client = new Client({ name: 'commerce-mcp-doctor', version });
  const started = asEntry(line, entry);
  const env = Object.fromEntries(Object.entries(started.env).map(([key, it = '']) => [key, it]));
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-5000);
  });
  try {
    await client.connect(transport, { timeout: 20_000 });
    const { tools } = await client.listTools();
    yield { name, ...ok({ code: 'start_ok', command, tools: tools.length }) };
  } catch (error) {
    // Of a failure of Node its sentence is shown, not where it was thrown.
    const [sentence] = /^\w*Error\b.*$/m.exec(printed) ?? [printed];
    const text = sentence.trim().replaceAll(/\s+/g, ' ').slice(-500) || String(error);
    yield {
      name,
      ...failed({ code: 'start_failed', command: [command, ...args], text }),
      remedies: [{ code: 'connect_again', client: entry.client.id, entry: entry.name }],
    };
  } finally {
    await client.close();
  }
  yield* examine(started);
}

/** Runs the checks in order, each finding as soon as it is there, up to one that the others rest on. */
export async function* examine(line: CommandLine): AsyncGenerator<Check> {
  const account = await openAccount(line).catch(configErrorOf);
  yield judgeConfiguration(account, line);
  if (account instanceof ConfigError) return;
  const { timeoutMs, maxWaitMs } = account.config;
  // A person waits for the verdict.
  const atMost = { timeoutMs: Math.min(timeoutMs, 10_000), maxWaitMs: Math.min(maxWaitMs, 10_000) };
  const config = { ...account.config, ...atMost };
  // What a server would be: it knows of the account what this one does.
  const app = await createApp({
    source: account.source,
    log: createLog('silent'),
    // Its check asks Redis itself: nobody is joined for it.
    config: { ...config, redisUrl: undefined },
    queryEngine: line.queryEngine,
  });
  const path = line.flags.sandbox ? undefined : accountsPath(line);
  const directory = path === undefined ? undefined : { list: await accountsFromFile(line, path) };
  const subject: CheckedAccount = { config, app, client: app.services.client, directory };
  try {
    for (const [name, run] of Object.entries(checks)) {
      const check = await runCheck(name, () => run(subject));
      yield check;
      // All that follow need these two.
      if (check.verdict === 'FAILED' && (name === 'discovery' || name === 'exchange')) return;
    }
  } finally {
    await app.close();
    await account.close();
  }
}

function configErrorOf(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  throw error;
}

async function runCheck(name: string, run: () => Promise<Found> | Found): Promise<Check> {
  try {
    const found = await run();
    return { name, ...(found.verdict === 'FAILED' && remedyOf(name)), ...found };
  } catch (error) {
    const code = error instanceof CommerceError ? error.code : undefined;
    const reason = reasonIn(error);
    if (reason.code !== 'not_connected')
      return { name, ...failed(reason), ...remedyOf(code, name), code };
    const { origin, fault } = reason;
    const detail = (await speaksTls(origin)) ? ({ code: 'speaks_tls', origin } as const) : reason;
    const isExplained = fault === 'certificate' || fault === 'proxy';
    const remedies = isExplained && {
      remedies: [errorMessages.other_error({ words: connectionAdvice[fault] })],
    };
    return { name, ...failed(detail), ...(remedies || remedyOf(code)), code };
  }
}

/** Whether a port that was asked over plain http speaks TLS. */
async function speaksTls(origin: string): Promise<boolean> {
  const { protocol, hostname: host, port } = new URL(origin);
  if (protocol === 'https:') return false;
  const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
  return withDeadline({ ms: 2000 }, () => once(socket, 'secureConnect'))
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** The first for which there is one. */
function remedyOf(...names: readonly (string | undefined)[]): Pick<Check, 'remedies'> {
  const found = names.find((name): name is Remedy => name !== undefined && name in remedies);
  return found === undefined ? {} : { remedies: [remedy(found)] };
}

function judgeConfiguration(
  opened: { config: Config } | ConfigError,
  { env, flags }: CommandLine,
): Check {
  const unknown = unknownVariables(env).map((it): Said => ({ code: 'unknown_variable', ...it }));
  const name = 'configuration';
  if (opened instanceof ConfigError) {
    const { problems } = opened;
    const found = failed({ code: 'configuration_wrong', problems });
    return { name, ...found, remedies: [remedy(name), ...unknown] };
  }
  const advice = [...unknown, ...readableSecrets(opened.config, { env, flags })];
  const { baseUrl, authUrl, clientId: id, toolsets } = opened.config;
  // Up to the beginning of the key's own id; a value of another form may be a secret.
  const clientId = id.slice(0, id.includes('.') ? id.indexOf('.') + 3 : 2);
  const account = { baseUrl, authUrl, clientId, toolsets, isSandbox: flags.sandbox !== undefined };
  const found = { code: 'configuration_ok', ...account } as const;
  return { name, ...(advice.length > 0 ? note(found, ...advice) : ok(found)) };
}

/** The files with secrets that everybody on this machine can read; on Windows their modes say nothing. */
function readableSecrets(
  { httpTokensFile, secretFile }: Config & { secretFile?: string },
  source: Pick<CommandLine, 'env' | 'flags'>,
): Said[] {
  if (process.platform === 'win32') return [];
  const given = settings.map((it) => textOf(it, source));
  const named = given.map((it) => (it?.isFile ? it.text : undefined));
  return [...named, httpTokensFile, secretFile].flatMap((path) => {
    const { mode = 0 } = (path && statSync(path, { throwIfNoEntry: false })) || {};
    return path && mode & 0o004 ? [{ code: 'secret_readable', path } as const] : [];
  });
}

/** Prints each check that needs attention, or each, as soon as it is there, and how many are well. */
export async function printChecks(
  checks: AsyncIterable<Check>,
  isAll = false,
  print: Print = (text) => console.log(text),
): Promise<Check[]> {
  const done: Check[] = [];
  for await (const check of checks) {
    done.push(check);
    if (isAll || check.verdict !== 'ok') print(renderCheck(check));
  }
  const failed = done.filter(({ verdict }) => verdict === 'FAILED').length;
  const well = done.filter(({ verdict }) => verdict === 'ok').length;
  const verdict = person.say({ code: 'checks_verdict', failed, well, count: done.length });
  print(paint(failed === 0 ? 'green' : 'red', verdict));
  return done;
}

export function isWell(checks: readonly Check[]): boolean {
  return checks.every(({ verdict }) => verdict !== 'FAILED');
}

const colours = { ok: 'green', note: 'yellow', FAILED: 'red' } as const;

function inWords({ detail, remedies }: Check): { detail: string; remedy?: string } {
  return {
    detail: person.say(detail),
    ...(remedies && { remedy: remedies.map(person.say).join(' ') }),
  };
}

function renderCheck(check: Check): string {
  const { name, verdict } = check;
  const { detail, remedy } = inWords(check);
  const head = `${paint(colours[verdict], verdict.padEnd(7))}  ${name.padEnd(21)}  `;
  const indent = ' '.repeat(32);
  const { columns } = process.stdout;
  const width = columns && Math.max(30, columns - indent.length);
  const advice = remedy === undefined ? [] : wrap(`-> ${remedy}`, width);
  const lines = [...wrap(detail, width), ...advice.map((line) => paint('bold', line))];
  return head + lines.join(`\n${indent}`);
}
