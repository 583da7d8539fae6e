/**
 * An endpoint as data: its route, its checks and its parameters in openapi.json come from one definition. And the forms
 * that answers share.
 */
import { z } from 'zod';
import type { World } from '../world/world.ts';
import type { Caller } from './access.ts';
import { badParameter } from './problem.ts';

/** The world and the caller that an endpoint answers from. */
export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
}

/** The place of a page in a list. */
export interface Paging {
  start: number;
  limit: number;
}

/** Decimal euros, from whole cents. */
export function euros(cents: number): number {
  return cents / 100;
}

/** A list that comes whole (docs/platform.md#lists). */
export function list<Row>(data: readonly Row[]) {
  return { count: data.length, total: data.length, data };
}

/** One page of a list that has `total` rows overall. */
export function page<Row>(data: readonly Row[], total: number, { start, limit }: Paging) {
  return { count: data.length, total, start, limit, data };
}

/** One page out of all rows; `show` writes those that are on it. */
export function showPage<Row>(all: readonly Row[], paging: Paging, show: (row: Row) => object) {
  const { start, limit } = paging;
  return page(all.slice(start, start + limit).map(show), all.length, paging);
}

/** One page of a change feed, and the cursor to go on from (docs/platform.md#change-feeds). */
export function feed<Row>(data: readonly Row[], cursor: object, limit: number) {
  const next_cursor = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return { count: data.length, data, next_cursor, has_more: data.length === limit };
}

interface Definition<Query extends z.ZodObject> {
  /** As in openapi.json, such as `/api/order/{id}`. */
  path: string;
  query?: Query;
  /** `id` is the one in the path; 0, which nothing has, where it is no number. */
  answer(values: z.output<Query> & { id: number }, request: Request): object;
}

/** A GET endpoint that reads its own parameters. */
export interface Endpoint {
  path: string;
  query: z.ZodObject;
  /** @throws ProblemError 400 when a parameter cannot be read */
  answer(
    parameters: Record<string, string[]>,
    pathId: string | undefined,
    request: Request,
  ): object;
}

/** Defines a GET endpoint. */
export function endpoint<Query extends z.ZodObject>(definition: Definition<Query>): Endpoint {
  // Without a query, the type of its values is that of no values.
  const { path, query = z.object({}) as unknown as Query } = definition;
  return {
    path,
    query,
    answer(parameters, pathId = '', request) {
      const id = /^[1-9]\d{0,14}$/.test(pathId) ? Number(pathId) : 0;
      return definition.answer({ ...readParameters(query, parameters), id }, request);
    },
  };
}

/** A wrong parameter is refused by its name; those that are not described are ignored. */
function readParameters<Query extends z.ZodObject>(
  query: Query,
  parameters: Record<string, string[]>,
): z.output<Query> {
  const repeated = Object.keys(query.shape).find((name) => (parameters[name]?.length ?? 0) > 1);
  if (repeated !== undefined) throw badParameter(repeated, 'is given more than once.');
  const texts = Object.entries(parameters).map(([name, [text]]) => [name, text]);
  const result = query.safeParse(Object.fromEntries(texts));
  if (result.success) return result.data;
  const [{ path: [name] = [], message } = {}] = result.error.issues;
  const [text] = parameters[String(name)] ?? [];
  if (text === undefined) throw badParameter(String(name), `is required, ${message}`);
  throw badParameter(String(name), `"${text}" ${message}`);
}
