import { z } from 'zod';
import type { FieldType, FieldTypes } from '../core/column-type.ts';
import { ownValue } from '../core/json.ts';
import type { Sentences } from '../core/text.ts';

/** The values of `COMMERCE_TOOLSETS`. */
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
 * One endpoint of the platform. The tool, its schema, its paging, its period words, its row in the README and its drift
 * check all follow from this definition.
 */
export interface Endpoint {
  /** Name of the tool, at most 40 characters. */
  readonly tool: string;
  readonly title: string;
  /** Tells a model what the endpoint returns, when to use it and which trap to avoid. */
  readonly description: Sentences;
  /** Path as the API document writes it, such as `/api/order/{id}`. */
  readonly path: `/api/${string}`;
  readonly toolset: Exclude<Toolset, 'analysis'>;
  /** Arguments of the tool, by the platform's own names, apart from `pathId`, `period`, `all` and `fields`. */
  readonly input: z.ZodObject;
  /** The documented fields of the answer; others are let through. */
  readonly output: z.ZodObject;
  /** The argument that fills the `{id}` of the path. */
  readonly pathId?: string;
  /** The argument that takes a comma list of ids, so that one request serves many of them. */
  readonly batchArgument?: string;
  /** The plural noun for its rows: `orders`. */
  readonly noun?: string;
  /** Reference ids in its answers: the lists that name them are read together with the request. */
  readonly namedIds?: readonly string[];
  /** Parts of the answer that a caller may ask for alone. */
  readonly sections?: readonly string[];
  /** Documented values of arguments that may take others too. */
  readonly knownValues?: Readonly<Record<string, readonly string[]>>;
  readonly cache?: 'reference' | 'closed_days';
  /** The capabilities that a 403 is most likely about (docs/platform.md#capabilities). */
  readonly capabilities?: { readonly names: readonly string[]; readonly sentence: string };
  /** The platform's own description says that days may be left out. */
  readonly daysAreOptional?: boolean;
  /** Its parameters come from openapi.json (docs/platform.md#what-is-not-documented). */
  readonly hasOpenParameters?: boolean;
  /** Each row or record is of one customer, so that a plain `name` in it may be theirs. */
  readonly isOfCustomer?: boolean;
}

/** Keeps the literal types, so that a misspelt key does not compile. */
export function defineEndpoint<const Definition extends Endpoint>(
  definition: Definition,
): Definition {
  return definition;
}

/** `GET /api/order`. */
export function endpointName(endpoint: Pick<Endpoint, 'path'>): string {
  return `GET ${endpoint.path}`;
}

/** Whether its list is read by offset (`start`, `limit`). */
export function isPaged({ input }: Pick<Endpoint, 'input'>): boolean {
  return 'start' in input.shape;
}

export function isChangeFeed({ input }: Pick<Endpoint, 'input'>): boolean {
  return 'cursor' in input.shape;
}

/** Whether the answer is rows under `data`, rather than one object. */
export function givesRows({ output }: Pick<Endpoint, 'output'>): boolean {
  return 'data' in output.shape;
}

/** Whether the answer is one report of figures. */
export function isReport(tool: Pick<Endpoint, 'output'> & { toolset: Toolset }): boolean {
  return tool.toolset === 'reports' && !givesRows(tool);
}

/** docs/platform.md#page-sizes. */
export function largestPage({ input }: Pick<Endpoint, 'input'>): number {
  const accepts = (limit: number) => input.shape.limit?.safeParse(limit).success === true;
  return [1000, 500, 250, 200, 100, 50, 25, 10].find(accepts) ?? 1;
}

// `meta` of an argument's schema. An argument without it is sent, and the tool's table takes it too.

/** Never sent to the platform. */
export const unsent = { isUnsent: true };

/** About pages: the tool's table, which is always complete, does not take it. */
export const paged = (defaultLimit: number) => ({ isOutputOnly: true, default: defaultLimit });

/** About the form of an answer: never sent, and no argument of the tool's table. */
export const outputOnly = { isUnsent: true, isOutputOnly: true };

export function isServerArgument({ input }: Pick<Endpoint, 'input'>, name: string): boolean {
  return metaOf(input, name)?.isUnsent === true;
}

export function isOutputArgument({ input }: Pick<Endpoint, 'input'>, name: string): boolean {
  return metaOf(input, name)?.isOutputOnly === true;
}

/** Own properties alone, since the platform may call an argument `constructor`. */
function metaOf({ shape }: Endpoint['input'], name: string) {
  const schema = ownValue(shape, name);
  return schema && z.globalRegistry.get(schema);
}

// Types of documented fields (docs/platform.md). Every field may be missing or null and unknown fields pass, so that
// no answer is lost. Answers are checked against these schemas and passed on unchanged.

/** A text of digits beyond 2^53 (`parseJsonExactly`). */
export const integer = z.union([z.int(), z.string().regex(/^-?\d{16,}$/)]).nullish();
export const text = z.string().nullish();
/** Decimal euros or quantities, as a number or a text. */
export const decimal = z.union([z.number(), z.string()]).nullish();

/** A number for people, such as that of an order; text, even where a number came. */
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

/** The fields in an answer's schema; for a list those of its rows. */
export function documentedColumns({ shape }: z.ZodObject): FieldTypes {
  const { data } = shape;
  const row = data instanceof z.ZodArray && data.element instanceof z.ZodObject && data.element;
  const fields = Object.entries((row || { shape }).shape);
  return Object.fromEntries(fields.map(([name, type]) => [name, documented.get(type) ?? 'open']));
}

type Fields = Record<string, z.ZodType>;

/** The answer is one object with these fields and others. */
export function fieldsOf(fields: Fields) {
  return z.looseObject(fields);
}

/** The answer is a list of rows (docs/platform.md#lists). */
export function listOf(row: Fields) {
  return z.looseObject({ data: z.array(z.object(row)) });
}

/** The answer is a page of a change feed (docs/platform.md#change-feeds). */
export function changesOf(row: Fields) {
  return z.looseObject({
    data: z.array(z.object(row)),
    next_cursor: text,
    has_more: z.boolean().nullish(),
  });
}
