import { z } from 'zod';
import { InputError } from '../core/errors.ts';
import { type JsonObject, ownValue, parseJson } from '../core/json.ts';
import { asWord, didYouMean } from '../core/nearest.ts';
import { quote, quoted } from '../core/text.ts';
import type { Endpoint } from '../endpoints/define.ts';

/** More than any tool takes: what is larger is not looked at. */
const maxArguments = 100;
const maxLength = 50_000;
const maxEntries = 1000;

const maxIssues = 10;

/**
 * Reads the arguments of a call: names checked, texts that clients sent for numbers, booleans and
 * lists read as what they mean, empty ones left out, values held against the schema.
 *
 * @throws {InputError} that names the argument, what came, what is accepted and the nearest name.
 */
export function readArguments(
  { tool, input }: Pick<Endpoint, 'tool' | 'input'>,
  args: JsonObject,
): JsonObject {
  const { shape } = input;
  if (Object.keys(args).length > maxArguments)
    throw new InputError(`${tool}: more than ${maxArguments} arguments came.`);
  const values: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    refuseOversize(tool, name, value);
    const schema = ownValue(shape, name);
    if (schema === undefined)
      throw new InputError(unknownArgument(tool, name, Object.keys(shape)), name);
    const isBlank = typeof value === 'string' && value.trim() === '';
    const meant = isBlank || value === null ? undefined : readAs(unwrap(schema), value);
    if (meant !== undefined) values[name] = meant;
  }
  const { data, error } = input.safeParse(values);
  if (error === undefined) return data;
  const issues = error.issues.slice(0, maxIssues);
  const lines = issues.map((issue) => `${tool}: ${describeIssue(issue, shape, values)}`);
  throw new InputError([...new Set(lines)].join('\n'), issues[0]?.path.map(String)[0]);
}

/** Refused by its size alone, before anything is read from it: reading must not hold up other callers. */
function refuseOversize(tool: string, name: string, value: unknown): void {
  const about = `${tool}: ${quote(name, 60)} has`;
  if (typeof value === 'string' && value.length > maxLength) {
    throw new InputError(
      `${about} ${value.length} characters, at most ${maxLength} are read.`,
      name,
    );
  }
  if (Array.isArray(value) && value.length > maxEntries)
    throw new InputError(`${about} too many entries, at most ${maxEntries} are read.`, name);
}

function unknownArgument(tool: string, name: string, known: readonly string[]): string {
  const takes = known.length > 0 ? `It takes: ${known.join(', ')}.` : 'It takes no arguments.';
  return `${tool} has no argument "${quote(name, 60)}".${didYouMean(name, known)} ${takes}`;
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional ? schema.unwrap() : schema;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/** A value as its schema means it; what cannot be meant stays as it came, and is refused by the schema. */
function readAs(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  const text = typeof value === 'object' ? undefined : String(value).trim();
  if (schema instanceof z.ZodArray) {
    const list = text === undefined ? value : readList(text);
    return [list].flat().map((entry) => readAs(schema.element, entry));
  }
  if (text === undefined) return Array.isArray(value) ? (commaList(value) ?? value) : value;
  if (schema instanceof z.ZodNumber)
    return /^[+-]?\d{1,300}(\.\d+)?$/.test(text) ? Number(text) : value;
  if (schema instanceof z.ZodBoolean) return booleans.get(text.toLowerCase()) ?? value;
  if (schema instanceof z.ZodEnum) {
    const meant = asWord(text);
    return schema.options.find((member) => asWord(String(member)) === meant) ?? text;
  }
  // `[5001, 5011]` as the comma list that the platform takes.
  return (text.startsWith('[') ? commaList(parseJson(text)) : undefined) ?? text;
}

/** A list that came as text: JSON-encoded, parted by commas, or a single entry. */
function readList(text: string): unknown {
  const parsed = parseJson(text);
  if (typeof parsed === 'object') return parsed;
  const parts = text.split(',', maxEntries + 1).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

function commaList(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every((entry) => typeof entry !== 'object') ? list.join(',') : undefined;
}

/** One thing that is wrong with the arguments: where, what is accepted, what came. */
function describeIssue(
  { path, code, message }: z.core.$ZodIssue,
  shape: Readonly<z.core.$ZodShape>,
  values: JsonObject,
): string {
  const [name, entry] = path.map(String);
  if (name === undefined) return message;
  const argument = values[name];
  const whole = unwrap(shape[name]);
  const isEntry = entry !== undefined && whole instanceof z.ZodArray && Array.isArray(argument);
  const schema = isEntry ? unwrap(whole.element) : whole;
  const value = isEntry ? argument[Number(entry)] : argument;
  const place = isEntry ? `${name}.${entry}` : name;
  if (value === undefined) return `${place} is required: ${expectation(schema, shape[name])}.`;
  // A pattern has a sentence of its own; for the rest the schema says what is accepted.
  const expected =
    code === 'invalid_format' ? message : `must be ${expectation(schema, shape[name])}`;
  const members = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  const advice = typeof value === 'string' ? didYouMean(value, members) : '';
  return `${place} ${expected}, not ${show(value)}.${advice}`;
}

/** What an argument accepts, in words: `a whole number from 1 to 500`. */
function expectation(accepted: z.core.$ZodType | undefined, whole = accepted): string {
  if (accepted instanceof z.ZodEnum) return `one of ${accepted.options.join(', ')}`;
  if (accepted instanceof z.ZodNumber) return sayNumber(accepted);
  if (accepted instanceof z.ZodBoolean) return 'true or false';
  if (accepted instanceof z.ZodArray)
    return `a list, each entry ${expectation(unwrap(accepted.element))}`;
  const [about] = [whole, accepted].flatMap(
    (it) => (it instanceof z.ZodType && it.description) || [],
  );
  return about === undefined ? 'text' : `text (${about})`;
}

function sayNumber({ minValue, maxValue, format }: z.ZodNumber): string {
  const kind = format === 'safeint' ? 'a whole number' : 'a number';
  const isFrom = minValue !== null && minValue > Number.MIN_SAFE_INTEGER;
  if (maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER)
    return isFrom ? `${kind} from ${minValue} to ${maxValue}` : `${kind} of at most ${maxValue}`;
  return isFrom ? `${kind} of ${minValue} or more` : kind;
}

/** A value as a refusal shows it; what is within lists and objects is the caller's own to look up. */
function show(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return quote(String(value));
  return Array.isArray(value) ? 'a list' : 'an object';
}
