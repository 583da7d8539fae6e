import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as toml from 'smol-toml';
import * as yaml from 'yaml';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import type { ClientDefinition } from './clients.ts';

/** The variable of the client secret. */
export const secretVariable = 'COMMERCE_CLIENT_SECRET';

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

/** A configuration that cannot be read. The message says where and why. */
export class BrokenFileError extends Error {
  override readonly name = 'BrokenFileError';
}

/** The entry of a server in the words of its client. */
export function entryOf(client: ClientDefinition, name: string, server: Server): Entry {
  const { format, address = 'url', isTyped } = client;
  const isRemote = 'url' in server;
  const bearer = isRemote && server.token && { Authorization: `Bearer ${server.token}` };
  const place = isRemote && { [address]: server.url, ...(bearer && { headers: bearer }) };
  if (format === 'yaml') {
    const description = 'Read-only reports, orders, stock and customers';
    const [type, how] = isRemote
      ? ['streamable_http', { ...place, env_keys: [tokenVariable] }]
      : ['stdio', { cmd: server.command, args: [...server.args], envs: { ...server.env } }];
    const content = { enabled: true, type, name, description, ...how, timeout: 300 };
    return { client, name, content };
  }
  if (isRemote && format === 'toml')
    return { client, name, content: { url: server.url, bearer_token_env_var: tokenVariable } };
  const how = place || { ...server };
  const type = isRemote ? 'http' : 'stdio';
  return { client, name, content: { ...(isTyped && { type }), ...how } };
}

/** Stands in an entry for what VS Code asks a person for, and keeps. */
export function inputReference(name: string): string {
  return `\${input:${inputIdOf(name)}}`;
}

function inputIdOf(name: string): string {
  return `${name}-client-secret`;
}

/** The servers of a configuration by name. @throws {BrokenFileError} */
export function readServers(client: ClientDefinition, text: string): JsonObject {
  const servers = readDocument(client, text)[client.servers];
  // An empty group is null in YAML.
  if (servers === undefined || (servers === null && client.format === 'yaml')) return {};
  if (isRecord(servers)) return servers;
  throw new BrokenFileError(`"${client.servers}" holds no entries by name`);
}

/** An entry as an otherwise empty configuration would hold it. */
export function renderEntry(entry: Entry): string {
  const { format, servers } = entry.client;
  const inputs = inputsOf(entry);
  const document = {
    [servers]: { [entry.name]: entry.content },
    ...(inputs.length > 0 && { inputs }),
  };
  if (format === 'toml') return `${toml.stringify(document).trimEnd()}\n`;
  if (format === 'yaml') return yaml.stringify(document, { lineWidth: 0 });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A JSON configuration with an entry in it; comments, order and other entries stay. @throws {BrokenFileError} */
export function withEntry(text: string, entry: Entry): string {
  const { client, name, content } = entry;
  if (text.trim() === '') return renderEntry(entry);
  if (isDeepStrictEqual(readServers(client, text)[name], content)) return text;
  const ids = inputIds(client, text);
  const missing = inputsOf(entry).filter(({ id }) => !ids.includes(id));
  const after = edit(text, [client.servers, name], content);
  return missing.reduce((given, input) => edit(given, ['inputs', -1], input), after);
}

/** A JSON configuration without an entry and what the client asked for it. @throws {BrokenFileError} */
export function withoutEntry(text: string, { client, name }: Omit<Entry, 'content'>): string {
  if (!Object.hasOwn(readServers(client, text), name)) return text;
  const at = inputIds(client, text).indexOf(inputIdOf(name));
  const after = edit(text, [client.servers, name], undefined);
  return at < 0 ? after : edit(after, ['inputs', at], undefined);
}

/** What the client asks a person for because of an entry. */
function inputsOf({ name, content }: Entry): JsonObject[] {
  if (!JSON.stringify(content).includes(inputReference(name))) return [];
  const description = 'Client secret of the API key, or token of the server';
  return [{ type: 'promptString', id: inputIdOf(name), description, password: true }];
}

function inputIds(client: ClientDefinition, text: string): unknown[] {
  const { inputs } = readDocument(client, text);
  return Array.isArray(inputs) ? inputs.map((it) => isRecord(it) && it.id) : [];
}

/** A change of a JSON text at a path; `undefined` takes a value out, the index -1 appends. */
function edit(given: string, path: (string | number)[], value: unknown): string {
  const text = given.replace(/^\ufeff/, '');
  const [indent = '  '] = /(?<=\n)[ \t]+/.exec(text) ?? [];
  const formattingOptions = {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    insertSpaces: !indent.includes('\t'),
    tabSize: indent.length,
  };
  const isArrayInsertion = path.at(-1) === -1;
  const edits = modify(text, path, value, { formattingOptions, isArrayInsertion });
  return given.slice(0, given.length - text.length) + applyEdits(text, edits);
}

function readDocument({ format }: ClientDefinition, given: string): JsonObject {
  const text = given.replace(/^\ufeff/, '');
  const document = text.trim() === '' ? {} : parseText(format, text);
  if (isRecord(document)) return document;
  throw new BrokenFileError('it holds no settings by name');
}

function parseText(format: ClientDefinition['format'], text: string): unknown {
  try {
    if (format !== 'json') return format === 'toml' ? toml.parse(text) : (yaml.parse(text) ?? {});
  } catch (error) {
    throw new BrokenFileError(error instanceof Error ? error.message : String(error));
  }
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return document;
  const line = text.slice(0, error.offset).split('\n').length;
  throw new BrokenFileError(`line ${line}: ${printParseErrorCode(error.error)}`);
}
