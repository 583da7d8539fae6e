import { z } from 'zod';
import { type Endpoint, givesRows, isPaged } from './define.ts';
import { type ListedParameter, listedParameters, pathKey } from './openapi.ts';
import { isOurs } from './own-parameters.ts';
import {
  date,
  groupRef,
  locationRef,
  paging,
  range,
  segmentRef,
  shopRef,
  words,
} from './parameters.ts';

/** Most parameters that a tool is given. */
const maxAdded = 40;

/** Most that all tools together are given: a document that has more to say is not believed. */
const maxAddedInAll = 200;

/**
 * The endpoints with the query parameters that the platform lists and the catalogue lacks. A list
 * that turns out to have `start` and `limit` becomes a paged one and takes `all`. Endpoints without
 * news are returned as they are, the same objects.
 */
export function completeEndpoints(
  endpoints: readonly Endpoint[],
  openapi: unknown,
): readonly Endpoint[] {
  const missing = missingParameters(endpoints, openapi);
  return endpoints.map((endpoint, index) => completeEndpoint(endpoint, missing[index] ?? []));
}

/** The endpoint as a paged list, for one whose answers show that it is (`start` and `limit` echoed). */
export function asPaged(endpoint: Endpoint, maxLimit = 100): Endpoint {
  if (isPaged(endpoint)) return endpoint;
  const max = usableLimit(maxLimit) ?? 100;
  return { ...endpoint, input: endpoint.input.extend(paging(Math.min(100, max), max)) };
}

/** Whether the document would add more parameters than anybody wants to read in every list of tools. */
export function addsTooMuch(endpoints: readonly Endpoint[], openapi: unknown): boolean {
  return missingParameters(endpoints, openapi).flat().length > maxAddedInAll;
}

/** For each endpoint the parameters that are listed and that it lacks. */
function missingParameters(endpoints: readonly Endpoint[], openapi: unknown): ListedParameter[][] {
  const keyed = endpoints.map((endpoint) => ({ endpoint, key: pathKey(endpoint.path) }));
  const known = new Set(keyed.map(({ key }) => key));
  const listed = listedParameters(
    openapi,
    (path, name) =>
      known.has(path) && keyed.some(({ endpoint, key }) => key === path && lacks(endpoint, name)),
  );
  return keyed.map(({ endpoint, key }) =>
    (listed.get(key) ?? []).filter(({ name }) => lacks(endpoint, name)).slice(0, maxAdded),
  );
}

function lacks(endpoint: Endpoint, name: string): boolean {
  return !(name in endpoint.input.shape) || (name === 'limit' && isOurs(endpoint, name));
}

function completeEndpoint(endpoint: Endpoint, missing: readonly ListedParameter[]): Endpoint {
  if (missing.length === 0) return endpoint;
  const names = new Set(missing.map(({ name }) => name));
  const pages = names.has('start') && names.has('limit') && givesRows(endpoint);
  const additions: Record<string, z.ZodType> = {};
  for (const parameter of missing) {
    if (pages && (parameter.name === 'start' || parameter.name === 'limit')) continue;
    Object.assign(additions, knownMeaning(parameter.name) ?? asArgument(parameter));
  }
  const daysAreOptional = missing.some(({ name, required }) => name === 'from' && !required);
  const extended = {
    ...endpoint,
    input: endpoint.input.extend(additions),
    ...(daysAreOptional && { daysAreOptional }),
  };
  if (!pages) return extended;
  const limit = missing.find(({ name }) => name === 'limit')?.schema;
  const max = usableLimit(limit?.maximum) ?? 100;
  const standard = Math.min(usableLimit(limit?.default) ?? 100, max);
  return { ...extended, input: extended.input.extend(paging(standard, max)) };
}

/** A page size as the platform gives it, where a page of that size can be asked for. */
function usableLimit(limit: unknown): number | undefined {
  return Number.isSafeInteger(limit) && Number(limit) >= 1 ? Number(limit) : undefined;
}

/** Parameters whose names mean the same everywhere take the catalogue's own descriptions. */
function knownMeaning(name: string): Record<string, z.ZodType> | undefined {
  switch (name) {
    case 'from':
    case 'to':
      return range;
    case 'date':
      return { date: date.optional() };
    case 'shop_id':
      return { shop_id: shopRef.optional() };
    case 'location_id':
      return { location_id: locationRef.optional() };
    case 'segment_id':
      return { segment_id: segmentRef.optional() };
    case 'product_group_id':
      return { product_group_id: groupRef.optional() };
    default:
      return undefined;
  }
}

function asArgument(parameter: ListedParameter): Record<string, z.ZodType> {
  const { name, required, schema } = parameter;
  const type = bounded(schema);
  const described = parameter.description ? type.describe(parameter.description) : type;
  return { [name]: required ? described : described.optional() };
}

function bounded({ type, enum: values, minimum, maximum }: ListedParameter['schema']): z.ZodType {
  if (type === 'boolean') return z.boolean();
  if (type === 'integer' || type === 'number') {
    let number = type === 'integer' ? z.int() : z.number();
    const isRange = minimum === undefined || maximum === undefined || minimum <= maximum;
    if (!isRange) return number;
    if (minimum !== undefined) number = number.min(minimum);
    if (maximum !== undefined) number = number.max(maximum);
    return number;
  }
  return values ? z.enum(values) : words;
}
