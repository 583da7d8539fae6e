import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AccountLine } from '../../command-line.ts';
import { ownCommand, version } from '../../program.ts';
import { secretVariable, tokenVariable } from '../connect/clients.ts';
import { type ConnectedEntry, isKeptByClient, resolve, variablesOf } from '../connect/entries.ts';
import type { Check } from './report.ts';

/** How long a client may take to start the server and to list its tools. */
const options = { timeout: 20_000 };

/** Starts the server of an entry as its client does, or connects to it, and lists its tools. */
export async function examineStart(entry: ConnectedEntry, env: AccountLine['env']): Promise<Check> {
  const { name, remote, command, args } = entry;
  const check = { name: 'start' };
  if (isKeptByClient(entry, env)) {
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

function transportOf(entry: ConnectedEntry, env: AccountLine['env']) {
  const { remote, command, args } = entry;
  if (remote) {
    const headers = Object.entries(remote.headers).map(([key, text]) => [key, resolve(text, env)]);
    const requestInit = { headers: Object.fromEntries(headers) };
    return new StreamableHTTPClientTransport(new URL(remote.url), { requestInit });
  }
  const variables = Object.entries(variablesOf(entry, env)).map(([key, text]) => [key, text ?? '']);
  const start = { command, args: [...args], env: Object.fromEntries(variables) };
  return new StdioClientTransport({ ...start, stderr: 'pipe' });
}
