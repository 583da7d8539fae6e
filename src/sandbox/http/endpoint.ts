/** An endpoint as data: its route, its checks and its part of openapi.json come from one definition. */
import { z } from 'zod';
import type { Request, Shape } from './payload.ts';
import { badParameter } from './problem.ts';

interface Definition<Query extends z.ZodObject, Source> {
  /** As in openapi.json, such as `/api/order/{id}`. */
  path: string;
  summary: string;
  query?: Query;
  payload: Shape<Source>;
  /** Statuses besides the 400 of a query, the 404 of an id, and 401, 429 and 502. */
  problems?: readonly number[];
  /** `id` is the one in the path; 0, which nothing has, where it is no number. */
  answer(values: z.output<Query> & { id: number }, request: Request): Source;
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
export function endpoint<Query extends z.ZodObject, Source>(
  definition: Definition<Query, Source>,
): Endpoint {
  const { path, summary, payload, problems = [] } = definition;
  // Without a query, the type of its values is that of no values.
  const query = definition.query ?? (z.object({}) as unknown as Query);
  return {
    path,
    summary,
    query,
    payload: payload.schema,
    problems,
    answer(given, pathId = '', request) {
      const id = /^[1-9]\d{0,14}$/.test(pathId) ? Number(pathId) : 0;
      const source = definition.answer({ ...readParameters(query, given), id }, request);
      return payload.show(source, request);
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
