import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonObject } from '../../../core/json.ts';
import {
  type ClientDefinition,
  type SecretReference,
  type Server,
  secretVariable,
} from './client.ts';
import { BrokenFileError, type Format, type FormatName, type Step } from './formats/format.ts';
import { json } from './formats/json.ts';
import { toml } from './formats/toml.ts';
import { yaml } from './formats/yaml.ts';

/** The names that entries get unless somebody names them. */
export const ownNames = ['commerce', 'commerce-sandbox'];

const formats: Record<FormatName, Format> = { json, toml, yaml };

/** An entry: the server, and the reference that stands for its secret where one does. */
export interface ServerEntry {
  server: Server;
  reference?: SecretReference | undefined;
}

/**
 * The configuration of a client with an entry in it; the same text where it stands there already.
 *
 * @throws {BrokenFileError} for a text that cannot be read, or changed without changing anything else.
 */
export function withEntry(client: ClientDefinition, text: string, entry: ServerEntry): string {
  const document = read(client, text);
  const { name } = entry.server;
  const content = contentOf(client, entry);
  const given = entry.reference?.input?.(name);
  const inputs = Array.isArray(document.inputs) ? document.inputs : [];
  const at = given && inputs.findIndex((input) => isRecord(input) && input.id === given.id);
  return apply(client, text, [
    { path: [client.servers, name], value: content },
    ...(given && at === -1 ? [{ path: ['inputs', inputs.length], value: given }] : []),
  ]);
}

/**
 * The configuration of a client without an entry and what the client asked for it.
 *
 * @throws {BrokenFileError} as {@link withEntry}.
 */
export function withoutEntry(client: ClientDefinition, text: string, name: string): string {
  const document = read(client, text);
  if (!hasEntry(client, text, name)) return text;
  const id = client.reference?.input?.(name).id;
  const inputs = Array.isArray(document.inputs) ? document.inputs : [];
  const at = inputs.findIndex((input) => isRecord(input) && input.id === id);
  return apply(client, text, [
    { path: [client.servers, name], value: undefined },
    ...(id !== undefined && at >= 0 ? [{ path: ['inputs', at], value: undefined }] : []),
  ]);
}

/**
 * The names under which a configuration starts a program, or would by our own names.
 *
 * @throws {BrokenFileError}
 */
export function entriesOf(client: ClientDefinition, text: string, program: string): string[] {
  const servers = read(client, text)[client.servers];
  return Object.entries(isRecord(servers) ? servers : {}).flatMap(([name, entry]) => {
    const args = isRecord(entry) && Array.isArray(entry.args) ? entry.args : [];
    return ownNames.includes(name) || args.includes(program) ? [name] : [];
  });
}

function hasEntry(client: ClientDefinition, text: string, name: string): boolean {
  const servers = read(client, text)[client.servers];
  return isRecord(servers) && Object.hasOwn(servers, name);
}

/** An entry in the words of its client. */
export function contentOf(
  client: ClientDefinition,
  { server, reference }: ServerEntry,
): JsonObject {
  const value = reference?.env?.(server.name);
  const env = { ...server.env, ...(value !== undefined && { [secretVariable]: value }) };
  return { ...client.entry({ ...server, env }), ...reference?.fields };
}

function apply(client: ClientDefinition, text: string, steps: readonly Step[]): string {
  const format = formats[client.format];
  const [mark = ''] = /^\ufeff/.exec(text) ?? [];
  let current = text.slice(mark.length);
  let expected = format.parse(current);
  for (const step of steps) {
    const wanted = changed(expected, step);
    if (isDeepStrictEqual(plain(wanted, steps), plain(expected, steps))) continue;
    current = format.edit(current, step);
    expected = wanted;
  }
  // Whatever an editor of texts may get wrong, nothing but the entry changes.
  const got = readBack(format, current);
  if (got === undefined || !isDeepStrictEqual(plain(got, steps), plain(expected, steps)))
    throw new BrokenFileError('its form is unusual, and other parts of it would change too');
  return mark + current;
}

function read({ format }: ClientDefinition, text: string): JsonObject {
  return formats[format].parse(text.replace(/^\ufeff/, ''));
}

function readBack(format: Format, text: string): JsonObject | undefined {
  try {
    return format.parse(text);
  } catch {
    return undefined;
  }
}

/** A document after one step, as it has to read. */
function changed(document: JsonObject, { path, value }: Step): JsonObject {
  const [group = '', name = ''] = path;
  const held = document[group];
  if (held !== undefined && held !== null && typeof held !== 'object')
    throw new BrokenFileError(`"${group}" holds no entries in it`);
  if (typeof name === 'number') {
    const list: unknown[] = Array.isArray(held) ? [...held] : [];
    list.splice(name, 1, ...(value === undefined ? [] : [value]));
    return { ...document, [group]: list };
  }
  if (Array.isArray(held)) throw new BrokenFileError(`"${group}" is a list, not entries by name`);
  const { [name]: _, ...others } = isRecord(held) ? held : {};
  return { ...document, [group]: value === undefined ? others : { ...others, [name]: value } };
}

/**
 * A document by what it says: libraries have objects and dates of their own, and not every form can say
 * that a group has nothing in it.
 */
function plain(document: JsonObject, steps: readonly Step[]): unknown {
  const groups = new Set(steps.map(({ path }) => path[0]));
  const said = Object.entries(document).filter(
    ([name, value]) => !groups.has(name) || Object.keys(value ?? {}).length > 0,
  );
  return JSON.parse(JSON.stringify(Object.fromEntries(said)));
}
