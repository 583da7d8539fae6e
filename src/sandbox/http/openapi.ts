/** openapi.json, written from the endpoints: it cannot say anything else than what is served. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';

const PROBLEM = z.object({
  type: z.string().describe('Identifier to branch on.'),
  title: z.string().describe('Status phrase.'),
  status: z.int().describe('HTTP status.'),
  detail: z.string().describe('What went wrong; names the parameter.'),
  trace_id: z.string().describe('Equals X-Request-Id.'),
  hint: z.string().optional().describe('On 401: how to go on.'),
});

/** The OpenAPI 3.0 document of a sandbox at `url`. */
export function describeApi(endpoints: readonly Endpoint[], url: string) {
  return {
    openapi: '3.0.3',
    info: { title: 'Commerce Platform Public API (sandbox)', version: '1.0.0' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(endpoints.map((each) => [each.path, { get: operation(each) }])),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(PROBLEM) },
    },
  };
}

function operation({ path, summary, query, payload, problems }: Endpoint) {
  const hasId = path.includes('{id}');
  const hasQuery = Object.keys(query.shape).length > 0;
  const statuses = [401, 429, ...problems];
  if (hasQuery) statuses.push(400);
  if (hasId) statuses.push(404);
  // Every endpoint but this one can answer 502.
  if (path !== '/api/me') statuses.push(502);
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };
  const content = { 'application/json': { schema: schemaOf(payload) } };
  return {
    summary,
    parameters: [...(hasId ? [id] : []), ...parametersOf(query)],
    responses: {
      200: { description: 'Success', content },
      ...Object.fromEntries(statuses.map((status) => [status, failure(status)])),
    },
  };
}

function parametersOf(query: z.ZodObject) {
  const { properties = {}, required = [] } = schemaOf(query);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = Object(property);
    const isRequired = required.includes(name) && schema.default === undefined;
    return { name, in: 'query', required: isRequired, description, schema };
  });
}

function failure(status: number) {
  const schema = { $ref: '#/components/schemas/Problem' };
  const content = { 'application/problem+json': { schema } };
  return { description: STATUS_CODES[status], content };
}

function schemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    override({ jsonSchema }) {
      // What a format or a whole number implies anyway.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return described;
}
