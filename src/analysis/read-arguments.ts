import { z } from 'zod';
import { InputError } from '../core/errors.ts';
import { countJson, type JsonObject, ownValue, parseJson } from '../core/json.ts';
import { messagesOf } from '../core/message.ts';
import { asWord, nearest } from '../core/nearest.ts';
import { cutText, quote, quoted, sayCall, sentences } from '../core/text.ts';
import type { Endpoint } from '../endpoints/define.ts';
import { comparisonOf } from './reference/resolve.ts';

export interface WrongArgument {
  /** The argument, or an entry of it: `kinds.1`. */
  place: string;
  /** `a whole number from 1 to 500`. */
  accepted: string;
  /** Replaces `accepted` for a pattern: `must be two lower-case letters`. */
  form?: string | undefined;
  /** Undefined where it is missing; lists and objects are emptied. */
  value?: unknown;
  nearest?: string | undefined;
}

interface UnknownArgument {
  tool: string;
  argument: string;
  nearest?: string | undefined;
  known: readonly string[];
  /** Arguments of `compare_turnover` that answer for the shop, if it can be called. */
  comparison?: JsonObject | undefined;
}

interface LargeArgument {
  tool: string;
  argument: string;
  /** The length of a text; undefined for a list. */
  characters?: number | undefined;
  max: number;
}

export const argumentMessages = messagesOf({
  too_many_arguments: ({ tool, max }: { tool: string; max: number }) =>
    `${tool}: more than ${max} arguments came.`,
  argument_too_large: ({ tool, argument, characters, max }: LargeArgument) => {
    const has = characters === undefined ? 'too many entries' : `${characters} characters`;
    return `${tool}: ${quote(argument, 60)} has ${has}, at most ${max} are read.`;
  },
  unknown_argument: ({ tool, argument, nearest, known, comparison }: UnknownArgument) =>
    sentences(
      `${tool} has no argument "${quote(argument, 60)}".`,
      nearest && `Did you mean ${nearest}?`,
      comparison && `Turnover of a shop: ${sayCall('compare_turnover', comparison)}.`,
      known.length > 0 ? `It takes: ${known.join(', ')}.` : 'It takes no arguments.',
    ),
  wrong_arguments: ({ tool, wrong }: { tool: string; wrong: readonly WrongArgument[] }) => {
    const lines = wrong.map((argument) => `${tool}: ${sayWrong(argument)}`);
    return [...new Set(lines)].join('\n');
  },
});

function sayWrong({ place, accepted, form, value, nearest }: WrongArgument): string {
  if (value === undefined) return `${place} is required: ${accepted}.`;
  return sentences(
    `${place} ${form ?? `must be ${accepted}`}, not ${sayValue(value)}.`,
    nearest && `Did you mean ${nearest}?`,
  );
}

function sayValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return quote(String(value));
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Larger than for any tool. */
const maxArguments = 100;
const maxLength = 50_000;
const maxEntries = 1000;

const maxIssues = 10;

/** A refusal repeats no more of a name or a value. */
const maxName = 200;

/**
 * Reads the arguments of a call against the schema. Texts for numbers, booleans and lists are read as such; empty ones
 * count as left out.
 * @param hasTool tells which tools a refusal may name
 * @throws {InputError} naming the argument, its value, the values accepted and the nearest name
 */
export function readArguments(
  { tool, input }: Pick<Endpoint, 'tool' | 'input'>,
  args: JsonObject,
  hasTool: (tool: string) => boolean = () => false,
): JsonObject {
  const { shape } = input;
  if (Object.keys(args).length > maxArguments)
    throw new InputError(argumentMessages.too_many_arguments({ tool, max: maxArguments }));
  const values: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    refuseOversize(tool, name, value);
    const schema = ownValue(shape, name);
    if (schema === undefined) {
      const names = Object.keys(shape);
      const isOfShop = name === 'shop_id' && names.includes('location_id');
      const unknown = {
        tool,
        argument: cutText(name, maxName),
        nearest: nearest(name, names),
        known: names,
        comparison: isOfShop && hasTool('compare_turnover') ? comparisonOf(args, value) : undefined,
      };
      throw new InputError(argumentMessages.unknown_argument(unknown), name);
    }
    const isBlank = typeof value === 'string' && value.trim() === '';
    const meaning = isBlank || value === null ? undefined : readValue(unwrap(schema), value);
    if (meaning !== undefined) values[name] = meaning;
  }
  const { data, error } = input.safeParse(values);
  if (error === undefined) return data;
  const issues = error.issues.slice(0, maxIssues);
  const wrong = issues.map((issue) => wrongArgument(issue, shape, values));
  const [argument] = wrong[0]?.place.split('.') ?? [];
  throw new InputError(argumentMessages.wrong_arguments({ tool, wrong }), argument);
}

