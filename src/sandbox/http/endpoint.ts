/** An endpoint as data: its route, its checks and its part of openapi.json come from one definition. */
import { z } from 'zod';
import type { Caller } from '../access/keyring.ts';
import type { World } from '../world/world.ts';
import { badParameter } from './problem.ts';

/** What an endpoint answers from, besides its parameters. */
export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
}

interface Definition<Query extends z.ZodObject, Payload extends z.ZodType> {
  /** As in openapi.json, such as `/api/order/{id}`. */
  path: string;
  summary: string;
  query?: Query;
  payload: Payload;
  /** Statuses besides the 400 of a query, the 404 of an id, and 401, 429 and 502. */
  problems?: readonly number[];
  /** `id` is the one in the path; 0, which nothing has, where it is no number. */
  answer(values: z.output<Query> & { id: number }, request: Request): z.input<Payload>;
}

/** A GET endpoint that reads its own parameters. */
export interface Endpoint {
  path: string;
  summary: string;
  query: z.ZodObject;
  payload: z.ZodType;
  problems: readonly number[];
  /** @throws ProblemError 400 when a parameter cannot be read */
  answer(given: Record<string, string[]>, pathId: string | undefined, request: Request): unknown;
}

/** Defines a GET endpoint. */
export function endpoint<Query extends z.ZodObject, Payload extends z.ZodType>(
  definition: Definition<Query, Payload>,
): Endpoint {
  const { path, summary, payload, problems = [] } = definition;
  // Without a query, the type of its values is that of no values.
  const query = definition.query ?? (z.object({}) as unknown as Query);
  return {
    path,
    summary,
    query,
    payload,
    problems,
    answer(given, pathId = '', request) {
      const id = /^[1-9]\d{0,14}$/.test(pathId) ? Number(pathId) : 0;
      return definition.answer({ ...readParameters(query, given), id }, request);
    },
  };
}

/** A wrong parameter is refused by its name; those that are not described are ignored. */
function readParameters<Query extends z.ZodObject>(
  query: Query,
  given: Record<string, string[]>,
): z.output<Query> {
  const repeated = Object.keys(query.shape).find((name) => (given[name]?.length ?? 0) > 1);
  if (repeated !== undefined) throw badParameter(repeated, 'is given more than once.');
  const texts = Object.entries(given).map(([name, [text]]) => [name, text]);
  const result = query.safeParse(Object.fromEntries(texts));
  if (result.success) return result.data;
  const [{ path: [name, entry] = [], message } = {}] = result.error.issues;
  const [text] = given[String(name)] ?? [];
  if (text === undefined) throw badParameter(String(name), `is required, ${message}`);
  const wrong = entry === undefined ? text : text.split(',')[Number(entry)];
  throw badParameter(String(name), `"${wrong}" ${message}`);
}

/** A list that comes whole (docs/platform.md#lists). */
export function list<Row extends z.ZodType>(row: Row) {
  return z.object({
    count: z.int().describe('Rows in this answer.'),
    total: z.int().describe('Rows overall.'),
    data: z.array(row),
  });
}

/** One page of a list. */
export function page<Row extends z.ZodType>(row: Row) {
  return z.object({
    count: z.int().describe('Rows on this page.'),
    total: z.int().describe('Rows overall.'),
    start: z.int().describe('Rows skipped.'),
    limit: z.int().describe('Rows asked for.'),
    data: z.array(row),
  });
}

/** One page of a change feed (docs/platform.md#change-feeds). */
export function feed<Row extends z.ZodType>(row: Row) {
  return z.object({
    count: z.int().describe('Rows on this page.'),
    data: z.array(row),
    next_cursor: z.string().describe('Opaque: send it on the next call.'),
    has_more: z.boolean().describe('Whether this page was full.'),
  });
}

/** The value of a `list`. */
export function wholeList<Row>(data: Row[]) {
  return { count: data.length, total: data.length, data };
}

/** The value of a `page`, out of all rows. */
export function pageOf<Row, Shown>(
  rows: readonly Row[],
  { start, limit }: { start: number; limit: number },
  show: (row: Row) => Shown,
) {
  const data = rows.slice(start, start + limit).map(show);
  return { count: data.length, total: rows.length, start, limit, data };
}

/** Cents as decimal euros. */
export function euros(cents: number): number {
  return cents / 100;
}
