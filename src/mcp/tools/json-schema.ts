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

/** What a tool takes and gives, as clients read it. */
export interface ToolSchemas {
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
}

/**
 * The schema of a tool's arguments. Unknown arguments are refused by us with the nearest name, so
 * the schema does not spend words on it.
 */
export const inputSchema = rememberSchemas((schema) => z.toJSONSchema(schema, { io: 'input' }));

/** The schema of a tool's structured answer: known fields typed, everything else let through. */
export const outputSchema = rememberSchemas((schema) =>
  z.toJSONSchema(schema.extend({ context: z.looseObject({}) }), { io: 'output' }),
);

/** Converting costs more than everything else at start-up: each definition is converted once. */
function rememberSchemas(
  convert: (schema: z.ZodObject) => object,
): (schema: z.ZodObject) => ObjectSchema {
  const converted = new WeakMap<z.ZodObject, ObjectSchema>();
  return (schema) => {
    const known = converted.get(schema) ?? tidy(convert(schema));
    converted.set(schema, known);
    return known;
  };
}

function tidy(schema: object): ObjectSchema {
  const { $schema: _, ...rest } = asJson(schema);
  const properties = tidyValue(rest);
  return { ...(isObject(properties) ? properties : {}), type: 'object' };
}

/** zod's JSON Schema is plain JSON; its type does not say so. */
function asJson(schema: object): { [key: string]: JsonValue } {
  return JSON.parse(JSON.stringify(schema));
}

function tidyValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(tidyValue);
  if (!isObject(value)) return value;
  const types = unionTypes(value);
  if (types) return { type: types };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, JsonValue][] =>
      saysNothing(key, member, value) ? [] : [[key, tidyValue(member)]],
    ),
  );
}

function saysNothing(key: string, member: JsonValue, owner: { [key: string]: JsonValue }): boolean {
  if (key === 'additionalProperties') return typeof owner.type === 'string';
  if (key === 'properties') return isObject(member) && Object.keys(member).length === 0;
  // Every text and list is bounded; the bounds worth their words are those that somebody may meet.
  if (key === 'maxLength') return typeof member === 'number' && member < 1000;
  if (key === 'maxItems') return true;
  // zod bounds every integer by what a double holds; a reader learns nothing from it.
  if (key === 'maximum') return member === Number.MAX_SAFE_INTEGER;
  if (key === 'minimum') return member === Number.MIN_SAFE_INTEGER;
  return false;
}

/** `anyOf` of plain types as one list of types: `["integer", "null"]`. */
function unionTypes(value: { [key: string]: JsonValue }): string[] | undefined {
  if (!Array.isArray(value.anyOf)) return undefined;
  const types = value.anyOf.flatMap((member): string[] => {
    if (!isObject(member)) return [];
    return typeof member.type === 'string' ? [member.type] : (unionTypes(member) ?? []);
  });
  return types.length >= value.anyOf.length ? types : undefined;
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return isRecord(value);
}
