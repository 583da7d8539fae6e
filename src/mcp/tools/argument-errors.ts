import type { z } from 'zod';
import { isRecord } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { quote, quoted } from '../../core/text.ts';
import type { PropertySchema } from './json-schema.ts';

/** An argument that the tool does not have, with the one that may be meant and all it takes. */
export function unknownArgument(
  tool: string,
  name: string,
  properties: Record<string, PropertySchema>,
): string {
  const known = Object.keys(properties);
  const meant = nearest(name, known);
  const advice = meant ? ` Did you mean ${meant}?` : '';
  const takes = known.length > 0 ? ` It takes: ${known.join(', ')}.` : ' It takes no arguments.';
  return `${tool} has no argument "${quote(name, 60)}".${advice}${takes}`;
}

/** One thing that is wrong with the arguments: where, what is accepted, what came. */
export function describeIssue(
  tool: string,
  issue: z.core.$ZodIssue,
  properties: Record<string, PropertySchema>,
  values: Record<string, unknown>,
): string {
  const [name, ...rest] = issue.path.map(String);
  if (name === undefined) return `${tool}: ${issue.message}`;
  const property = propertyAt(properties[name], rest);
  const value = rest.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    values[name],
  );
  const place = [name, ...rest].join('.');
  if (value === undefined && rest.length === 0)
    return `${tool}: ${place} is required: ${expectation(property)}.`;
  if (issue.code === 'unrecognized_keys')
    return `${tool}: ${place} has no ${issue.keys.map((key) => `"${quote(key, 40)}"`).join(', ')}.`;
  // A pattern has a sentence of its own; for the rest the schema says what is accepted.
  const expected =
    issue.code === 'invalid_format' ? issue.message : `must be ${expectation(property)}`;
  return `${tool}: ${place} ${expected}, not ${shown(value)}.${nearestMember(property, value)}`;
}

function nearestMember(property: PropertySchema | undefined, value: unknown): string {
  const meant =
    property?.enum && typeof value === 'string' ? nearest(value, property.enum) : undefined;
  return meant ? ` Did you mean ${meant}?` : '';
}

function propertyAt(
  property: PropertySchema | undefined,
  path: readonly string[],
): PropertySchema | undefined {
  return path.reduce<PropertySchema | undefined>((inner, key) => {
    if (/^\d+$/.test(key)) return inner?.items;
    const members = inner?.properties;
    const member = isRecord(members) ? members[key] : undefined;
    return isRecord(member) ? member : undefined;
  }, property);
}

/** What an argument accepts, in words: `a whole number from 1 to 500`. */
export function expectation(property: PropertySchema | undefined): string {
  if (property?.enum) return `one of ${property.enum.join(', ')}`;
  const { minimum, maximum } = property ?? {};
  const kind = property?.type === 'integer' ? 'a whole number' : 'a number';
  switch (property?.type) {
    case 'integer':
    case 'number':
      if (minimum !== undefined && maximum !== undefined)
        return `${kind} from ${minimum} to ${maximum}`;
      if (minimum !== undefined) return `${kind} of ${minimum} or more`;
      return maximum === undefined ? kind : `${kind} of at most ${maximum}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list, each entry ${expectation(property.items)}`;
    case 'object':
      return 'an object';
    default:
      return property?.description ? `text (${property.description})` : 'text';
  }
}

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

const maxShown = 12;
const maxPreview = 100;
