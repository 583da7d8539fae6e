import { z } from 'zod';
import { isRecord, type JsonValue } from '../../core/json.ts';

/** JSON Schema as clients take it: flat, without `$ref`, unions or keywords that say nothing. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, PropertySchema>;
  required?: string[];
  [keyword: string]: JsonValue;
}

/** One argument, as the model sees it. */
export interface PropertySchema {
  type?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  description?: string;
  items?: PropertySchema;
  [keyword: string]: JsonValue;
}

/**
 * The schema of a tool's arguments. Unknown arguments are refused with the nearest name, so the
 * schema does not spend words on it.
 */
export function inputSchema(schema: z.ZodObject): ObjectSchema {
  return tidy(z.toJSONSchema(schema, { io: 'input' }));
}

/** The schema of a tool's structured answer: known fields typed, everything else let through. */
export function outputSchema(schema: z.ZodObject): ObjectSchema {
  return tidy(z.toJSONSchema(schema.extend({ context: z.looseObject({}) }), { io: 'output' }));
}

function tidy(schema: object): ObjectSchema {
  // zod's JSON Schema is plain JSON; its type does not say so.
  const { $schema: _, ...rest }: { [key: string]: JsonValue } = JSON.parse(JSON.stringify(schema));
  const tidied = tidyValue(rest);
  return { ...(isSchema(tidied) ? tidied : {}), type: 'object' };
}

function tidyValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(tidyValue);
  if (!isSchema(value)) return value;
  const types = unionTypes(value);
  if (types) return { type: types };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !saysNothing(key, member, value))
      .map(([key, member]) => [key, tidyValue(member)]),
  );
}

function saysNothing(key: string, member: JsonValue, owner: { [key: string]: JsonValue }): boolean {
  switch (key) {
    case 'additionalProperties':
      return typeof owner.type === 'string';
    case 'properties':
      return isSchema(member) && Object.keys(member).length === 0;
    // Every text and list is bounded; the bounds worth their words are those that a caller may meet.
    case 'maxLength':
      return typeof member === 'number' && member < 1000;
    case 'maxItems':
      return true;
    // zod bounds every integer by what a double holds; a reader learns nothing from it.
    case 'maximum':
      return member === Number.MAX_SAFE_INTEGER;
    case 'minimum':
      return member === Number.MIN_SAFE_INTEGER;
    default:
      return false;
  }
}

/** `anyOf` of plain types as one list of types: `["integer", "null"]`. */
function unionTypes(value: { [key: string]: JsonValue }): string[] | undefined {
  if (!Array.isArray(value.anyOf)) return undefined;
  const types = value.anyOf.flatMap((member): string[] => {
    if (!isSchema(member)) return [];
    return typeof member.type === 'string' ? [member.type] : (unionTypes(member) ?? []);
  });
  return types.length >= value.anyOf.length ? types : undefined;
}

function isSchema(value: JsonValue): value is { [key: string]: JsonValue } {
  return isRecord(value);
}
