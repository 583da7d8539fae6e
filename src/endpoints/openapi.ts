/**
 * Reads {base_url}/openapi.json for the query parameters and columns that the API document leaves open. It is foreign
 * input: odd entries are skipped.
 */
import { z } from 'zod';
import type { FieldType, FieldTypes } from '../core/column-type.ts';
import { isRecord, ownValue } from '../core/json.ts';
import { cutText, neutralise, quote } from '../core/text.ts';

const maxPaths = 2000;
const maxParameters = 40;
const maxColumns = 200;
const maxDepth = 4;
/** Characters of all words of an enumeration together: every client reads them. */
const maxEnumeration = 600;

/** The path without the names of its parameters, and always with `/api`. */
export function pathKey(path: string): string {
  const bare = path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');
  return bare.startsWith('/api/') ? bare : `/api${bare.startsWith('/') ? '' : '/'}${bare}`;
}

/** Unread parameters by {@link pathKey}, for {@link readParameters}. */
export function listedParameters(openapi: unknown): Map<string, unknown[]> {
  return new Map(
    operationsOf(openapi).map(({ key, item, operation }) => [
      key,
      [get(item, 'parameters'), get(operation, 'parameters')]
        .flatMap((list) => (Array.isArray(list) ? list.slice(0, maxParameters) : []))
        .map((entry) => resolve(entry, 'parameters', openapi)),
    ]),
  );
}

/** The columns of each answer by {@link pathKey}; for a list those of its rows. */
export function responseColumns(openapi: unknown): Map<string, FieldTypes> {
  const described = operationsOf(openapi).map(({ key, operation }) => {
    const answer = get(operation, 'responses', '200', 'content', 'application/json', 'schema');
    return [key, columnsOf(rowSchema(answer, openapi), openapi)] as const;
  });
  return new Map(described.filter(([, columns]) => Object.keys(columns).length > 0));
}

function operationsOf(openapi: unknown) {
  const paths = get(openapi, 'paths');
  return Object.entries(isRecord(paths) ? paths : {})
    .slice(0, maxPaths)
    .map(([path, item]) => ({ key: pathKey(path), item, operation: get(item, 'get') }))
    .filter(({ operation }) => operation !== undefined);
}

const bound = z
  .number()
  .min(Number.MIN_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .catch(undefined);

/** Without control or invisible characters. */
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

export type ListedParameter = z.output<typeof parameter>;

/** Only wanted names are read, since reading all would take long. */
export function readParameters(
  listed: readonly unknown[],
  isWanted: (name: string) => boolean = () => true,
): ListedParameter[] {
  return listed.flatMap((entry) => {
    const name = get(entry, 'name');
    if (typeof name !== 'string' || !isWanted(name)) return [];
    // Generated code would pay only for many readings.
    const read = parameter.safeParse(entry, { jitless: true });
    return read.success ? [read.data] : [];
  });
}

function rowSchema(schema: unknown, openapi: unknown): unknown {
  const answer = resolve(schema, 'schemas', openapi);
  const data = resolve(get(answer, 'properties', 'data'), 'schemas', openapi);
  const list = [answer, data].find((schema) => get(schema, 'type') === 'array');
  return list === undefined ? (data ?? answer) : resolve(get(list, 'items'), 'schemas', openapi);
}

/** Properties are counted because references can repeat one without end. */
function columnsOf(schema: unknown, openapi: unknown): FieldTypes {
  let seen = 0;
  const collect = (object: unknown, depth: number): FieldTypes => {
    const properties = get(object, 'properties');
    const types = Object.entries(isRecord(properties) ? properties : {}).map(([name, property]) => {
      seen += 1;
      const isRead = seen <= maxColumns && columnName.test(name) && name !== '__proto__';
      return [name, isRead ? typeOf(property, depth) : undefined] as const;
    });
    return Object.fromEntries(types.flatMap(([name, type]) => (type ? [[name, type]] : [])));
  };
  const typeOf = (schema: unknown, depth: number): FieldType | undefined => {
    const property = resolve(schema, 'schemas', openapi);
    const type = get(property, 'type');
    if (depth < maxDepth && type === 'array') {
      const item = typeOf(get(property, 'items'), depth + 1);
      return item && [item];
    }
    if (isRecord(get(property, 'properties')) && depth < maxDepth) {
      const fields = collect(property, depth + 1);
      return Object.keys(fields).length > 0 ? fields : undefined;
    }
    return columnTypes[`${type} ${get(property, 'format')}`] ?? columnTypes[`${type}`] ?? 'open';
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

/** Follows one local reference, `#/components/schemas/Name`; others give undefined. */
function resolve(value: unknown, section: 'parameters' | 'schemas', openapi: unknown): unknown {
  const reference = get(value, '$ref');
  if (typeof reference !== 'string') return value;
  const [hash, components, kind, name, ...deeper] = reference.split('/');
  const isLocal = hash === '#' && components === 'components' && kind === section;
  if (!isLocal || name === undefined || deeper.length > 0) return undefined;
  return get(openapi, components, section, name);
}

function get(value: unknown, ...keys: string[]): unknown {
  return keys.reduce((inner, key) => (isRecord(inner) ? ownValue(inner, key) : undefined), value);
}
