/**
 * openapi.json, written from the routes and payloads: it cannot say anything else than what is
 * served.
 */

import type { Parameters } from '../wire/parameter.ts';
import { integer, object, string } from './payloads/schema.ts';
import { PAYLOADS } from './payloads.ts';
import type { Route } from './route.ts';

const PROBLEM = object(
  {
    type: string('Identifier to branch on.'),
    title: string('Status phrase.'),
    status: integer('HTTP status.'),
    detail: string('What went wrong; names the parameter.'),
    trace_id: string('Equals X-Request-Id.'),
    hint: string('On 401: how to go on.'),
  },
  ['hint'],
);

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'Malformed or conflicting input',
  401: 'Token missing, invalid, expired or revoked',
  403: 'Capability or location binding missing',
  404: 'Missing, or out of scope',
  429: 'Request ceiling reached',
  502: 'Upstream error, safe to retry',
};

/** The OpenAPI 3.0 document of a sandbox at `baseUrl`. */
export function describeApi(routes: readonly Route[], baseUrl: string) {
  return {
    openapi: '3.0.3',
    info: { title: 'Commerce Platform Public API (sandbox)', version: '1.0.0' },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(routes.map((route) => [route.path, { get: operation(route) }])),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...PAYLOADS, Problem: PROBLEM },
    },
  };
}

function operation({ path, summary, parameters, payload, otherStatuses }: Route) {
  // Section 4: every endpoint but /api/me can answer 502.
  const failures = [...otherStatuses, 401, 429, ...(path === '/api/me' ? [] : [502])];
  return {
    summary,
    parameters: [...pathParameters(path), ...queryParameters(parameters)],
    responses: {
      200: {
        description: 'Success',
        content: { 'application/json': { schema: reference(payload) } },
      },
      ...Object.fromEntries(failures.sort((a, b) => a - b).map((code) => [code, failure(code)])),
    },
  };
}

function pathParameters(path: string) {
  if (!path.includes('{id}')) return [];
  return [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }];
}

function queryParameters(parameters: Parameters) {
  return Object.entries(parameters).map(([name, { description, isRequired, schema }]) => ({
    name,
    in: 'query',
    required: isRequired,
    description,
    schema,
  }));
}

function failure(status: number) {
  return {
    description: STATUS_TEXTS[status],
    content: { 'application/problem+json': { schema: reference('Problem') } },
  };
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
