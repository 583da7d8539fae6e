import { statSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openEngine } from '../../../analysis/tables/statements.ts';
import {
  type Config,
  ConfigError,
  problemLines,
  settings,
  settingText,
  unknownVariables,
} from '../../../config/config.ts';
import { inParallel } from '../../../core/deadline.ts';
import { version } from '../../../core/program.ts';
import { countNoun } from '../../../core/text.ts';
import { createApp } from '../../../mcp/app/app.ts';
import { createLog } from '../../../mcp/telemetry/log.ts';
import type { CommandLine } from '../../command-line.ts';
import { accountsFromFile, accountsPath, namesAccount, openAccount } from '../../open-app.ts';
import { ownCommand } from '../../program.ts';
import { paint, wrap } from '../../terminal/text.ts';
import { fileOf } from '../connect/clients.ts';
import { hasMark } from '../connect/configuration.ts';
import { asEntry, type ConnectedEntry, entryNames, findConnected } from '../connect/entries.ts';
import { titleOf } from '../connect/messages.ts';
import { type Check, type CheckedAccount, failed, note, ok, runCheck } from './check.ts';
import { platformChecks } from './platform-checks.ts';
import { serverChecks } from './server-checks.ts';

/**
 * Checks what a question needs, for the account of the environment, or else for each entry of a client on this
 * machine.
 * @returns 1 if a check failed
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const print: Print = line.flags.json ? () => {} : (text) => console.log(text);
  const examined = (await examineAccounts(line, print)) ?? (await examineSubjects(line, print));
  const results = examined.flatMap(([title, checks]) =>
    checks.map(({ name, verdict, detail, remedy = null }) => {
      const check = title ? `${title}: ${name}` : name;
      return { check, ok: verdict !== 'FAILED', detail, remedy };
    }),
  );
  if (line.flags.json) console.log(JSON.stringify(results));
  return results.every(({ ok }) => ok) ? 0 : 1;
}

/** Checks of an entry or account; the title is empty for the account of the environment. */
type Examined = [title: string, checks: Check[]];

type Print = (text: string) => void;

/** Accounts that are checked at once. */
const width = 8;

/** Undefined for one account, and for a broken file, which the check of the configuration reports. */
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
    const accountLine = { ...line, flags: { ...flags, account }, queryEngine };
    for await (const check of examine(accountLine)) checks.push(check);
    const shownChecks = checks.filter(({ verdict }) => flags.all || verdict !== 'ok');
    const verdict = isWell(checks) ? 'well' : paint('red', 'failed');
    print([`${paint('bold', account)}: ${verdict}`, ...shownChecks.map(renderCheck)].join('\n'));
  });
  if (line.queryEngine === undefined) await queryEngine.close();
  const failing = examined.filter(([, checks]) => !isWell(checks)).map(([account]) => account);
  const verdict = failing.length === 0 ? 'All is well' : `Failed: ${failing.join(', ')}`;
  print(`\n${verdict}, of ${countNoun(examined.length, 'account')}.`);
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

/** Starts the command of an entry like its client, then checks the account of the entry. */
async function* examineEntry(entry: ConnectedEntry, line: CommandLine): AsyncGenerator<Check> {
  const { command, args, client: program } = entry;
  const again = `${ownCommand()} connect ${program.id} --name ${entry.name}`;
  if (program.refusesMark && (await hasMark(program))) {
    const mark = `${fileOf(program)} begins with a byte-order mark: ${program.title} reads nothing of it, and may write it anew without your servers.`;
    yield { name: 'file', ...failed(`${mark} ${again} writes it without the mark.`) };
  }
  const name = 'start';
  const client = new Client({ name: 'commerce-mcp-doctor', version });
  const entryLine = asEntry(line, entry);
  const env = Object.fromEntries(
    Object.entries(entryLine.env).map(([key, value = '']) => [key, value]),
  );
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-5000);
  });
  try {
    await client.connect(transport, { timeout: 20_000 });
    const { tools } = await client.listTools();
    yield { name, ...ok(`${command} answers with ${tools.length} tools`) };
  } catch (error) {
    // Shows the sentence of a Node error without its stack.
    const [sentence] = /^\w*Error\b.*$/m.exec(printed) ?? [printed];
    const text = sentence.trim().replaceAll(/\s+/g, ' ').slice(-500) || String(error);
    yield {
      name,
      ...failed(`${[command, ...args].join(' ')}: ${text}`),
      remedy: `Was this program moved or not built? ${again} writes the entry again.`,
    };
  } finally {
    await client.close();
  }
  yield* examine(entryLine);
}

const checks = Object.entries({ ...serverChecks, ...platformChecks });

