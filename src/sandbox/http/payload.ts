/** What endpoints answer with: a field is written once, with its schema and where its value is. */
import { z } from 'zod';
import type { Caller } from '../access/keyring.ts';
import { formatMoment } from '../world/business/calendar.ts';
import type { World } from '../world/world.ts';

/** What an endpoint answers from, besides its parameters. */
export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
}

/** A value in a payload: how openapi.json describes it, and how it is made from its source. */
export interface Shape<Source> {
  schema: z.ZodType;
  show(source: Source, request: Request): unknown;
}

type Getter<Source, Value> = (source: Source, request: Request) => Value;

function make<Value>(schema: z.ZodType, show: (value: Value) => unknown) {
  return <Source>(about: string, of: Getter<Source, Value>): Shape<Source> => ({
    schema: schema.describe(about),
    show: (source, request) => show(of(source, request)),
  });
}

/** A kind of field, by its schema; `show` makes what is sent of the sandbox's own value. */
function kind<Value>(schema: z.ZodType, show: (value: Value) => unknown = (value) => value) {
  return Object.assign(make(schema, show), {
    /** Null where there is no value. */
    orNull: make<Value | null | undefined>(schema.nullable(), (value) =>
      value === null || value === undefined ? null : show(value),
    ),
    /** Left out where there is no value. */
    optional: make<Value | undefined>(schema.optional(), (value) =>
      value === undefined ? undefined : show(value),
    ),
  });
}

export const integer = kind<number>(z.int());
export const number = kind<number>(z.number());
export const text = kind<string>(z.string());
export const flag = kind<boolean>(z.boolean());
export const day = kind<string>(z.iso.date());
export const numberOrText = kind<number | string>(z.union([z.string(), z.int()]));
/** Decimal euros, from whole cents. */
export const euros = kind<number>(z.number(), (cents) => cents / 100);
/** ISO 8601 with the Amsterdam offset, from epoch milliseconds. */
export const moment = kind<number>(z.iso.datetime({ offset: true }), formatMoment);

/** An object of named fields. */
export function record<Source>(fields: Readonly<Record<string, Shape<Source>>>): Shape<Source> {
  const entries = Object.entries(fields);
  return {
    schema: z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))),
    show: (source, request) =>
      Object.fromEntries(entries.map(([name, { show }]) => [name, show(source, request)])),
  };
}

/** An object within an object. */
export function part<Source, Inner>(
  { schema, show }: Shape<Inner>,
  of: Getter<Source, Inner>,
): Shape<Source> {
  return { schema, show: (source, request) => show(of(source, request), request) };
}

/** The same, null where there is none. */
export function partOrNull<Source, Inner>(
  { schema, show }: Shape<Inner>,
  of: Getter<Source, Inner | undefined>,
): Shape<Source> {
  return {
    schema: schema.nullable(),
    show(source, request) {
      const inner = of(source, request);
      return inner === undefined ? null : show(inner, request);
    },
  };
}

/** A list within an object. */
export function each<Source, Inner>(
  { schema, show }: Shape<Inner>,
  of: Getter<Source, readonly Inner[]>,
): Shape<Source> {
  return {
    schema: z.array(schema),
    show: (source, request) => of(source, request).map((inner) => show(inner, request)),
  };
}

/** A list that comes whole (docs/platform.md#lists). */
export function list<Row>(row: Shape<Row>): Shape<readonly Row[]> {
  return record<readonly Row[]>({
    count: integer('Rows in this answer.', (rows) => rows.length),
    total: integer('Rows overall.', (rows) => rows.length),
    data: each(row, (rows) => rows),
  });
}

/** One page of a list, and how many rows there are overall. */
export interface Page<Row> {
  rows: readonly Row[];
  total: number;
  start: number;
  limit: number;
}

/** A list that comes in pages. */
export function page<Row>(row: Shape<Row>): Shape<Page<Row>> {
  return record<Page<Row>>({
    count: integer('Rows on this page.', ({ rows }) => rows.length),
    total: integer('Rows overall.', ({ total }) => total),
    start: integer('Rows skipped.', ({ start }) => start),
    limit: integer('Rows asked for.', ({ limit }) => limit),
    data: each(row, ({ rows }) => rows),
  });
}

/** One page out of all rows. */
export function pageOf<Row>(
  all: readonly Row[],
  { start, limit }: { start: number; limit: number },
): Page<Row> {
  return { rows: all.slice(start, start + limit), total: all.length, start, limit };
}

/** One page of a change feed (docs/platform.md#change-feeds). */
export function feed<Row>(row: Shape<Row>) {
  return record<{ rows: readonly Row[]; cursor: object; hasMore: boolean }>({
    count: integer('Rows on this page.', ({ rows }) => rows.length),
    data: each(row, ({ rows }) => rows),
    next_cursor: text('Opaque: send it on the next call.', ({ cursor }) => writeCursor(cursor)),
    has_more: flag('Whether this page was full.', ({ hasMore }) => hasMore),
  });
}

function writeCursor(cursor: object): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
