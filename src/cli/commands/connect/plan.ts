import { isLoopback } from '../../../config.ts';
import { UsageError } from '../../command-line.ts';
import { isPublished, packageName, programPath } from '../../program.ts';
import type { AccountSettings } from './account.ts';
import { type ClientDefinition, contentOf, secretVariable, tokenVariable } from './clients.ts';
import { type Entry, inputIdOf } from './configuration.ts';
import { thisMachine } from './entries.ts';
import { secretFileOf } from './file.ts';

/** An entry to be, and what belongs to it. */
export interface Plan {
  entry: Entry;
  account?: AccountSettings;
  /** The file that this program keeps the secret in. */
  keptAt?: string | undefined;
  isRemote?: boolean;
  /** Whether a token is part of the entry. */
  holdsToken?: boolean;
  /** Where the secret is, for people; empty without one. */
  note: string;
}

/** The entry that starts the embedded platform. */
export function planSandbox(client: ClientDefinition, name: string): Plan {
  const { command, args } = thisLaunch();
  const server = { name, command, args: [...args, '--sandbox'], env: {} };
  return { entry: { name, content: contentOf(client, server) }, note: '' };
}

/**
 * The entry that starts the server on an account.
 *
 * @param from where the client finds the secret: `file`, or `client` where it has a way of its own
 * @throws {UsageError} for a place that the client does not have
 */
export function planAccount(
  client: ClientDefinition,
  name: string,
  account: AccountSettings,
  from: string | undefined,
): Plan {
  const { title, reference, asks } = client;
  if (from !== undefined && from !== 'file' && from !== 'client')
    throw new UsageError(`--secret-from is file or client, not "${from}"`);
  if (from === 'client' && !reference && !asks)
    throw new UsageError(
      `${title} keeps no secrets and knows no references: leave --secret-from out`,
    );
  const plan = (secret: object, fields?: object, input?: Entry['input']) => {
    const server = { name, ...thisLaunch(), env: { ...account.env, ...secret } };
    const content = { ...contentOf(client, server), ...fields };
    return { entry: { name, content, ...(input && { input }) }, account };
  };
  if (asks && (from === 'client' || (from === undefined && account.secretFile === undefined)))
    return {
      ...plan(
        { [secretVariable]: `\${input:${inputIdOf(name)}}` },
        undefined,
        question(name, 'Client secret of the API key'),
      ),
      note: `The secret stays out of it: ${title} asks for it once and keeps it.`,
    };
  if (from === 'client') {
    const isText = typeof reference === 'string';
    return {
      ...plan(isText ? { [secretVariable]: reference } : {}, isText ? {} : reference),
      note: `The secret stays out of it: ${secretVariable} comes from the environment that ${title} is started in.`,
    };
  }
  const keptAt = secretFileOf(thisMachine(), account.env.COMMERCE_CLIENT_ID ?? '');
  const file = account.secretFile ?? keptAt;
  return {
    ...plan({ [`${secretVariable}_FILE`]: file }),
    keptAt: account.secretFile === undefined ? keptAt : undefined,
    note: `The secret is in ${file}, for your eyes only.`,
  };
}

/**
 * The entry of a server over HTTP.
 *
 * @param readToken asked where the entry holds the token
 * @throws {UsageError} for an address that is not safe for a token
 */
export async function planRemote(
  client: ClientDefinition,
  name: string,
  url: string,
  readToken: () => Promise<string> | string,
): Promise<Plan> {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new UsageError(
      `--url takes an address such as https://mcp.example.com/mcp, not "${url}"`,
    );
  const holdsToken = client.format === 'json' && !client.asks;
  const reference = client.asks ? `\${input:${inputIdOf(name)}}` : `\${${tokenVariable}}`;
  const token = holdsToken ? await readToken() : reference;
  const server = { name, command: '', args: [], env: {}, remote: { url, token } };
  const input = client.asks && question(name, 'Token of the server');
  const elsewhere = client.asks
    ? `The token stays out of it: ${client.title} asks for it once and keeps it.`
    : `${client.title} takes the token from ${tokenVariable} in its environment.`;
  return {
    entry: { name, content: contentOf(client, server), ...(input && { input }) },
    ...{ isRemote: true, holdsToken },
    note: holdsToken ? 'The token is in that file, which only you may read now.' : elsewhere,
  };
}

function question(name: string, description: string) {
  return { type: 'promptString', id: inputIdOf(name), description, password: true };
}

/** This node and this build; a package that was fetched is fetched again. */
function thisLaunch(): { command: string; args: string[] } {
  const path = programPath();
  if (!/[\\/]_npx[\\/]/.test(path)) return { command: process.execPath, args: [path] };
  if (isPublished) return { command: 'npx', args: ['-y', packageName] };
  throw new UsageError(
    'this copy lies in a cache that may be emptied at any time: run connect from where it is installed',
  );
}
