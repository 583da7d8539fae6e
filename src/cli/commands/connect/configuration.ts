import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as toml from 'smol-toml';
import * as yaml from 'yaml';
import { messageOf } from '../../../core/errors.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { type ClientDefinition, type ConfigFormat, fileFormat, fileOf } from './clients.ts';
import { setProperty } from './edit-json.ts';

/** The variable from which Codex and Goose take the token of a server over HTTP. */
export const tokenVariable = 'COMMERCE_MCP_TOKEN';

/** An entry as its client reads it. */
export interface Entry {
  client: ClientDefinition;
  name: string;
  content: JsonObject;
}

/** How a server is started, or where it is found over HTTP. */
export type Server =
  | { command: string; args: readonly string[]; env?: Readonly<Record<string, string>> }
  | { url: string; token: string };

/** The entry of a server in the format of its client. */
export function entryOf(client: ClientDefinition, name: string, server: Server): Entry {
  const { address = 'url', isTyped } = client;
  const format = fileFormat(client);
  const isRemote = 'url' in server;
  if (format === 'toml' && isRemote) {
    const token = server.token ? { bearer_token_env_var: tokenVariable } : {};
    return { client, name, content: { url: server.url, ...token } };
  }
  const headers = isRemote && server.token && { Authorization: `Bearer ${server.token}` };
  const place = isRemote && { [address]: server.url, ...(headers && { headers }) };
  if (format !== 'yaml') {
    const type = isTyped && { type: isRemote ? 'http' : 'stdio' };
    return { client, name, content: { ...type, ...(place || server) } };
  }
  const description = 'Read-only reports, orders, stock and customers';
  const [type, how] = isRemote
    ? ['streamable_http', { ...place, ...(headers && { env_keys: [tokenVariable] }) }]
    : ['stdio', { cmd: server.command, args: [...server.args], envs: { ...server.env } }];
  const content = { enabled: true, type, name, description, ...how, timeout: 300 };
  return { client, name, content };
}

/** How a configuration is read and written; comments are none of what is read. */
const formats: Record<
  ConfigFormat,
  { parse(text: string): unknown; write(it: JsonObject): string }
> = {
  json: { parse: parseJsonc, write: (it) => `${JSON.stringify(it, null, 2)}\n` },
  toml: { parse: toml.parse, write: (it) => `${toml.stringify(it).trimEnd()}\n` },
  yaml: { parse: yaml.parse, write: (it) => yaml.stringify(it, { lineWidth: 0 }) },
};

/** An entry as an otherwise empty configuration would hold it. */
export function renderEntry({ client, name, content }: Entry): string {
  return formats[fileFormat(client)].write({ [serversKey(client)]: { [name]: content } });
}

/** The key that holds the servers of a client by name. */
export function serversKey({ servers = 'mcpServers' }: ClientDefinition): string {
  return servers;
}

async function readTextFile(path: string): Promise<{ text: string; mark: string }> {
  const whole = await fs.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const text = whole.replace(/^\ufeff/, '');
  return { text, mark: whole.slice(0, whole.length - text.length) };
}

/** The servers of a client by name. @throws {Error} for a configuration that cannot be read or changed */
export async function serversOf(client: ClientDefinition): Promise<JsonObject> {
  const { text } = await readTextFile(fileOf(client));
  return readServers(client, text);
}

/** The servers of a configuration by name. @throws {CommandError} that says what is wrong with the text */
export function readServers(client: ClientDefinition, text: string): JsonObject {
  const [path, key] = [fileOf(client), serversKey(client)];
  let document: unknown;
  try {
    document = text.trim() === '' ? {} : (formats[fileFormat(client)].parse(text) ?? {});
  } catch (cause) {
    const found = cause instanceof JsonError ? cause.found : { text: messageOf(cause) };
    throw new CommandError({ code: 'unreadable_entries', path, ...found }, { cause });
  }
  const servers = isRecord(document) ? (document[key] ?? {}) : undefined;
  if (isRecord(servers)) return servers;
  throw new CommandError({ code: 'unreadable_entries', path, key });
}

class JsonError extends Error {
  readonly found: { line: number; text: string };

  constructor(line: number, text: string) {
    super(text);
    this.found = { line, text };
  }
}

function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return document;
  const line = text.slice(0, error.offset).split('\n').length;
  throw new JsonError(line, printParseErrorCode(error.error));
}

/** A JSON configuration with an entry in it, or without content without it; all else stays, to the byte. */
export function editEntry(
  text: string,
  { client, name }: Omit<Entry, 'content'>,
  content: JsonObject | undefined,
): string {
  return setProperty(text.trim() === '' ? '{}\n' : text, serversKey(client), name, content);
}

/**
 * Writes an entry into the JSON configuration of its client, or without content takes it out. The text is
 * that of now: the client may have written it meanwhile. A link stays a link, the mode of the file stays
 * unless it becomes private, and its old text goes into a copy next to it, with the moment in its name.
 */
export async function changeFile(
  entry: Omit<Entry, 'content'>,
  content: JsonObject | undefined,
  isPrivate = false,
): Promise<void> {
  const path = fileOf(entry.client);
  await fs.mkdir(dirname(path), { recursive: true });
  const { text, mark } = await readTextFile(path);
  if (text !== '') {
    const stamp = new Date().toISOString().replaceAll(/\D/g, '');
    const copy = `${await fs.realpath(path)}.${stamp}.bak`;
    await fs.copyFile(path, copy, fs.constants.COPYFILE_EXCL);
    say({ code: 'as_it_was', path: copy });
  }
  const mode = text === '' || isPrivate ? 0o600 : undefined;
  await writeWhole(path, mark + editEntry(text, entry, content), mode);
}
