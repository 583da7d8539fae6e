import { statSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import PQueue from 'p-queue';
import { openEngine } from '../../../analysis/tables/statements.ts';
import {
  type Config,
  ConfigError,
  problemLines,
  readServerConfig,
  settings,
  settingText,
  unknownVariables,
} from '../../../config/config.ts';
import { version } from '../../../core/program.ts';
import { countNoun } from '../../../core/text.ts';
import { createApp } from '../../../mcp/app/app.ts';
import { createLog } from '../../../mcp/telemetry/log.ts';
import type { CommandLine } from '../../command-line.ts';
import { accountsFromFile, accountsPath, namesAccount, openAccount } from '../../open-app.ts';
import { ownCommand } from '../../program.ts';
import { wrap } from '../../terminal/text.ts';
import { fileOf } from '../connect/clients.ts';
import { hasMark } from '../connect/configuration.ts';
import { type ConnectedEntry, findConnected, lineOf, titleOf } from '../connect/entries.ts';
import { type Check, type CheckedAccount, failed, note, ok, runCheck } from './check.ts';
import { platformChecks } from './platform-checks.ts';
import { serverChecks } from './server-checks.ts';

/** An account to check: that of the environment, one of a file of accounts, or that of an entry of a client. */
interface Subject {
  /** Empty for the account of the environment. */
  title: string;
  line: CommandLine;
  entry?: ConnectedEntry;
}

/** Accounts that are checked at once. */
const concurrency = 8;

/**
 * Checks the account of the environment, those of a file of accounts, or those that clients on this machine have.
 * @returns 1 if a check failed
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const { all, json } = line.flags;
  const subjects = await listSubjects(line);
  const work = subjects.map(({ title, ...subject }) => async () => {
    const checks = await examineSubject(subject);
    const titled = title && `${title}\n`;
    if (!json) console.log(titled + reportChecks(checks, all !== undefined) + (title && '\n'));
    return checks.map((check) => ({ ...check, title }));
  });
  const checks = (await new PQueue({ concurrency }).addAll(work)).flat();
  // The accounts of a file share one engine.
  if (line.queryEngine === undefined) await subjects[0]?.line.queryEngine?.close();
  const failing = new Set(checks.filter(isFailure).map(({ title }) => title));
  if (json) {
    const results = checks.map(({ title, name, verdict, detail, remedy = null }) => {
      const check = title ? `${title}: ${name}` : name;
      return { check, ok: verdict !== 'FAILED', detail, remedy };
    });
    console.log(JSON.stringify(results));
  } else if (subjects.length > 1) {
    const verdict = failing.size === 0 ? 'All is well' : `Failed: ${[...failing].join(', ')}`;
    console.log(`${verdict}, of ${countNoun(subjects.length, 'account')}.`);
  }
  return failing.size === 0 ? 0 : 1;
}

async function listSubjects(line: CommandLine): Promise<Subject[]> {
  const { operands, flags } = line;
  const [name] = operands;
  const path = accountsPath(line);
  if (path !== undefined && name === undefined && !flags.sandbox && flags.account === undefined) {
    // The check of the configuration reports a broken file.
    const file = await accountsFromFile(line, path).catch(configErrorOf);
    if (!(file instanceof ConfigError)) {
      const queryEngine = line.queryEngine ?? (await openEngine(readServerConfig(line), false));
      return [...file.accounts.keys()].map((account) => {
        return { title: account, line: { ...line, flags: { ...flags, account }, queryEngine } };
      });
    }
  }
  const entries = name === undefined && namesAccount(line) ? [] : await findConnected(name);
  if (entries.length === 0) return [{ title: '', line }];
  return entries.map((entry) => ({ title: titleOf([entry]), line: lineOf(line, entry), entry }));
}

/** Starts the command of an entry like its client, then checks the account. */
async function examineSubject({ line, entry }: Omit<Subject, 'title'>): Promise<Check[]> {
  const startChecks = entry ? [...(await checkMark(entry)), await startEntry(entry, line)] : [];
  return [...startChecks, ...(await examine(line))];
}

/** The command that writes an entry again. */
function connectAgain({ client, name }: ConnectedEntry): string {
  return `${ownCommand()} connect ${client.id} --name ${name}`;
}

async function checkMark(entry: ConnectedEntry): Promise<Check[]> {
  const { client } = entry;
  if (!client.refusesByteOrderMark || !(await hasMark(client))) return [];
  const mark = `${fileOf(client)} begins with a byte-order mark: ${client.title} reads nothing of it, and may write it anew without your servers.`;
  return [
    { name: 'file', ...failed(`${mark} ${connectAgain(entry)} writes it without the mark.`) },
  ];
}

async function startEntry(entry: ConnectedEntry, line: CommandLine): Promise<Check> {
  const { command, args } = entry;
  const name = 'start';
  const client = new Client({ name: 'commerce-mcp-doctor', version });
  const env = Object.fromEntries(Object.entries(line.env).map(([key, value = '']) => [key, value]));
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
  let printed = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-5000);
  });
  try {
    await client.connect(transport, { timeout: 20_000 });
    const { tools } = await client.listTools();
    return { name, ...ok(`${command} answers with ${tools.length} tools`) };
  } catch (error) {
    // Shows the sentence of a Node error without its stack.
    const [sentence] = /^\w*Error\b.*$/m.exec(printed) ?? [printed];
    const text = sentence.trim().replaceAll(/\s+/g, ' ').slice(-500) || String(error);
    return {
      name,
      ...failed(`${[command, ...args].join(' ')}: ${text}`),
      remedy: `Was this program moved or not built? ${connectAgain(entry)} writes the entry again.`,
    };
  } finally {
    await client.close();
  }
}