/** Reading a large argument would block the event loop. */
function refuseOversize(tool: string, name: string, value: unknown): void {
  const isText = typeof value === 'string';
  const max = isText ? maxLength : maxEntries;
  if (!(isText || Array.isArray(value)) || value.length <= max) return;
  const characters = isText ? value.length : undefined;
  const large = { tool, argument: cutText(name, maxName), characters, max };
  throw new InputError(argumentMessages.argument_too_large(large), name);
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/** Converts a value to the type of its schema, if it can; the schema refuses it otherwise. */
function readValue(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const text = typeof value === 'object' ? undefined : String(value).trim();
  if (schema instanceof z.ZodArray) {
    const list = text === undefined ? value : readList(text);
    return [list].flat().map((entry) => readValue(schema.element, entry));
  }
  if (text === undefined) return Array.isArray(value) ? (commaList(value) ?? value) : value;
  if (schema instanceof z.ZodNumber)
    return /^[+-]?\d{1,300}(\.\d+)?$/.test(text) ? Number(text) : value;
  if (schema instanceof z.ZodBoolean) return booleans.get(text.toLowerCase()) ?? value;
  if (schema instanceof z.ZodEnum) {
    const word = asWord(text);
    return schema.options.find((member) => asWord(String(member)) === word) ?? text;
  }
  // The platform takes `5001,5011`.
  return (text.startsWith('[') ? commaList(parseList(text)) : undefined) ?? text;
}

/** Undefined for longer lists, since the schema checks each entry. */
function parseList(text: string): unknown {
  const { exceeded } = countJson(text, { values: maxEntries + 1 });
  return exceeded === undefined ? parseJson(text) : undefined;
}

function readList(text: string): unknown {
  const parsed = parseList(text);
  if (typeof parsed === 'object') return parsed;
  const parts = text.split(',', maxEntries + 1).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function commaList(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every((entry) => typeof entry !== 'object') ? list.join(',') : undefined;
}

function wrongArgument(
  { path, code, message }: z.core.$ZodIssue,
  shape: Readonly<z.core.$ZodShape>,
  values: JsonObject,
): WrongArgument {
  const [name = '', entry] = path.map(String);
  const argument = values[name];
  const whole = unwrap(shape[name]);
  const isEntry = entry !== undefined && whole instanceof z.ZodArray && Array.isArray(argument);
  const schema = isEntry ? unwrap(whole.element) : whole;
  const value = isEntry ? argument[Number(entry)] : argument;
  const choices = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  return {
    place: isEntry ? `${name}.${entry}` : name,
    accepted: acceptedBy(schema, descriptionOf(shape[name]) ?? descriptionOf(schema)),
    // A pattern has a sentence of its own.
    form: code === 'invalid_format' ? message : undefined,
    value: cutValue(value),
    nearest: typeof value === 'string' ? nearest(value, choices) : undefined,
  };
}

function acceptedBy(schema: z.core.$ZodType | undefined, about: string | undefined): string {
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(', ')}`;
  if (schema instanceof z.ZodNumber) return acceptedNumber(schema);
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (!(schema instanceof z.ZodArray)) return about === undefined ? 'text' : `text (${about})`;
  const entry = unwrap(schema.element);
  return `a list, each entry ${acceptedBy(entry, descriptionOf(entry))}`;
}

function acceptedNumber({ minValue, maxValue, format }: z.ZodNumber): string {
  // zod bounds every integer by the range of a double, which tells a reader nothing.
  const from = minValue !== null && minValue > Number.MIN_SAFE_INTEGER ? minValue : undefined;
  const to = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER ? maxValue : undefined;
  const kind = format === 'safeint' ? 'a whole number' : 'a number';
  if (to === undefined) return from === undefined ? kind : `${kind} of ${from} or more`;
  return from === undefined ? `${kind} of at most ${to}` : `${kind} from ${from} to ${to}`;
}

function descriptionOf(schema: z.core.$ZodType | undefined): string | undefined {
  return schema instanceof z.ZodType ? schema.description : undefined;
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, maxName);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}