export async function* examine(line: CommandLine): AsyncGenerator<Check> {
  const account = await openAccount(line).catch(configErrorOf);
  yield judgeConfiguration(account, line);
  if (account instanceof ConfigError) return;
  const { timeoutMs, maxWaitMs } = account.config;
  // A person waits for the verdict.
  const atMost = { timeoutMs: Math.min(timeoutMs, 10_000), maxWaitMs: Math.min(maxWaitMs, 10_000) };
  const config = { ...account.config, ...atMost };
  // One application for all checks, since a server learns from earlier answers too.
  const app = await createApp({
    source: account.source,
    log: createLog('silent'),
    // The check of Redis has its own connection, so this process joins no fleet.
    config: { ...config, redisUrl: undefined },
    queryEngine: line.queryEngine,
  });
  const path = line.flags.sandbox ? undefined : accountsPath(line);
  const directory = path === undefined ? undefined : { list: await accountsFromFile(line, path) };
  const subject: CheckedAccount = { config, app, client: app.services.client, directory };
  try {
    for (const [name, definition] of checks) {
      const check = await runCheck(name, definition, subject);
      yield check;
      if (check.verdict === 'FAILED' && definition.isEssential) return;
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

function judgeConfiguration(
  opened: { config: Config } | ConfigError,
  { env, flags }: CommandLine,
): Check {
  const unknown = unknownVariables(env).map(({ variable, nearest }) => {
    return `${variable} names no setting${nearest === undefined ? '.' : `: is it ${nearest}?`}`;
  });
  const name = 'configuration';
  if (opened instanceof ConfigError) {
    const remedy = `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry. No account yet? Try ${ownCommand()} demo, or add --sandbox.`;
    const detail = problemLines(opened.problems).join('; ');
    return { name, ...failed(detail), remedy: [remedy, ...unknown].join(' ') };
  }
  const advice = [...unknown, ...readableSecrets(opened.config, { env, flags })];
  const { baseUrl, authUrl, clientId: id, toolsets } = opened.config;
  // Only the beginning of the id is shown: a malformed one may be a secret.
  const clientId = id.slice(0, id.includes('.') ? id.indexOf('.') + 3 : 2);
  const account = flags.sandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${clientId}…, secret given`;
  const detail = `${account}; toolsets ${toolsets.join(', ')}`;
  return { name, ...(advice.length > 0 ? note(detail, ...advice) : ok(detail)) };
}

/** Warns of each file of secrets that other users of this machine can read. Windows has no such modes. */
function readableSecrets(
  { httpTokensFile, secretFile }: Config & { secretFile?: string },
  source: Pick<CommandLine, 'env' | 'flags'>,
): string[] {
  if (process.platform === 'win32') return [];
  const texts = settings.map((setting) => settingText(setting, source));
  const secretFiles = texts.map((value) => (value?.isFile ? value.text : undefined));
  return [...secretFiles, httpTokensFile, secretFile].flatMap((path) => {
    const { mode = 0 } = (path && statSync(path, { throwIfNoEntry: false })) || {};
    const isReadable = path && mode & 0o004;
    return isReadable
      ? `Every user of this machine can read the secret in ${path}: take that from them (chmod o-r).`
      : [];
  });
}

export async function printChecks(
  running: AsyncIterable<Check>,
  isAll = false,
  print: Print = (text) => console.log(text),
): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of running) {
    checks.push(check);
    if (isAll || check.verdict !== 'ok') print(renderCheck(check));
  }
  const count = (counted: Check['verdict']) =>
    checks.filter(({ verdict }) => verdict === counted).length;
  const well =
    count('ok') === checks.length
      ? `All is well, of ${countNoun(checks.length, 'check')}.`
      : `${count('ok')} of ${checks.length} checks are well.`;
  const failures = count('FAILED');
  const verdict = failures > 0 ? `${well} ${failures} failed: begin with the first.` : well;
  print(paint(failures > 0 ? 'red' : 'green', verdict));
  return checks;
}

export function isWell(checks: readonly Check[]): boolean {
  return checks.every(({ verdict }) => verdict !== 'FAILED');
}

const colours = { ok: 'green', note: 'yellow', FAILED: 'red' } as const;

function renderCheck({ name, verdict, detail, remedy }: Check): string {
  const head = `${paint(colours[verdict], verdict.padEnd(7))}  ${name.padEnd(21)}  `;
  const indent = ' '.repeat(32);
  const { columns } = process.stdout;
  const width = columns && Math.max(30, columns - indent.length);
  const advice = remedy === undefined ? [] : wrap(`-> ${remedy}`, width);
  const lines = [...wrap(detail, width), ...advice.map((line) => paint('bold', line))];
  return head + lines.join(`\n${indent}`);
}
