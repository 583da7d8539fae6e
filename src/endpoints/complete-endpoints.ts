import { z } from 'zod';
import { type Endpoint, givesRows, isServerArgument } from './define.ts';
import { type ListedParameter, listedParameters, pathKey, readParameters } from './openapi.ts';
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

/** Bounds for one tool and for all together: every client reads each parameter. */
const maxAdded = 40;
const maxAddedInAll = 200;

/** Arguments of the analysis tools and fields of answers: parameters of the platform with these names are not added. */
const reservedNames =
  'data context measures by bucket against against_from against_to sql max_calls result_id query kinds';

/**
 * Adds the query parameters that openapi.json lists and the catalogue lacks. A list for which it lists `start` and
 * `limit` becomes a paged one and takes `all`. Endpoints without additions stay the same objects.
 */
export function completeEndpoints(
  endpoints: readonly Endpoint[],
  openapi: unknown,
): readonly Endpoint[] {
  const listed = listedParameters(openapi);
  const taken = new Set(reservedNames.split(' '));
  for (const endpoint of endpoints)
    for (const name of Object.keys(endpoint.input.shape))
      if (isServerArgument(endpoint, name)) taken.add(name);
  // `limit` of a whole list is ours; the platform may turn out to page it.
  taken.delete('limit');
  const missing = endpoints.map((endpoint) => {
    const parameters = listed.get(pathKey(endpoint.path)) ?? [];
    const isMissing = (name: string) =>
      !taken.has(name) && (!(name in endpoint.input.shape) || isServerArgument(endpoint, name));
    return readParameters(parameters, isMissing).slice(0, maxAdded);
  });
  if (missing.flat().length > maxAddedInAll) return endpoints;
  return endpoints.map((endpoint, index) => complete(endpoint, missing[index] ?? []));
}

function complete(endpoint: Endpoint, missing: readonly ListedParameter[]): Endpoint {
  if (missing.length === 0) return endpoint;
  const find = (name: string) => missing.find((parameter) => parameter.name === name);
  const added = Object.assign({}, ...missing.map(asArguments));
  if (find('start') && find('limit') && givesRows(endpoint)) {
    const { maximum, default: defaultLimit } = find('limit')?.schema ?? {};
    const max = usableLimit(maximum) ?? 100;
    Object.assign(added, paging(Math.min(usableLimit(defaultLimit) ?? 100, max), max));
  } else if ('limit' in endpoint.input.shape) delete added.limit;
  return {
    ...endpoint,
    input: endpoint.input.extend(added),
    ...(find('from')?.required === false && { daysAreOptional: true }),
  };
}

/** Undefined for a page size that cannot be asked for. */
function usableLimit(limit: unknown): number | undefined {
  return Number.isSafeInteger(limit) && Number(limit) >= 1 ? Number(limit) : undefined;
}

/** Parameters that mean the same for every endpoint take the catalogue's own descriptions. */
const knownMeanings = new Map<string, Record<string, z.ZodType>>([
  ['from', range],
  ['to', range],
  ['date', { date: date.optional() }],
  ['shop_id', { shop_id: shopRef.optional() }],
  ['location_id', { location_id: locationRef.optional() }],
  ['segment_id', { segment_id: segmentRef.optional() }],
  ['product_group_id', { product_group_id: groupRef.optional() }],
]);

function asArguments({ name, required, schema, description }: ListedParameter) {
  const type = asType(schema);
  const described = description === '' ? type : type.describe(description);
  return knownMeanings.get(name) ?? { [name]: required ? described : described.optional() };
}

function asType({ type, enum: values, minimum, maximum }: ListedParameter['schema']): z.ZodType {
  if (type === 'boolean') return z.boolean();
  if (type !== 'integer' && type !== 'number') return values ? z.enum(values) : words;
  const number = type === 'integer' ? z.int() : z.number();
  if (minimum !== undefined && maximum !== undefined && minimum > maximum) return number;
  const fromMinimum = minimum === undefined ? number : number.min(minimum);
  return maximum === undefined ? fromMinimum : fromMinimum.max(maximum);
}
