import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as toml from 'smol-toml';
import * as yaml from 'yaml';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import { type ClientDefinition, inputIdOf } from './clients.ts';

/** An entry as its client reads it, and what the client asks a person for because of it. */
export interface Entry {
  name: string;
  content: JsonObject;
  input?: JsonObject | undefined;
}

/** A configuration that cannot be read. The message says where and why. */
export class BrokenFileError extends Error {
  override readonly name = 'BrokenFileError';
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
export function renderEntry(
  { format, servers }: ClientDefinition,
  { name, content, input }: Entry,
): string {
  const document = { [servers]: { [name]: content }, ...(input && { inputs: [input] }) };
  if (format === 'toml') return `${toml.stringify(document).trimEnd()}\n`;
  if (format === 'yaml') return yaml.stringify(document, { lineWidth: 0 });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A JSON configuration with an entry in it; comments, order and other entries stay. @throws {BrokenFileError} */
export function withEntry(client: ClientDefinition, text: string, entry: Entry): string {
  const { name, content, input } = entry;
  if (text.trim() === '') return renderEntry(client, entry);
  if (isDeepStrictEqual(readServers(client, text)[name], content)) return text;
  const after = edit(text, [client.servers, name], content);
  const isAsked = inputIds(client, after).includes(input?.id);
  return input && !isAsked ? edit(after, ['inputs', -1], input) : after;
}

/** A JSON configuration without an entry and what the client asked for it. @throws {BrokenFileError} */
export function withoutEntry(client: ClientDefinition, text: string, name: string): string {
  if (!Object.hasOwn(readServers(client, text), name)) return text;
  const after = edit(text, [client.servers, name], undefined);
  const at = inputIds(client, after).indexOf(inputIdOf(name));
  return at < 0 ? after : edit(after, ['inputs', at], undefined);
}

function inputIds(client: ClientDefinition, text: string): unknown[] {
  const { inputs } = readDocument(client, text);
  return Array.isArray(inputs) ? inputs.map((it) => (isRecord(it) ? it.id : undefined)) : [];
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
  const document = text.trim() === '' ? {} : parsers[format](text);
  if (isRecord(document)) return document;
  throw new BrokenFileError('it holds no settings by name');
}

const parsers: Record<ClientDefinition['format'], (text: string) => unknown> = {
  json(text) {
    const errors: ParseError[] = [];
    const document: unknown = parse(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error === undefined) return document;
    const line = text.slice(0, error.offset).split('\n').length;
    throw new BrokenFileError(`line ${line}: ${printParseErrorCode(error.error)}`);
  },
  toml: (text) => orBroken(() => toml.parse(text)),
  yaml: (text) => orBroken(() => yaml.parse(text) ?? {}),
};

function orBroken(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new BrokenFileError(error instanceof Error ? error.message : String(error));
  }
}