const checks = Object.entries({ ...serverChecks, ...platformChecks });

/** Checks an account, up to the first failure of a check that the others need. */
export async function examine(line: CommandLine): Promise<Check[]> {
  const account = await openAccount(line).catch(configErrorOf);
  const examined = [judgeConfiguration(account, line)];
  if (account instanceof ConfigError) return examined;
  const { timeoutMs, maxWaitMs } = account.config;
  // A person waits for the verdict.
  const waits = { timeoutMs: Math.min(timeoutMs, 10_000), maxWaitMs: Math.min(maxWaitMs, 10_000) };
  const config = { ...account.config, ...waits };
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
      examined.push(check);
      if (isFailure(check) && definition.isEssential) break;
    }
    return examined;
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
    ? 'the embedded sandbox; settings of a real account are ignored'
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

/** A line for each check that needs attention, or for all of them, and how many are well. */
export function reportChecks(checks: readonly Check[], isAll = false): string {
  const wellCount = checks.filter(({ verdict }) => verdict === 'ok').length;
  const failures = checks.filter(isFailure).length;
  const well =
    wellCount === checks.length
      ? `All is well, of ${countNoun(checks.length, 'check')}.`
      : `${wellCount} of ${checks.length} checks are well.`;
  const verdict = failures > 0 ? `${well} ${failures} failed: begin with the first.` : well;
  const shown = checks.filter((check) => isAll || check.verdict !== 'ok');
  return [...shown.map(renderCheck), verdict].join('\n');
}

export function isFailure({ verdict }: Check): boolean {
  return verdict === 'FAILED';
}

function renderCheck({ name, verdict, detail, remedy }: Check): string {
  const head = `${verdict.padEnd(7)}  ${name.padEnd(21)}  `;
  const { columns } = process.stdout;
  const width = columns && Math.max(30, columns - head.length);
  const lines = wrap(remedy === undefined ? detail : `${detail}\n-> ${remedy}`, width);
  return head + lines.join(`\n${' '.repeat(head.length)}`);
}
