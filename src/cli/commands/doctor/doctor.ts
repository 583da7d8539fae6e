import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ConfigError } from '../../../config.ts';
import { inParallel } from '../../../core/in-parallel.ts';
import { countNoun } from '../../../core/text.ts';
import { openEngine } from '../../../mcp/app/sql-runtime.ts';
import { accountsPath, readAccountsOf } from '../../account-file.ts';
import type { CommandLine } from '../../command-line.ts';
import { ownCommand, version } from '../../program.ts';
import { paint, wrap } from '../../terminal/text.ts';
import {
  asEntry,
  type ConnectedEntry,
  findConnected,
  namesAccount,
  titleOf,
} from '../connect/entries.ts';
import { type Check, examine } from './checks.ts';

/**
 * Checks everything that has to be right before a question can be answered: for the account of the
 * environment, or else for each entry of a client on this machine. 1 if anything is not.
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const isJson = line.switches.has('json');
  const all: Check[] = [];
  const accounts = await accountsOf(line);
  if (accounts) all.push(...(await examineAccounts(line, accounts, isJson)));
  else
    for (const { title, checks } of await findSubjects(line)) {
      if (title && !isJson) console.log(paint('bold', `${title}\n`));
      const done = await printChecks(checks, isJson);
      if (title && !isJson) console.log('');
      all.push(...done.map((it) => (title ? { ...it, name: `${title}: ${it.name}` } : it)));
    }
  const forScripts = all.map(({ name: check, verdict, detail, remedy = null }) => {
    return { check, ok: verdict !== 'FAILED', detail, remedy };
  });
  if (isJson) console.log(JSON.stringify(forScripts));
  return isWell(all) ? 0 : 1;
}

/** The accounts of a file, where none of them is named; one that is broken is a failed check. */
async function accountsOf(line: CommandLine) {
  const path = accountsPath(line);
  const { operands, switches, values } = line;
  const isOne = operands.length > 0 || switches.has('sandbox') || values.account !== undefined;
  if (path === undefined || isOne) return undefined;
  return readAccountsOf(line, path).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
}

/** Accounts that are checked at the same time. */
const width = 8;

/** Checks all accounts of a file, and shows of each what is not well. */
async function examineAccounts(
  line: CommandLine,
  { accounts, server }: Awaited<ReturnType<typeof readAccountsOf>>,
  isJson: boolean,
): Promise<Check[]> {
  const queryEngine = line.queryEngine ?? (await openEngine(server, false));
  const found = new Map<string, Check[]>();
  const names = [...accounts.keys()];
  await inParallel(names, width, undefined, async (account) => {
    const values = { ...line.values, account };
    const checks: Check[] = [];
    for await (const check of examine({ ...line, values, queryEngine })) checks.push(check);
    found.set(account, checks);
    const troubles = checks.filter(({ verdict }) => verdict !== 'ok').map(renderCheck);
    const title = `${paint('bold', account)}: ${isWell(checks) ? 'well' : paint('red', 'failed')}`;
    if (!isJson) console.log([title, ...troubles].join('\n'));
  });
  if (line.queryEngine === undefined) await queryEngine.close();
  const failed = names.filter((name) => !isWell(found.get(name) ?? []));
  const verdict = failed.length === 0 ? 'All is well' : `Failed: ${failed.join(', ')}`;
  if (!isJson) console.log(`\n${verdict}, of ${countNoun(names.length, 'account')}.`);
  return names.flatMap((account) =>
    (found.get(account) ?? []).map((check) => ({ ...check, name: `${account}: ${check.name}` })),
  );
}

/** What is checked, with a title where it is the entry of a client. */
async function findSubjects(line: CommandLine) {
  const [name] = line.operands;
  const entries = name === undefined && namesAccount(line) ? [] : await findConnected(name);
  const subjects = entries.map((entry) => {
    return { title: titleOf([entry]), checks: examineEntry(entry, line) };
  });
  return subjects.length > 0 ? subjects : [{ title: '', checks: examine(line) }];
}

/** Starts the command of an entry as its client does, and then checks the account that it names. */
async function* examineEntry(entry: ConnectedEntry, line: CommandLine): AsyncGenerator<Check> {
  const { command, args } = entry;
  const name = 'start';
  const client = new Client({ name: 'commerce-mcp-doctor', version });
  const asked = asEntry(line, entry);
  const env = Object.fromEntries(Object.entries(asked.env).map(([key, it = '']) => [key, it]));
  const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-5000);
  });
  try {
    await client.connect(transport, { timeout: 20_000 });
    const { tools } = await client.listTools();
    yield { name, verdict: 'ok', detail: `${command} answers with ${tools.length} tools` };
  } catch (error) {
    // Of a failure of Node its sentence is shown, not where it was thrown.
    const [sentence] = /^\w*Error\b.*$/m.exec(said) ?? [said];
    const reason = sentence.trim().replaceAll(/\s+/g, ' ').slice(-500) || String(error);
    const detail = `${[command, ...args].join(' ')}: ${reason}`;
    const remedy = `Was this program moved or not built? ${ownCommand()} connect ${entry.client.id} --name ${entry.name} writes the entry again.`;
    yield { name, verdict: 'FAILED', detail, remedy };
  } finally {
    await client.close();
  }
  yield* examine(asked);
}

/** Prints each check as soon as it is there, and how it went over all; `isJson` prints nothing. */
export async function printChecks(checks: AsyncIterable<Check>, isJson = false): Promise<Check[]> {
  const done: Check[] = [];
  for await (const check of checks) {
    done.push(check);
    if (!isJson) console.log(renderCheck(check));
  }
  const failed = done.filter(({ verdict }) => verdict === 'FAILED').length;
  const said = `${failed} of ${done.length} checks failed. Begin with the first.`;
  const verdict = failed === 0 ? paint('green', 'All is well.') : paint('red', said);
  if (!isJson) console.log(`\n${verdict}`);
  return done;
}

/** Whether no check failed. */
export function isWell(checks: readonly Check[]): boolean {
  return !checks.some(({ verdict }) => verdict === 'FAILED');
}

const colours = { ok: 'green', note: 'yellow', FAILED: 'red' } as const;

/** A check as people read it: one line, and its remedy on lines of its own. */
function renderCheck({ name, verdict, detail, remedy }: Check): string {
  const head = `${paint(colours[verdict], verdict.padEnd(7))}  ${name.padEnd(21)}  `;
  const indent = ' '.repeat(32);
  const { columns } = process.stdout;
  const width = columns && Math.max(30, columns - indent.length);
  const advice = remedy === undefined ? [] : wrap(`-> ${remedy}`, width);
  const lines = [...wrap(detail, width), ...advice.map((line) => paint('bold', line))];
  return head + lines.join(`\n${indent}`);
}
