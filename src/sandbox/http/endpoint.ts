/** An endpoint as data: its route, its checks and its part of openapi.json come from one definition. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Caller } from '../access/keyring.ts';
import type { World } from '../world/world.ts';
import type { Environment } from './problem.ts';

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

/** An endpoint that can be added to the API. */
export interface Endpoint {
  path: string;
  addTo(api: OpenAPIHono<Environment>, world: World, url: () => string): void;
}

const problem = z
  .object({
    type: z.string().describe('Identifier to branch on.'),
    title: z.string().describe('Status phrase.'),
    status: z.int().describe('HTTP status.'),
    detail: z.string().describe('What went wrong; names the parameter.'),
    trace_id: z.string().describe('Equals X-Request-Id.'),
    hint: z.string().optional().describe('On 401: how to go on.'),
  })
  .openapi('Problem');

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'Malformed or conflicting input',
  401: 'Token missing, invalid, expired or revoked',
  403: 'Capability or location binding missing',
  404: 'Missing, or out of scope',
  429: 'Request ceiling reached',
  502: 'Upstream error, safe to retry',
};

const pathId = z
  .preprocess((text) => (/^[1-9]\d{0,14}$/.test(String(text)) ? Number(text) : 0), z.int())
  .openapi({ type: 'integer', minimum: 1, param: { required: true } });

/** Defines a GET endpoint. */
export function endpoint<Query extends z.ZodObject, Payload extends z.ZodType>(
  definition: Definition<Query, Payload>,
): Endpoint {
  const { path, summary, query, payload, problems = [], answer } = definition;
  const params: z.ZodObject = z.object(path.includes('{id}') ? { id: pathId } : {});
  const statuses = [401, 429, ...problems];
  if (query !== undefined) statuses.push(400);
  if (path.includes('{id}')) statuses.push(404);
  // Every endpoint but this one can answer 502.
  if (path !== '/api/me') statuses.push(502);
  const failures = statuses.map((status) => {
    const content = { 'application/problem+json': { schema: problem } };
    return [status, { description: PROBLEMS[status] ?? '', content }] as const;
  });
  const success = { description: 'Success', content: { 'application/json': { schema: payload } } };
  const checks: z.ZodObject = query ?? z.object({});
  const route = createRoute({
    method: 'get',
    path,
    summary,
    request: { params, query: checks },
    responses: Object.fromEntries([[200, success], ...failures]),
  });
  return {
    path,
    addTo(api, world, url) {
      api.openapi(route, (c) => {
        const values = { ...c.req.valid('query'), ...c.req.valid('param') };
        const request = { world, caller: c.get('caller'), url: url() };
        // The checks are those of the definition; here their types are known no longer.
        const payload = answer(values as z.output<Query> & { id: number }, request);
        return c.body(JSON.stringify(payload), 200, { 'Content-Type': 'application/json' });
      });
    },
  };
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
