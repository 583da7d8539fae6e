import type { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { fold } from '../../core/nearest.ts';
import { quote } from '../../core/text.ts';
import { describeIssue, unknownArgument } from './argument-errors.ts';
import type { ObjectSchema, PropertySchema } from './json-schema.ts';

/** What is needed to read the arguments of a tool. */
export interface ArgumentReader {
  tool: string;
  input: z.ZodObject;
  inputSchema: ObjectSchema;
}

/**
 * Reads the arguments of a call: names checked, texts that clients sent for numbers, booleans and
 * lists read as what they mean, empty ones left out, values held against the schema.
 *
 * @throws {InputError} that names the argument, what came, what is accepted and the nearest name.
 */
export function readArguments(reader: ArgumentReader, raw: unknown): Record<string, unknown> {
  const { tool, input, inputSchema } = reader;
  const properties = inputSchema.properties ?? {};
  const given = asObject(tool, raw);
  if (Object.keys(given).length > maxArguments)
    throw new InputError(`${tool}: more than ${maxArguments} arguments came.`);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    refuseOversize(tool, name, value);
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) throw new InputError(unknownArgument(tool, name, properties), name);
    if (typeof value === 'string' && value.trim() === '') continue;
    const meant = readAs(property, value);
    if (meant !== undefined && meant !== null && meant !== '') values[name] = meant;
  }
  const read = input.safeParse(values);
  if (read.success) return read.data;
  const lines = read.error.issues
    .slice(0, maxIssues)
    .map((issue) => describeIssue(tool, issue, properties, values));
  const first = read.error.issues[0]?.path[0];
  throw new InputError(
    [...new Set(lines)].join('\n'),
    first === undefined ? undefined : String(first),
  );
}

/** More than any tool takes: what is larger is not looked at. */
const maxArguments = 100;
const maxLength = 50_000;
const maxEntries = 1000;

/** Most things that one refusal names. */
const maxIssues = 10;

/** Refused by its size alone, before anything is read from it: reading must not hold up the others. */
function refuseOversize(tool: string, name: string, value: unknown): void {
  const isLong = typeof value === 'string' && value.length > maxLength;
  const isMany = Array.isArray(value) && value.length > maxEntries;
  if (!isLong && !isMany) return;
  const said = isLong
    ? `${value.length} characters, at most ${maxLength}`
    : `too many entries, at most ${maxEntries}`;
  throw new InputError(`${tool}: ${quote(name, 60)} has ${said} are read.`, name);
}

function asObject(tool: string, raw: unknown): Record<string, unknown> {
  const isShort = typeof raw === 'string' && raw.length <= 2 * maxLength;
  const value = isShort ? (parseJson(raw) ?? raw) : (raw ?? {});
  if (isRecord(value)) return value;
  throw new InputError(`${tool}: arguments must be an object of named values.`);
}

function readAs(property: PropertySchema, value: unknown): unknown {
  switch (property.type) {
    case 'string':
      return readText(property, value);
    case 'integer':
    case 'number':
      return typeof value === 'string' ? readNumber(value) : value;
    case 'boolean':
      return readBoolean(value);
    case 'array':
      return readList(property, value);
    default:
      return value;
  }
}

function readText(property: PropertySchema, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.join(',');
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (!property.enum) return listed(text) ?? text;
  const meant = fold(text);
  return property.enum.find((member) => fold(member) === meant) ?? text;
}

/** `[5001, 5011]` as the comma list that the platform takes. */
function listed(text: string): string | undefined {
  if (!text.startsWith('[')) return undefined;
  const list = parseJson(text);
  const isList =
    Array.isArray(list) && list.length > 0 && list.every((it) => typeof it !== 'object');
  return isList ? list.join(',') : undefined;
}

function readNumber(value: string): unknown {
  const text = value.trim();
  const number = /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false],
]);

function readBoolean(value: unknown): unknown {
  if (typeof value === 'object') return value;
  return booleans.get(String(value).trim().toLowerCase()) ?? value;
}

function readList(property: PropertySchema, value: unknown): unknown {
  const items = property.items ?? {};
  const list = typeof value === 'string' ? listFromText(value, items) : value;
  if (list === null || list === undefined || list === '') return list;
  const members = Array.isArray(list) ? list : [list];
  return members.map((member) => {
    const parsed: unknown =
      items.type === 'object' && typeof member === 'string'
        ? (parseJson(member) ?? member)
        : member;
    return items.type === 'object' ? readMembers(items, parsed) : readAs(items, parsed);
  });
}

function listFromText(text: string, items: PropertySchema): unknown {
  const parsed = parseJson(text);
  if (parsed !== undefined && typeof parsed === 'object') return parsed;
  return items.type === 'object'
    ? text
    : splitOutsideParentheses(text)
        .map((part) => part.trim())
        .filter((part) => part !== '');
}

/** `count,sum(a,b)` at the commas that separate entries, in one pass. */
function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/\([^()]*\)|,/g)) {
    if (found !== ',') continue;
    parts.push(text.slice(from, index));
    from = index + 1;
    if (parts.length > maxEntries) return parts;
  }
  return [...parts, text.slice(from)];
}

function readMembers(items: PropertySchema, member: unknown): unknown {
  const properties = isRecord(items.properties) ? items.properties : {};
  if (!isRecord(member)) return member;
  return Object.fromEntries(
    Object.entries(member).map(([key, value]) => {
      const property = properties[key];
      return [key, isRecord(property) ? readAs(property, value) : value];
    }),
  );
}
