import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { CommandLine } from '../../command-line.ts';
import { ownCommand, version } from '../../program.ts';
import { paint, say } from '../../terminal/text.ts';
import { clientOf } from '../connect/clients.ts';
import { secretVariable, tokenVariable } from '../connect/configuration.ts';
import * as entries from '../connect/entries.ts';
import { examine } from './examine.ts';
import { type Check, printChecks } from './report.ts';

/**
 * Checks everything that has to be right before a question can be answered: for the account of the
 * environment, or else for each entry of a client on this machine. 1 if anything is not.
 */
export async function doctor(line: CommandLine): Promise<0 | 1> {
  const isJson = line.switches.has('json');
  const all: ReturnType<typeof checkJson>[] = [];
  let isWell = true;
  for (const { title, checks } of await findSubjects(line)) {
    if (title && !isJson) console.log(paint('bold', `${title}\n`));
    const examined = await printChecks(checks, isJson);
    if (title && !isJson) console.log('');
    all.push(...examined.done.map((check) => checkJson(check, title)));
    isWell &&= examined.isWell;
  }
  if (isJson) console.log(JSON.stringify(all));
  return isWell ? 0 : 1;
}

/** What is checked, with a title where it is the entry of a client. */
async function findSubjects(line: CommandLine) {
  const own = { title: '', checks: examine(line) };
  const only = clientOf(line);
  if (only === undefined && entries.namesAccount(line)) return [own];
  const read = (await entries.readClients()).filter(({ client }) => !only || only === client);
  for (const { client, problem } of read)
    if (problem) say(`${client.title}: ${problem}.`, 'yellow');
  const groups = new Map<string, entries.ConnectedEntry[]>();
  for (const entry of read.flatMap((it) => it.entries)) {
    const start = JSON.stringify([entry.command, entry.args, entry.env, entry.remote]);
    groups.set(start, [...(groups.get(start) ?? []), entry]);
  }
  if (only && groups.size === 0) throw entries.notConnected(only);
  const found = [...groups.values()].flatMap((group) => {
    const [entry] = group;
    return entry ? [{ title: entries.titleOf(group), checks: examineEntry(entry, line) }] : [];
  });
  return found.length > 0 ? found : [own];
}

/** Starts the command of an entry, and then checks the account that it names. */
async function* examineEntry(entry: entries.ConnectedEntry, line: CommandLine) {
  yield await examineStart(entry, line.env);
  if (entry.remote || entries.isKeptByClient(entry, line.env)) return;
  yield* examine(entries.asEntry(line, entry));
}

/** A check as `--json` prints it; one that was not run is not ok. */
export function checkJson({ name, verdict, detail, remedy }: Check, title = '') {
  return {
    check: title === '' ? name : `${title}: ${name}`,
    ok: verdict === 'ok' || verdict === 'warning',
    detail: verdict === 'not run' ? `not run: ${detail}` : detail,
    remedy: remedy ?? null,
  };
}

/** How long a client may take to start the server and to list its tools. */
const options = { timeout: 20_000 };

/** Starts the server of an entry as its client does, or connects to it, and lists its tools. */
export async function examineStart(
  entry: entries.ConnectedEntry,
  env: CommandLine['env'],
): Promise<Check> {
  const { name, remote, command, args } = entry;
  const check = { name: 'start' };
  if (entries.isKeptByClient(entry, env)) {
    const detail = `${entry.client.title} keeps its secret to itself, so this was not started`;
    const remedy = `Start it there; to check it here, set ${remote ? tokenVariable : secretVariable}.`;
    return { ...check, verdict: 'warning', detail, remedy };
  }
  const client = new Client({ name: 'commerce-mcp-doctor', version });
  let said = '';
  try {
    const transport = transportOf(entry, env);
    if (transport instanceof StdioClientTransport)
      transport.stderr?.on('data', (chunk: Buffer) => {
        said = `${said}${chunk}`.slice(-500);
      });
    await client.connect(transport, options);
    const { tools } = await client.listTools(undefined, options);
    const detail = `${remote?.url ?? command} answers with ${tools.length} tools`;
    return { ...check, verdict: 'ok', detail };
  } catch (error) {
    const reason = (said.trim() || String(error)).replaceAll(/\s+/g, ' ');
    const again = `Was this program moved or not built? ${ownCommand()} connect ${entry.client.id} --name ${name} writes the entry again.`;
    return {
      ...{ ...check, verdict: 'failed' },
      detail: `${remote?.url ?? [command, ...args].join(' ')}: ${reason}`,
      remedy: remote ? 'Check the address and the token, and that the server runs.' : again,
    };
  } finally {
    await client.close();
  }
}

function transportOf(entry: entries.ConnectedEntry, env: CommandLine['env']) {
  const { remote, command, args } = entry;
  if (remote) {
    const headers = Object.entries(remote.headers).map(([key, text]) => [
      key,
      entries.resolve(text, env),
    ]);
    const requestInit = { headers: Object.fromEntries(headers) };
    return new StreamableHTTPClientTransport(new URL(remote.url), { requestInit });
  }
  const variables = Object.entries(entries.variablesOf(entry, env)).map(([key, text]) => [
    key,
    text ?? '',
  ]);
  const start = { command, args: [...args], env: Object.fromEntries(variables) };
  return new StdioClientTransport({ ...start, stderr: 'pipe' });
}
