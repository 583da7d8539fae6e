import { z } from 'zod';
import { InputError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { fold, nearest } from '../../core/nearest.ts';
import { quote, quoted } from '../../core/text.ts';

/** What is needed to read the arguments of a tool. */
export interface ArgumentReader {
  tool: string;
  input: z.ZodObject;
}

/** More than any tool takes: what is larger is not looked at. */
const maxArguments = 100;
const maxLength = 50_000;
const maxEntries = 1000;

/** Most things that one refusal names. */
const maxIssues = 10;

/**
 * Reads the arguments of a call: names checked, texts that clients sent for numbers, booleans and
 * lists read as what they mean, empty ones left out, values held against the schema.
 *
 * @throws {InputError} that names the argument, what came, what is accepted and the nearest name.
 */
export function readArguments({ tool, input }: ArgumentReader, raw: unknown) {
  const { shape } = input;
  const given = asObject(tool, raw);
  if (Object.keys(given).length > maxArguments)
    throw new InputError(`${tool}: more than ${maxArguments} arguments came.`);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    refuseOversize(tool, name, value);
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema === undefined)
      throw new InputError(unknownArgument(tool, name, Object.keys(shape)), name);
    if (typeof value === 'string' && value.trim() === '') continue;
    const meant = readAs(schema, value);
    if (meant !== undefined && meant !== null && meant !== '') values[name] = meant;
  }
  const read = input.safeParse(values);
  if (read.success) return read.data;
  const { issues } = read.error;
  const lines = issues
    .slice(0, maxIssues)
    .map((issue) => describeIssue(tool, issue, shape, values));
  const first = issues[0]?.path[0];
  throw new InputError(
    [...new Set(lines)].join('\n'),
    first === undefined ? undefined : String(first),
  );
}

/** What an argument accepts, in words: `a whole number from 1 to 500`. */
export function expectation(schema: z.core.$ZodType | undefined): string {
  const accepted = bare(schema);
  if (accepted instanceof z.ZodEnum) return `one of ${accepted.options.join(', ')}`;
  if (accepted instanceof z.ZodNumber) return sayNumber(accepted);
  if (accepted instanceof z.ZodBoolean) return 'true or false';
  if (accepted instanceof z.ZodArray) return `a list, each entry ${expectation(accepted.element)}`;
  const about = [schema, accepted].find((it) => it instanceof z.ZodType && it.description);
  return about instanceof z.ZodType ? `text (${about.description})` : 'text';
}

/** Refused by its size alone, before anything is read from it: reading must not hold up other callers. */
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

/** The schema itself, without "optional" and the like around it. */
function bare(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? bare(schema.unwrap()) : schema;
}

function readAs(schema: z.core.$ZodType, value: unknown): unknown {
  const accepted = bare(schema);
  if (accepted instanceof z.ZodNumber) return typeof value === 'string' ? readNumber(value) : value;
  if (accepted instanceof z.ZodBoolean) return readBoolean(value);
  if (accepted instanceof z.ZodArray) return readList(accepted.element, value);
  if (accepted instanceof z.ZodEnum) return readMember(accepted.options, value);
  return readText(value);
}

function readText(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return commaList(value) ?? value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  // `[5001, 5011]` as the comma list that the platform takes.
  return (text.startsWith('[') ? commaList(parseJson(text)) : undefined) ?? text;
}

function commaList(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every((entry) => typeof entry !== 'object') ? list.join(',') : undefined;
}

function readMember(members: readonly (string | number)[], value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const meant = fold(value);
  return members.find((member) => fold(String(member)) === meant) ?? value.trim();
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

function readList(entry: z.core.$ZodType, value: unknown): unknown {
  const list = typeof value === 'string' ? listFromText(value) : value;
  if (list === null || list === undefined) return list;
  return (Array.isArray(list) ? list : [list]).map((member) => readAs(entry, member));
}

function listFromText(text: string): unknown {
  const parsed = parseJson(text);
  if (typeof parsed === 'object') return parsed;
  const parts = text.split(',', maxEntries + 1).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** An argument that the tool does not have, with the one that may be meant and all it takes. */
function unknownArgument(tool: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant ? ` Did you mean ${meant}?` : '';
  const takes = known.length > 0 ? ` It takes: ${known.join(', ')}.` : ' It takes no arguments.';
  return `${tool} has no argument "${quote(name, 60)}".${advice}${takes}`;
}

/** One thing that is wrong with the arguments: where, what is accepted, what came. */
function describeIssue(
  tool: string,
  issue: z.core.$ZodIssue,
  shape: Readonly<z.core.$ZodShape>,
  values: Record<string, unknown>,
): string {
  const [name, entry] = issue.path.map(String);
  if (name === undefined) return `${tool}: ${issue.message}`;
  const whole = bare(shape[name]);
  const isEntry = entry !== undefined && whole instanceof z.ZodArray;
  const schema = isEntry ? whole.element : shape[name];
  const list = values[name];
  const value = isEntry && Array.isArray(list) ? list[Number(entry)] : list;
  const place = isEntry ? `${name}.${entry}` : name;
  if (value === undefined) return `${tool}: ${place} is required: ${expectation(schema)}.`;
  // A pattern has a sentence of its own; for the rest the schema says what is accepted.
  const expected =
    issue.code === 'invalid_format' ? issue.message : `must be ${expectation(schema)}`;
  return `${tool}: ${place} ${expected}, not ${shown(value)}.${nearestMember(schema, value)}`;
}

function nearestMember(schema: z.core.$ZodType | undefined, value: unknown): string {
  const accepted = bare(schema);
  if (!(accepted instanceof z.ZodEnum) || typeof value !== 'string') return '';
  const meant = nearest(value, accepted.options.map(String));
  return meant ? ` Did you mean ${meant}?` : '';
}

function sayNumber({ minValue, maxValue, format }: z.ZodNumber): string {
  const kind = format === 'safeint' ? 'a whole number' : 'a number';
  const from = minValue !== null && minValue > Number.MIN_SAFE_INTEGER ? minValue : undefined;
  const to = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER ? maxValue : undefined;
  if (from !== undefined && to !== undefined) return `${kind} from ${from} to ${to}`;
  if (from !== undefined) return `${kind} of ${from} or more`;
  return to === undefined ? kind : `${kind} of at most ${to}`;
}

const maxShown = 12;
const maxPreview = 100;

function shown(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : quote(preview(value, 2) ?? 'nothing');
}

/** The beginning of a value as JSON: what is deeper or longer is left out, however deep it goes. */
function preview(value: unknown, depth: number): string | undefined {
  if (Array.isArray(value)) {
    if (depth === 0) return '[…]';
    const parts = value.slice(0, maxShown).map((part) => preview(part, depth - 1) ?? 'null');
    return `[${parts.join()}${value.length > maxShown ? ',…' : ''}]`;
  }
  if (!isRecord(value))
    return JSON.stringify(typeof value === 'string' ? value.slice(0, maxPreview) : value);
  if (depth === 0) return '{…}';
  const parts = Object.keys(value)
    .slice(0, maxShown)
    .map((key) => `${JSON.stringify(key.slice(0, maxPreview))}:${preview(value[key], depth - 1)}`);
  return `{${parts.join()}}`;
}
