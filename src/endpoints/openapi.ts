import { z } from 'zod';
import { isRecord } from '../core/json.ts';
import { readOnce } from '../core/read-once.ts';
import { neutralise } from '../core/text.ts';

/**
 * Reads the platform's own description, {base_url}/openapi.json, for the parameters that the API
 * document leaves open. It is foreign input: whatever is odd in it is passed over, never trusted.
 */

/** A query parameter as the platform's description lists it. */
export interface ListedParameter {
  name: string;
  required: boolean;
  schema: { type?: string; enum?: string[]; minimum?: number; maximum?: number; default?: unknown };
  description?: string;
}

const maxParameters = 40;
/** Most paths that are looked at. */
const maxPaths = 2000;
/** Characters that all words of an enumeration may take: every client pays for them. */
const maxEnumeration = 600;
const parameterName = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;

/** Names of ours: what they mean is not for the platform to say. */
const ownNames: ReadonlySet<string> = new Set([
  ...['all', 'fields', 'period', 'sort', 'top', 'measures', 'sections', 'order_number', 'data'],
  ...['sql', 'max_calls', 'result_id', 'query', 'kinds', 'by', 'bucket', 'against', 'against_from'],
  ...['against_to', 'context'],
]);

const bound = z
  .number()
  .min(Number.MIN_SAFE_INTEGER)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .catch(undefined);

/** Shows as it is, without a character that acts or hides. */
function isPlain(text: string): boolean {
  return neutralise(text) === text && text.trim() === text;
}

const listedSchema = z.looseObject({
  type: z.string().optional().catch(undefined),
  enum: z
    .array(z.string().min(1).max(80).refine(isPlain))
    .min(1)
    .max(50)
    .refine((values) => new Set(values).size === values.length)
    .refine((values) => values.join('').length <= maxEnumeration)
    .optional()
    .catch(undefined),
  minimum: bound,
  maximum: bound,
  default: z
    .union([z.number(), z.boolean(), z.string().max(80)])
    .optional()
    .catch(undefined),
});

const listedParameter = z.looseObject({
  name: z
    .string()
    .regex(parameterName)
    .refine((name) => !ownNames.has(name)),
  in: z.literal('query'),
  required: z.boolean().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  schema: listedSchema.optional().catch(undefined),
});

/**
 * The query parameters that `openapi` lists for each path it knows, keyed by path with the names of
 * path parameters left out (`/api/order/{}`), so that `{id}` and `{orderId}` meet. Only those are read
 * that somebody wants.
 */
export function listedParameters(
  openapi: unknown,
  isWanted: (path: string, name: string) => boolean = () => true,
): Map<string, ListedParameter[]> {
  const listed = new Map<string, ListedParameter[]>();
  for (const [path, item] of entriesOf(at(openapi, 'paths')).slice(0, maxPaths)) {
    const operation = at(item, 'get');
    if (operation === undefined) continue;
    const key = pathKey(path);
    const parameters = [at(item, 'parameters'), at(operation, 'parameters')]
      .flatMap((list) => (Array.isArray(list) ? list.slice(0, maxParameters) : []))
      .map((entry) => resolveReference(entry, openapi))
      .filter((entry) => {
        const name = at(entry, 'name');
        return typeof name === 'string' && isWanted(key, name);
      })
      .flatMap(readParameter);
    listed.set(key, parameters);
  }
  return listed;
}

/** The path without the names of its parameters; `/api` is added where the document leaves it out. */
export function pathKey(path: string): string {
  const bare = path.replace(/\{[^}]*\}/g, '{}').replace(/\/$/, '');
  return bare.startsWith('/api/') ? bare : `/api${bare.startsWith('/') ? '' : '/'}${bare}`;
}

function readParameter(entry: unknown): ListedParameter[] {
  const read = listedParameter.safeParse(entry, readOnce);
  if (!read.success) return [];
  const { name, required = false, description, schema = {} } = read.data;
  const known: ListedParameter = { name, required, schema: compact(schema) };
  if (description) known.description = [...oneLine(description)].slice(0, 160).join('');
  return [known];
}

function compact(schema: z.infer<typeof listedSchema> | Record<string, never>) {
  const { type, enum: values, minimum, maximum } = schema;
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(schema.default !== undefined && { default: schema.default }),
  };
}

/** Follows one local reference, `#/components/parameters/Name`; others stay unread. */
function resolveReference(entry: unknown, openapi: unknown): unknown {
  const reference = at(entry, '$ref');
  if (typeof reference !== 'string') return entry;
  const name = /^#\/components\/parameters\/([^/]+)$/.exec(reference)?.[1];
  return name === undefined ? undefined : at(at(at(openapi, 'components'), 'parameters'), name);
}

function oneLine(text: string): string {
  return text
    .slice(0, 2000)
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u2800\s]+/gu, ' ')
    .trim();
}

function at(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
