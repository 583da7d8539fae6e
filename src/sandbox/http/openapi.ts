import { z } from 'zod';
import { isRecord } from '../../core/json.ts';
import { World } from '../world/world.ts';
import { ROLES } from './access.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * A small business on a fixed Monday, so that descriptions are cheap and equal on any date. Its first day has unpaid
 * orders, discounts and a shortage.
 */
const monday = Date.parse('2026-11-16T12:00:00Z');
const world = new World({ seed: 2, ordersPerDay: 90, days: 10 }, () => monday);
/** The caller sees everything, so that everything is described. */
const caller = { role: ROLES.owner, expiresMs: 0 };
const request = { world, caller, url: '' };

/**
 * The extent of openapi.json: everything, paths and parameters, or none (404). The API document promises only `bare`.
 */
export type Description = (typeof descriptions)[number];

export const descriptions = ['full', 'bare', 'none'] as const;

/** Paths by description, the same for all sandboxes of a process. */
const pathsByDescription = new Map<Description, object>();

export function describeApi(endpoints: readonly Endpoint[], url: string, description: Description) {
  const paths =
    pathsByDescription.get(description) ??
    Object.fromEntries(endpoints.map((each) => [each.path, { get: operation(each, description) }]));
  pathsByDescription.set(description, paths);
  return {
    openapi: '3.0.3',
    info: { title: 'Commerce Platform Public API (sandbox)', version: '1.0.0' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}

function operation(endpoint: Endpoint, description: Description) {
  const { path, query } = endpoint;
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } };
  const content = description === 'full' && {
    content: { 'application/json': { schema: formOf(samplesOf(endpoint)) } },
  };
  return {
    parameters: [...(path.includes('{id}') ? [id] : []), ...parametersOf(query)],
    responses: { 200: { description: 'Success', ...content } },
  };
}

function parametersOf(query: z.ZodObject) {
  const { properties = {}, required = [] } = z.toJSONSchema(query, {
    target: 'openapi-3.0',
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = Object(property);
    const isRequired = required.includes(name) && schema.default === undefined;
    return { name, in: 'query', required: isRequired, description, schema };
  });
}

function samplesOf({ path, answer }: Endpoint): unknown[] {
  const day = world.firstDay;
  const records: Record<string, readonly { id: number }[]> = {
    // Order numbers are texts in the webshop and numbers at tills; the twentieth customer is a company.
    order: world.orders(day).slice(0, 9),
    customer: world.customers().slice(19, 21),
    product: world.products.slice(0, 1),
    location: world.locations.slice(0, 1),
  };
  const subject = records[path.split('/')[2] ?? ''];
  const ids = path.includes('{id}') ? (subject?.map(({ id }) => String(id)) ?? []) : [undefined];
  const parameters = { from: [day], date: [day], since: [day] };
  return ids.map((id) => JSON.parse(JSON.stringify(answer(parameters, id, request))));
}

const integerNames = /(^|_)(id|count|quantity|stock|start|limit|expires_in)$/;

/** The JSON Schema of the values in one place. */
function formOf(values: readonly unknown[], name = ''): object {
  const filled = values.filter((value) => value !== null);
  const nullable = filled.length < values.length ? { nullable: true } : {};
  if (integerNames.test(name) && filled.every(Number.isInteger))
    return { type: 'integer', ...nullable };
  if (filled.length > 0 && filled.every(Array.isArray))
    return { type: 'array', items: formOf(filled.flat()), ...nullable };
  if (filled.length > 0 && filled.every(isRecord)) {
    const keys = [...new Set(filled.flatMap(Object.keys))];
    const valuesOf = (key: string) => filled.flatMap((each) => (key in each ? [each[key]] : []));
    const properties = Object.fromEntries(keys.map((key) => [key, formOf(valuesOf(key), key)]));
    const required = keys.filter((key) => filled.every((each) => key in each));
    return { type: 'object', properties, required, ...nullable };
  }
  const [type, ...others] = new Set(filled.map((value) => typeof value));
  if (type === undefined || others.length > 0) return nullable;
  const isAll = (form: RegExp) => filled.every((value) => form.test(String(value)));
  const isDay = isAll(/^\d{4}-\d\d-\d\d$/);
  const format = isDay ? 'date' : isAll(/^\d{4}-\d\d-\d\dT.*:\d\d$/) && 'date-time';
  return { type, ...(format && { format }), ...nullable };
}
