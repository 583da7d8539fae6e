import { z } from 'zod';

/** JSON Schema as clients take it: flat, without `$ref`, unions or keywords that say nothing. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, PropertySchema>;
  required?: string[];
  [keyword: string]: z.core.util.JSONType;
}

/** One argument, as the model sees it. */
export interface PropertySchema {
  type?: string | string[];
  enum?: string[];
  minimum?: number;
  maximum?: number;
  description?: string;
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  [keyword: string]: z.core.util.JSONType;
}

type Schemas = Readonly<Record<string, z.ZodObject>>;

/** Of tools' arguments. That unknown ones are refused, with the nearest name, spends no words here. */
export function inputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  return convert(schemas, 'input');
}

/** Of tools' structured answers: known fields typed, everything else let through. */
export function outputSchemas(schemas: Schemas): Record<string, ObjectSchema> {
  const context = z.looseObject({});
  const answers = Object.entries(schemas).map(([tool, it]) => [tool, it.extend({ context })]);
  return convert(Object.fromEntries(answers), 'output');
}

/** All in one conversion: what they share is converted once, which halves the time of a start. */
function convert(schemas: Schemas, io: 'input' | 'output'): Record<string, ObjectSchema> {
  const { properties } = z.toJSONSchema(z.object(schemas), {
    io,
    override({ jsonSchema }) {
      tidy(jsonSchema);
      // Every answer has a context; that it holds what else it must goes without saying.
      if (io === 'output' && jsonSchema.required?.includes('context'))
        jsonSchema.required = ['context'];
      else if (io === 'output') delete jsonSchema.required;
    },
  });
  // It is plain JSON by now; the type of zod's JSON Schema does not say so.
  return JSON.parse(JSON.stringify(properties));
}

/** Takes out what says nothing, and keeps to the forms that all clients read. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.additionalProperties;
  delete schema.isUnsent;
  delete schema.isForm;
  if (Object.keys(schema.properties ?? {}).length === 0) delete schema.properties;
  // Every text and list is bounded; the bounds worth their words are those that a caller may meet.
  if ((schema.maxLength ?? Infinity) < 1000) delete schema.maxLength;
  delete schema.maxItems;
  // zod bounds every integer by what a double holds; a reader learns nothing from it.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // That a count or an id is not negative goes without saying, where nothing else is said of it.
  const isCount = schema.minimum === 0 || schema.minimum === 1;
  if (isCount && schema.maximum === undefined && !('default' in schema)) delete schema.minimum;
  const types = schema.anyOf?.flatMap(({ type }) => type ?? []);
  if (types === undefined) return;
  // A union of plain types as one list of types: `["integer", "null"]`.
  delete schema.anyOf;
  Object.assign(schema, { type: types });
}
