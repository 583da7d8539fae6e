/**
 * Endpoints as data: route, checks and description of parameters follow from one definition. Also the forms of their
 * answers.
 */
import { z } from 'zod';
import type { World } from '../world/world.ts';
import type { Caller } from './access.ts';
import { badParameter } from './problem.ts';

export interface Request {
  world: World;
  caller: Caller;
  /** The address of the API, for links into the back office. */
  url: string;
}

export interface Paging {
  start: number;
  limit: number;
}

export function euros(cents: number): number {
  return cents / 100;
}

/** A complete list (docs/platform.md#lists). */
export function list<Row>(data: readonly Row[]) {
  return { count: data.length, total: data.length, data };
}

export function page<Row>(data: readonly Row[], total: number, { start, limit }: Paging) {
  return { count: data.length, total, start, limit, data };
}

/** A page of all rows; `show` writes the rows of the page. */
export function showPage<Row>(all: readonly Row[], paging: Paging, show: (row: Row) => object) {
  const { start, limit } = paging;
  return page(all.slice(start, start + limit).map(show), all.length, paging);
}

/** A page of a change feed, and the next cursor (docs/platform.md#change-feeds). */
export function feed<Row>(data: readonly Row[], cursor: object, limit: number) {
  const next_cursor = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return { count: data.length, data, next_cursor, has_more: data.length === limit };
}

interface Definition<Query extends z.ZodObject> {
  /** As in openapi.json, such as `/api/order/{id}`. */
  path: string;
  query?: Query;
  /** `id` comes from the path; 0, which nothing has, for a text that is no id. */
  answer(values: z.output<Query> & { id: number }, request: Request): object;
}

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

export function endpoint<Query extends z.ZodObject>(definition: Definition<Query>): Endpoint {
  // An endpoint without a query reads no values, so their type does not matter.
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

/** Refuses a wrong parameter by name, and ignores undescribed ones. */
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
