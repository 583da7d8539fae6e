import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as toml from 'smol-toml';
import * as yaml from 'yaml';
import { messageOf } from '../../../core/errors.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { CommandError } from '../../command-line.ts';
import { say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { type ClientDefinition, type ConfigFormat, fileFormat, fileOf } from './clients.ts';
import { connectMessages, type WrongEntries } from './messages.ts';

/** The variable with the token of a server over HTTP, for Codex and Goose. */
export const tokenVariable = 'COMMERCE_MCP_TOKEN';

export interface Entry {
  client: ClientDefinition;
  name: string;
  content: JsonObject;
}

export type Server =
  | { command: string; args: readonly string[]; env?: Readonly<Record<string, string>> }
  | { url: string; token: string };

export function entryOf(client: ClientDefinition, name: string, server: Server): Entry {
  const { address = 'url', hasTypeKey } = client;
  const format = fileFormat(client);
  const isRemote = 'url' in server;
  if (format === 'toml' && isRemote) {
    const token = server.token ? { bearer_token_env_var: tokenVariable } : {};
    return { client, name, content: { url: server.url, ...token } };
  }
  const headers = isRemote && server.token && { Authorization: `Bearer ${server.token}` };
  const remoteContent = isRemote && { [address]: server.url, ...(headers && { headers }) };
  if (format !== 'yaml') {
    const type = hasTypeKey && { type: isRemote ? 'http' : 'stdio' };
    return { client, name, content: { ...type, ...(remoteContent || server) } };
  }
  const description = 'Read-only reports, orders, stock and customers';
  const [type, connection] = isRemote
    ? ['streamable_http', { ...remoteContent, ...(headers && { env_keys: [tokenVariable] }) }]
    : ['stdio', { cmd: server.command, args: [...server.args], envs: { ...server.env } }];
  const content = { enabled: true, type, name, description, ...connection, timeout: 300 };
  return { client, name, content };
}

/** Reads and writes each format, without comments. */
const formats: Record<
  ConfigFormat,
  { parse(text: string, errors: ParseError[]): unknown; write(document: JsonObject): string }
> = {
  json: {
    parse: (text, errors) => parse(text, errors, { allowTrailingComma: true }),
    write: (document) => `${JSON.stringify(document, null, 2)}\n`,
  },
  toml: {
    parse: (text) => toml.parse(text),
    write: (document) => `${toml.stringify(document).trimEnd()}\n`,
  },
  // YAML with comments only is empty.
  yaml: {
    parse: (text) => yaml.parse(text) ?? {},
    write: (document) => yaml.stringify(document, { lineWidth: 0 }),
  },
};

export function renderEntry({ client, name, content }: Entry): string {
  return formats[fileFormat(client)].write({ [client.servers]: { [name]: content } });
}

const byteOrderMark = '\ufeff';

async function readTextFile(path: string): Promise<string> {
  return fs.readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

export async function hasMark(client: ClientDefinition): Promise<boolean> {
  return (await readTextFile(fileOf(client))).startsWith(byteOrderMark);
}

/** The servers of a client by name. @throws {Error} for a configuration that cannot be read or changed */
export async function serversOf(client: ClientDefinition): Promise<JsonObject> {
  return readServers(client, await readTextFile(fileOf(client)));
}

/** The servers of a configuration by name. @throws {CommandError} that names the fault */
export function readServers(client: ClientDefinition, marked: string): JsonObject {
  const text = marked.replace(byteOrderMark, '');
  const path = fileOf(client);
  const unreadableError = (wrong: WrongEntries, cause?: unknown) =>
    new CommandError(connectMessages.unreadable_entries({ path, ...wrong }), { cause });
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  let document: unknown;
  try {
    document = formats[fileFormat(client)].parse(text, errors);
  } catch (cause) {
    throw unreadableError({ fault: messageOf(cause) }, cause);
  }
  for (const { error, offset } of errors)
    throw unreadableError({
      line: text.slice(0, offset).split('\n').length,
      fault: printParseErrorCode(error),
    });
  const key = client.servers;
  const { [key]: servers = {} } = isRecord(document) ? document : { [key]: null };
  if (!isRecord(servers)) throw unreadableError({ key });
  return servers;
}

/**
 * Writes an entry into the JSON configuration of its client, or removes it if there is no content. Reads the file
 * again first, since the client may have written it. Links stay, the mode stays unless it becomes private, and the
 * old text is copied beside it with the time in its name.
 */
export async function changeFile(
  entry: Omit<Entry, 'content'>,
  content: JsonObject | undefined,
  isPrivate = false,
): Promise<void> {
  const path = fileOf(entry.client);
  await fs.mkdir(dirname(path), { recursive: true });
  const oldText = await readTextFile(path);
  const newText = editEntry(oldText, entry, content);
  if (oldText !== '') {
    const stamp = new Date().toISOString().replaceAll(/\D/g, '');
    const copy = `${await fs.realpath(path)}.${stamp}.bak`;
    await fs.copyFile(path, copy, fs.constants.COPYFILE_EXCL);
    say(`The old version is in ${copy}`);
  }
  await writeWhole(path, newText, oldText === '' || isPrivate ? 0o600 : undefined);
}

/**
 * Adds an entry to a JSON configuration, or removes it if there is no content, and removes a byte-order mark. Remarks
 * stay, except between a removed entry and its neighbour.
 * @throws {CommandError} that names the fault
 */
export function editEntry(
  oldText: string,
  { client, name }: Omit<Entry, 'content'>,
  content: JsonObject | undefined,
): string {
  const servers = readServers(client, oldText);
  const text = oldText.replace(byteOrderMark, '') || '{}\n';
  if (content === undefined && !(name in servers)) return text;
  const [indent = '  '] = /(?<=\n)[ \t]+/.exec(text) ?? [];
  const insertSpaces = !indent.includes('\t');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
  const edits = modify(text, [client.servers, name], content, { formattingOptions });
  const newText = applyEdits(text, edits);
  // An edit changes the first of two equal keys, while clients read the last.
  if (isDeepStrictEqual(readServers(client, newText)[name], content)) return newText;
  const repeated = `${client.servers}.${name}`;
  throw new CommandError(connectMessages.unreadable_entries({ path: fileOf(client), repeated }));
}
