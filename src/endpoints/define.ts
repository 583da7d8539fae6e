import { z } from 'zod';
import type { FieldType, FieldTypes } from '../core/column-type.ts';
import { ownValue } from '../core/json.ts';
import type { Sentences } from '../core/text.ts';

/** The groups a caller can switch on and off (`COMMERCE_TOOLSETS`). */
export const toolsets = [
  'reports',
  'orders',
  'catalog',
  'customers',
  'reference',
  'analysis',
] as const;

export type Toolset = (typeof toolsets)[number];

/**
 * One endpoint of the platform, as data. The tool, its schema, its paging, its period words, its
 * row in the README and its drift check all follow from this definition.
 */
export interface Endpoint {
  /** Name of the tool, at most 40 characters. */
  readonly tool: string;
  readonly title: string;
  /** What a model reads: what it returns, when to use it, which trap to avoid. */
  readonly description: Sentences;
  /** Path as the API document writes it, such as `/api/order/{id}`. */
  readonly path: `/api/${string}`;
  readonly toolset: Exclude<Toolset, 'analysis'>;
  /** Arguments of the tool. Names are the platform's own, apart from `pathId`, `period`, `all` and `fields`. */
  readonly input: z.ZodObject;
  /** The documented fields of the answer; whatever else comes is let through. */
  readonly output: z.ZodObject;
  /** The argument that fills the `{id}` of the path. */
  readonly pathId?: string;
  /** An argument that takes a comma list of ids, so that one request serves many of them. */
  readonly batchArgument?: string;
  /** What a row is, in the plural, for sentences: `orders`. */
  readonly noun?: string;
  /** Reference ids that its answers hold: the lists that name them are read together with the request. */
  readonly namedIds?: readonly string[];
  /** Parts of the answer that a caller may ask for apart, by the platform's own names. */
  readonly sections?: readonly string[];
  /** Values that the document names of arguments whose full set it leaves open. */
  readonly knownValues?: Readonly<Record<string, readonly string[]>>;
  /** What may be served from the cache. */
  readonly cache?: 'reference' | 'closed_days';
  /** docs/platform.md#capabilities: what a 403 is most likely about, by name and as a sentence says it. */
  readonly capabilities?: { readonly names: readonly string[]; readonly sentence: string };
  /** Days may be left out: only where the platform's own description lists them so. */
  readonly daysAreOptional?: boolean;
  /** Its parameters come from openapi.json (docs/platform.md#what-is-not-documented). */
  readonly hasOpenParameters?: boolean;
  /** Each row or record is of one customer, so that a plain `name` in it may be theirs. */
  readonly isOfCustomer?: boolean;
}

/** Declares an endpoint. The type keeps the literal names, so that a misspelt key does not compile. */
export function defineEndpoint<const Definition extends Endpoint>(
  definition: Definition,
): Definition {
  return definition;
}

/** The endpoint as users and the platform's document name it: `GET /api/order`. */
export function endpointName(endpoint: Pick<Endpoint, 'path'>): string {
  return `GET ${endpoint.path}`;
}

/** Whether the endpoint reads offset pages (`start`, `limit`). */
export function isPaged({ input }: Pick<Endpoint, 'input'>): boolean {
  return 'start' in input.shape;
}

/** Whether the endpoint is a change feed followed by cursor. */
export function isChangeFeed({ input }: Pick<Endpoint, 'input'>): boolean {
  return 'cursor' in input.shape;
}

/** Whether the answer is rows under `data`, rather than one object. */
export function givesRows({ output }: Pick<Endpoint, 'output'>): boolean {
  return 'data' in output.shape;
}

/** The largest page that the endpoint's own bounds allow (docs/platform.md#page-sizes). */
export function largestPage({ input }: Pick<Endpoint, 'input'>): number {
  const accepts = (limit: number) => input.shape.limit?.safeParse(limit).success === true;
  return [1000, 500, 250, 200, 100, 50, 25, 10].find(accepts) ?? 1;
}

// For the `meta` of an argument's schema: without any of these it is sent, and an argument of the tool's table.

/** Never sent. */
export const unsent = { isUnsent: true };

/** About the pages of a list, with its default: a table is always whole. */
export const paged = (defaultLimit: number) => ({ isOutputOnly: true, default: defaultLimit });

/** About the form of an answer, which SQL decides for a table; never sent. */
export const outputOnly = { isUnsent: true, isOutputOnly: true };

/** Whether an argument is for this server alone and never sent. */
export function isServerArgument({ input }: Pick<Endpoint, 'input'>, name: string): boolean {
  return metaOf(input, name)?.isUnsent === true;
}

/** Whether an argument decides how much of an answer is shown, and how, which no table takes. */
export function isOutputArgument({ input }: Pick<Endpoint, 'input'>, name: string): boolean {
  return metaOf(input, name)?.isOutputOnly === true;
}

/** A name of the platform's may be one of JavaScript's own, such as `constructor`. */
function metaOf({ shape }: Endpoint['input'], name: string) {
  const schema = ownValue(shape, name);
  return schema && z.globalRegistry.get(schema);
}

// The documented fields (docs/platform.md). Everything is optional and may be null, and unknown fields
// pass: an answer is never lost because the platform said more, less or nothing about a field. Answers
// are held against these schemas and passed on as they came: of a row only the known fields are looked at.

/** Beyond 2^53 the text of its digits (`parseJsonExactly`). */
export const integer = z.union([z.int(), z.string().regex(/^-?\d{16,}$/)]).nullish();
export const text = z.string().nullish();
/** Decimal euros or quantities: a JSON number, or text where the platform keeps the digits. */
export const decimal = z.union([z.number(), z.string()]).nullish();

/** A number for people, such as an order's: text, whatever form it comes in. */
export const code = z.union([z.string(), z.number()]).nullish();
/** ISO 8601. */
export const timestamp = z.string().nullish();
/** YYYY-MM-DD. */
export const day = z.string().nullish();

const documented = new Map<unknown, FieldType>([
  [integer, 'integer'],
  [text, 'text'],
  [decimal, 'decimal'],
  [code, 'text'],
  [timestamp, 'timestamp'],
  [day, 'day'],
]);

/** The fields that an answer's schema names, of a list those of its rows. */
export function documentedColumns({ shape }: z.ZodObject): FieldTypes {
  const { data } = shape;
  const row = data instanceof z.ZodArray && data.element instanceof z.ZodObject && data.element;
  const fields = Object.entries((row || { shape }).shape);
  return Object.fromEntries(fields.map(([name, it]) => [name, documented.get(it) ?? 'open']));
}

type Fields = Record<string, z.ZodType>;

/** One object of known fields. */
export function fieldsOf(known: Fields) {
  return z.looseObject(known);
}

/** A list: its rows, with `count`, `total` and where it is paged `start` and `limit` let through (docs/platform.md#lists). */
export function listOf(row: Fields) {
  return z.looseObject({ data: z.array(z.object(row)) });
}

/** docs/platform.md#change-feeds. */
export function changesOf(row: Fields) {
  return z.looseObject({
    data: z.array(z.object(row)),
    next_cursor: text,
    has_more: z.boolean().nullish(),
  });
}
