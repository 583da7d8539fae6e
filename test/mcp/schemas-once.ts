/** What clients hold answers against: each schema is compiled once for all clients of a worker. */
import type { JsonSchemaType, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator as NewAjv } from '@modelcontextprotocol/client/validators/ajv';
import { AjvJsonSchemaValidator as OldAjv } from '@modelcontextprotocol/sdk/validation/ajv';

const known = new Map<string, JsonSchemaType>();

/** The first schema that read like this one: the library keeps what it made of an object. */
function first(schema: JsonSchemaType): JsonSchemaType {
  const text = JSON.stringify(schema);
  const same = known.get(text) ?? schema;
  known.set(text, same);
  return same;
}

const newAjv = new NewAjv();
const oldAjv = new OldAjv();

/** For clients of the 2.x package, as an option of theirs. */
export const compilesOnce: { jsonSchemaValidator: jsonSchemaValidator } = {
  jsonSchemaValidator: { getValidator: (schema) => newAjv.getValidator(first(schema)) },
};

/** For clients of the 1.x SDK. */
export const compilesOnceOld = {
  jsonSchemaValidator: {
    getValidator: <T>(schema: JsonSchemaType) => oldAjv.getValidator<T>(first(schema)),
  },
};
