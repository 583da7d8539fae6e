/**
 * An endpoint as data: where it is, what it takes, what it answers; openapi.json is written from
 * it.
 */

import type { Caller } from '../access/keyring.ts';
import { type Parameters, readParameters, type ValuesOf } from '../wire/parameter.ts';
import type { World } from '../world/world.ts';
import type { PayloadName } from './payloads.ts';

/** What a route gets besides its parameters. */
export interface Request {
  query: URLSearchParams;
  /** The id in the path; 0 when there is none or it is no number, which no resource has. */
  id: number;
  caller: Caller;
  world: World;
  /** For links into the back office. */
  baseUrl: string;
}

/** A GET endpoint under /api. */
export interface Route {
  /** As in openapi.json, such as `/api/order/{id}`. */
  path: string;
  summary: string;
  parameters: Parameters;
  payload: PayloadName;
  /** Statuses besides 200, 401, 429 and 502. */
  otherStatuses: readonly number[];
  answer(request: Request): unknown;
}

interface RouteDefinition<P extends Parameters> extends Omit<Route, 'answer' | 'parameters'> {
  parameters: P;
  answer(values: ValuesOf<P>, request: Request): unknown;
}

/** Defines a route whose answer gets its parameters read and typed. */
export function defineRoute<P extends Parameters>(definition: RouteDefinition<P>): Route {
  const { parameters, answer, ...rest } = definition;
  return {
    ...rest,
    parameters,
    answer: (request) => answer(readParameters(parameters, request.query), request),
  };
}
