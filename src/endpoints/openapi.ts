/**
 * The platform's own description, {base_url}/openapi.json: query parameters and columns that the API
 * document leaves open. It is foreign input: what is odd in it is passed over.
 */
import { z } from 'zod';
import type { FieldType, FieldTypes } from '../core/column-type.ts';
import { isRecord, ownValue } from '../core/json.ts';
import { cutText, neutralise, quote } from '../core/text.ts';

const maxPaths = 2000;
const maxParameters = 40;
const maxColumns = 200;
const maxDepth = 4;
/** Characters that all words of an enumeration may take: every client pays for them. */
const maxEnumeration = 600;

/** The path without the names of its parameters; `/api` is added where the document leaves it out. */
export function pathKey(path: string): string {
  const bare = path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');
  return bare.startsWith('/api/') ? bare : `/api${bare.startsWith('/') ? '' : '/'}${bare}`;
}

/** The parameters that are listed for each path, by {@link pathKey}, for {@link readParameters}. */
export function listedParameters(openapi: unknown): Map<string, unknown[]> {
  return new Map(
    operationsOf(openapi).map(({ key, item, operation }) => [
      key,
      [at(item, 'parameters'), at(operation, 'parameters')]
        .flatMap((list) => (Array.isArray(list) ? list.slice(0, maxParameters) : []))
        .map((entry) => resolved(entry, 'parameters', openapi)),
    ]),
  );
}

/** The columns of each answer, by {@link pathKey}: of a list those of its rows, else those of the object. */
export function responseColumns(openapi: unknown): Map<string, FieldTypes> {
  const described = operationsOf(openapi).map(({ key, operation }) => {
    const answer = at(operation, 'responses', '200', 'content', 'application/json', 'schema');
    return [key, columnsOf(rowSchema(answer, openapi), openapi)] as const;
  });
  return new Map(described.filter(([, columns]) => Object.keys(columns).length > 0));
}

function operationsOf(openapi: unknown) {
  const paths = at(openapi, 'paths');
  return Object.entries(isRecord(paths) ? paths : {})
    .slice(0, maxPaths)
    .map(([path, item]) => ({ key: pathKey(path), item, operation: at(item, 'get') }))
    .filter(({ operation }) => operation !== undefined);
}

const bound = z
  .number()
  .min(Number.MIN_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .catch(undefined);

/** Shows as it is, without a character that acts or hides. */
const word = z
  .string()
  .min(1)
  .max(80)
  .refine((text) => neutralise(text) === text && text.trim() === text);

const words = z
  .array(word)
  .min(1)
  .max(50)
  .refine((values) => new Set(values).size === values.length)
  .refine((values) => values.join('').length <= maxEnumeration);

const schema = z.object({
  type: z.string().optional().catch(undefined),
  enum: words.optional().catch(undefined),
  minimum: bound,
  maximum: bound,
  default: z.unknown().optional(),
});

const parameter = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/),
  in: z.literal('query'),
  required: z.boolean().catch(false),
  /** On one line, and short. */
  description: z
    .string()
    .transform((text) => quote(cutText(text, 2000).replaceAll(/[\p{C}\p{Z}\s]+/gu, ' '), 160))
    .catch(''),
  schema: schema.catch({}),
});

/** A query parameter as the platform's description lists it. */
export type ListedParameter = z.output<typeof parameter>;

/** The query parameters among them whose names are wanted: reading all of a platform's takes long. */
export function readParameters(
  listed: readonly unknown[],
  isWanted: (name: string) => boolean = () => true,
): ListedParameter[] {
  return listed.flatMap((entry) => {
    const name = at(entry, 'name');
    if (typeof name !== 'string' || !isWanted(name)) return [];
    // A few readings take less time than generating code for them.
    const read = parameter.safeParse(entry, { jitless: true });
    return read.success ? [read.data] : [];
  });
}

function rowSchema(schema: unknown, openapi: unknown): unknown {
  const answer = resolved(schema, 'schemas', openapi);
  const data = resolved(at(answer, 'properties', 'data'), 'schemas', openapi);
  const list = [answer, data].find((it) => at(it, 'type') === 'array');
  return list === undefined ? (data ?? answer) : resolved(at(list, 'items'), 'schemas', openapi);
}

/** In the order of the document. Properties are counted, for references can repeat one without end. */
function columnsOf(schema: unknown, openapi: unknown): FieldTypes {
  let seen = 0;
  const collect = (object: unknown, depth: number): FieldTypes => {
    const properties = at(object, 'properties');
    const found = Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
      seen += 1;
      const isRead = seen <= maxColumns && columnName.test(name) && name !== '__proto__';
      return [name, isRead ? typeOf(property, depth) : undefined] as const;
    });
    return Object.fromEntries(found.flatMap(([name, type]) => (type ? [[name, type]] : [])));
  };
  const typeOf = (schema: unknown, depth: number): FieldType | undefined => {
    const property = resolved(schema, 'schemas', openapi);
    const type = at(property, 'type');
    if (depth < maxDepth && type === 'array') {
      const item = typeOf(at(property, 'items'), depth + 1);
      return item && [item];
    }
    if (isRecord(at(property, 'properties')) && depth < maxDepth) {
      const fields = collect(property, depth + 1);
      return Object.keys(fields).length > 0 ? fields : undefined;
    }
    return columnTypes[`${type} ${at(property, 'format')}`] ?? columnTypes[`${type}`] ?? 'open';
  };
  return collect(schema, 0);
}

const columnName = /^[\p{L}_][\p{L}\p{N}_ -]{0,63}$/u;

const columnTypes: Readonly<Record<string, FieldType>> = {
  integer: 'integer',
  number: 'decimal',
  boolean: 'boolean',
  string: 'text',
  'string date': 'day',
  'string date-time': 'timestamp',
};

/** Follows one local reference, `#/components/schemas/Name`; others stay unread. */
function resolved(value: unknown, section: 'parameters' | 'schemas', openapi: unknown): unknown {
  const reference = at(value, '$ref');
  if (typeof reference !== 'string') return value;
  const [hash, components, kind, name, ...more] = reference.split('/');
  const isLocal = hash === '#' && components === 'components' && kind === section;
  if (!isLocal || name === undefined || more.length > 0) return undefined;
  return at(openapi, components, section, name);
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>((it, key) => (isRecord(it) ? ownValue(it, key) : undefined), value);
}
