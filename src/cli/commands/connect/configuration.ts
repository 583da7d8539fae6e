import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  applyEdits,
  createScanner,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import * as toml from 'smol-toml';
import * as yaml from 'yaml';
import { messageOf } from '../../../core/errors.ts';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { CommandError } from '../../command-line.ts';
import { say } from '../../terminal/text.ts';
import { writeWhole } from '../../write-whole.ts';
import { type ClientDefinition, type ConfigFormat, fileFormat, fileOf } from './clients.ts';

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
  { parse(text: string, errors: ParseError[]): unknown; write(it: JsonObject): string }
> = {
  json: {
    parse: (text, errors) => parse(text, errors, { allowTrailingComma: true }),
    write: (it) => `${JSON.stringify(it, null, 2)}\n`,
  },
  toml: { parse: (text) => toml.parse(text), write: (it) => `${toml.stringify(it).trimEnd()}\n` },
  yaml: { parse: (text) => yaml.parse(text), write: (it) => yaml.stringify(it, { lineWidth: 0 }) },
};

/** An entry as an otherwise empty configuration would hold it. */
export function renderEntry({ client, name, content }: Entry): string {
  return formats[fileFormat(client)].write({ [client.servers]: { [name]: content } });
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
  const unreadable = (found: { line?: number; text?: string; key?: string }, cause?: unknown) =>
    new CommandError({ code: 'unreadable_entries', path: fileOf(client), ...found }, { cause });
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  let document: unknown;
  try {
    document = formats[fileFormat(client)].parse(text, errors) ?? {};
  } catch (cause) {
    throw unreadable({ text: messageOf(cause) }, cause);
  }
  for (const { error, offset } of errors)
    throw unreadable({
      line: text.slice(0, offset).split('\n').length,
      text: printParseErrorCode(error),
    });
  const key = client.servers;
  const servers = isRecord(document) ? (document[key] ?? {}) : undefined;
  if (isRecord(servers)) return servers;
  throw unreadable({ key });
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

/** A JSON configuration with an entry in it, or without content without it; all else stays, to the byte. */
export function editEntry(
  before: string,
  { client, name }: Omit<Entry, 'content'>,
  content: JsonObject | undefined,
): string {
  const text = before.trim() === '' ? '{}\n' : before;
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return text;
  const servers = propertyOf(root, client.servers)?.children?.[1];
  const property = servers && propertyOf(servers, name);
  if (content === undefined) return property ? without(text, servers, property) : text;
  if (servers === undefined) return withLast(text, root, client.servers, { [name]: content });
  const old = property?.children?.[1];
  if (property === undefined || old === undefined) return withLast(text, servers, name, content);
  const isOneLine = !text.slice(old.offset, endOf(old)).includes('\n');
  const indent = isOneLine ? undefined : indentAt(text, property.offset);
  return applyEdits(text, [{ ...old, content: write(text, content, indent) }]);
}

function propertyOf({ children = [] }: Node, name: string): Node | undefined {
  return children.find(({ children: [key] = [] }) => key?.value === name);
}

/** Behind all others: on a line of its own, below the remarks that are there already. */
function withLast(text: string, object: Node, name: string, value: unknown): string {
  const end = endOf(object) - 1;
  const offset = text.slice(0, end).trimEnd().length;
  const last = object.children?.at(-1);
  const hasComma = last && commaAfter(text, last) !== undefined;
  const eol = endOfLine(text);
  const outer = indentAt(text, object.offset);
  const isOneLine = last && !text.slice(object.offset, end).includes('\n');
  const indent = last ? indentAt(text, last.offset) : outer + unitOf(text);
  const property = `${JSON.stringify(name)}: ${write(text, value, isOneLine ? undefined : indent)}`;
  // Where the last line ends with a comma, the new one does too.
  const added = (isOneLine ? ' ' : eol + indent) + property + (hasComma ? ',' : '');
  const hasClosing = isOneLine || text.slice(offset, end).includes('\n');
  return applyEdits(text, [
    ...(last && !hasComma ? [{ offset: endOf(last), length: 0, content: ',' }] : []),
    hasClosing
      ? { offset, length: 0, content: added }
      : { offset, length: end - offset, content: added + eol + outer },
  ]);
}

/** With its line and its comma, or the comma before it where it was the last. */
function without(text: string, { children = [] }: Node, property: Node): string {
  const [space = ''] = /(\r?\n)?[ \t]*$/.exec(text.slice(0, property.offset)) ?? [];
  const comma = commaAfter(text, property);
  const offset = property.offset - space.length;
  const length = (comma === undefined ? endOf(property) : comma + 1) - offset;
  const previous = children[children.indexOf(property) - 1];
  const before = comma === undefined && previous ? commaAfter(text, previous) : undefined;
  return applyEdits(text, [
    ...(before === undefined ? [] : [{ offset: before, length: 1, content: '' }]),
    { offset, length, content: '' },
  ]);
}

/** Remarks may stand before it. */
function commaAfter(text: string, node: Node): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(node));
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** @param indent of its lines; undefined: on one line */
function write(text: string, value: unknown, indent?: string): string {
  if (indent === undefined) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, unitOf(text));
  return lines.replaceAll('\n', endOfLine(text) + indent);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function unitOf(text: string): string {
  return /(?<=\n)[ \t]+/.exec(text)?.[0] ?? '  ';
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
