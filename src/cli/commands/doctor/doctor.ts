import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openEngine } from '../../../analysis/tables/run-statements.ts';
import { ConfigError } from '../../../config/problem.ts';
import { inParallel } from '../../../core/deadline.ts';
import { version } from '../../../core/program.ts';
import { accountsFromFile, accountsPath, namesAccount } from '../../account.ts';
import type { CommandLine } from '../../command-line.ts';
import { personReader, type Said } from '../../terminal/catalogue/catalogue.ts';
import { titleOf } from '../../terminal/catalogue/connect.ts';
import { paint, wrap } from '../../terminal/text.ts';
import { asEntry, type ConnectedEntry, entryNames, findConnected } from '../connect/entries.ts';
import { type Check, examine } from './checks.ts';

/**
 * Checks everything that has to be right before a question can be answered: for the account of the
 * environment, or else for each entry of a client on this machine. 1 if anything is not.
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const isJson = line.switches.has('json');
  const print = isJson ? () => {} : (text: string) => console.log(text);
  const accounts = await accountsToCheck(line);
  const found = await (accounts
    ? examineAccounts(line, accounts, print)
    : examineSubjects(line, print));
  const done = found.flatMap(([title, checks]) =>
    checks.map((it) => (title ? { ...it, name: `${title}: ${it.name}` } : it)),
  );
  const forScripts = done.map((it) => {
    const { detail, remedy = null } = written(it);
    return { check: it.name, ok: it.verdict !== 'FAILED', detail, remedy };
  });
  if (isJson) console.log(JSON.stringify(forScripts));
  return isWell(done) ? 0 : 1;
}

/** The checks of what has this title, which is empty for the account of the environment. */
type Examined = [title: string, checks: Check[]];

type Print = (text: string) => void;

async function accountsToCheck(line: CommandLine) {
  const path = accountsPath(line);
  const { operands, switches, values } = line;
  const isOne = operands.length > 0 || switches.has('sandbox') || values.account !== undefined;
  if (path === undefined || isOne) return undefined;
  return accountsFromFile(line, path).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
}

/** Accounts that are checked at the same time. */
const width = 8;

/** Checks all accounts of a file, and shows of each what is not well. */
async function examineAccounts(
  line: CommandLine,
  { accounts, server }: Awaited<ReturnType<typeof accountsFromFile>>,
  print: Print,
): Promise<Examined[]> {
  const queryEngine = line.queryEngine ?? (await openEngine(server, false));
  const found = [...accounts.keys()].map((account): Examined => [account, []]);
  await inParallel(found, width, undefined, async ([account, checks]) => {
    const values = { ...line.values, account };
    for await (const check of examine({ ...line, values, queryEngine })) checks.push(check);
    const troubles = checks.filter(({ verdict }) => verdict !== 'ok').map(renderCheck);
    const verdict = say({ code: 'account_verdict', isWell: isWell(checks) });
    const shown = isWell(checks) ? verdict : paint('red', verdict);
    print([`${paint('bold', account)}: ${shown}`, ...troubles].join('\n'));
  });
  if (line.queryEngine === undefined) await queryEngine.close();
  const failed = found.filter(([, checks]) => !isWell(checks)).map(([account]) => account);
  print(`\n${say({ code: 'accounts_verdict', failed, of: found.length })}`);
  return found;
}

async function examineSubjects(line: CommandLine, print: Print): Promise<Examined[]> {
  const [name] = line.operands;
  const entries = name === undefined && namesAccount(line) ? [] : await findConnected(name);
  if (entries.length === 0) return [['', await printChecks(examine(line), print)]];
  const found: Examined[] = [];
  for (const entry of entries) {
    const title = titleOf(entryNames([entry]));
    print(paint('bold', `${title}\n`));
    found.push([title, await printChecks(examineEntry(entry, line), print)]);
    print('');
  }
  return found;
}

/** Starts the command of an entry as its client does, and then checks the account that it names. */
async function* examineEntry(entry: ConnectedEntry, line: CommandLine): AsyncGenerator<Check> {
  const { command, args } = entry;
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
    yield { name, verdict: 'ok', detail: { code: 'start_ok', command, tools: tools.length } };
  } catch (error) {
    // Of a failure of Node its sentence is shown, not where it was thrown.
    const [sentence] = /^\w*Error\b.*$/m.exec(printed) ?? [printed];
    const text = sentence.trim().replaceAll(/\s+/g, ' ').slice(-500) || String(error);
    yield {
      ...{ name, verdict: 'FAILED' },
      detail: { code: 'start_failed', command: [command, ...args], text },
      remedies: [{ code: 'connect_again', client: entry.client.id, entry: entry.name }],
    };
  } finally {
    await client.close();
  }
  yield* examine(started);
}

/** Prints each check as soon as it is there, and how it went over all. */
export async function printChecks(
  checks: AsyncIterable<Check>,
  print: Print = (text) => console.log(text),
): Promise<Check[]> {
  const done: Check[] = [];
  for await (const check of checks) {
    done.push(check);
    print(renderCheck(check));
  }
  const failed = done.filter(({ verdict }) => verdict === 'FAILED').length;
  const went: Said =
    failed === 0 ? { code: 'all_well' } : { code: 'checks_failed', failed, of: done.length };
  print(`\n${paint(failed === 0 ? 'green' : 'red', say(went))}`);
  return done;
}

/** Whether no check failed. */
export function isWell(checks: readonly Check[]): boolean {
  return !checks.some(({ verdict }) => verdict === 'FAILED');
}

const colours = { ok: 'green', note: 'yellow', FAILED: 'red' } as const;

const { say } = personReader();

/** What a check found and what to do about it, in words. */
function written({ detail, remedies }: Check): { detail: string; remedy?: string } {
  return { detail: say(detail), ...(remedies && { remedy: remedies.map(say).join(' ') }) };
}

function renderCheck(check: Check): string {
  const { name, verdict } = check;
  const { detail, remedy } = written(check);
  const head = `${paint(colours[verdict], verdict.padEnd(7))}  ${name.padEnd(21)}  `;
  const indent = ' '.repeat(32);
  const { columns } = process.stdout;
  const width = columns && Math.max(30, columns - indent.length);
  const advice = remedy === undefined ? [] : wrap(`-> ${remedy}`, width);
  const lines = [...wrap(detail, width), ...advice.map((line) => paint('bold', line))];
  return head + lines.join(`\n${indent}`);
}
