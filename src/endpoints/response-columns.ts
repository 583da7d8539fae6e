import { isRecord } from '../core/json.ts';
import { pathKey } from './openapi.ts';

/** A column as the platform's own description has it, nested ones with dots (`address.city`). */
export interface DescribedColumn {
  name: string;
  type: 'integer' | 'decimal' | 'text' | 'boolean' | 'day' | 'timestamp' | 'nested';
}

const maxDepth = 4;
const maxColumns = 200;
const maxPaths = 2000;
/** Most properties of one object that are looked at. */
const maxProperties = 500;
const columnName = /^[\p{L}_][\p{L}\p{N}_ -]{0,63}$/u;

/**
 * The columns of each endpoint's answer, by path without the names of its parameters, as far as
 * openapi.json describes them: of a list those of its rows, else those of the one object. It is
 * foreign input: whatever is odd in it is passed over.
 */
export function responseColumns(openapi: unknown): Map<string, DescribedColumn[]> {
  const described = new Map<string, DescribedColumn[]>();
  const paths = at(openapi, 'paths');
  for (const [path, item] of Object.entries(isRecord(paths) ? paths : {}).slice(0, maxPaths)) {
    const content = at(at(at(at(item, 'get'), 'responses'), '200'), 'content');
    const answer = resolved(at(at(content, 'application/json'), 'schema'), openapi);
    const data = resolved(at(at(answer, 'properties'), 'data'), openapi);
    const columns: DescribedColumn[] = [];
    collect(rowSchema(answer, data, openapi), openapi, '', 0, columns);
    if (columns.length > 0) described.set(pathKey(path), columns);
  }
  return described;
}

function rowSchema(answer: unknown, data: unknown, openapi: unknown): unknown {
  if (at(answer, 'type') === 'array') return resolved(at(answer, 'items'), openapi);
  if (at(data, 'type') === 'array') return resolved(at(data, 'items'), openapi);
  return data ?? answer;
}

function collect(
  schema: unknown,
  openapi: unknown,
  prefix: string,
  depth: number,
  into: DescribedColumn[],
): void {
  const properties = at(schema, 'properties');
  const entries = Object.entries(isRecord(properties) ? properties : {}).slice(0, maxProperties);
  for (const [name, given] of entries) {
    if (into.length >= maxColumns) return;
    if (!columnName.test(name) || name === '__proto__') continue;
    const property = resolved(given, openapi);
    const isObject = isRecord(at(property, 'properties'));
    if (isObject && depth < maxDepth)
      collect(property, openapi, `${prefix}${name}.`, depth + 1, into);
    else into.push({ name: `${prefix}${name}`, type: typeOf(property) });
  }
}

function typeOf(property: unknown): DescribedColumn['type'] {
  const format = at(property, 'format');
  switch (at(property, 'type')) {
    case 'integer':
      return 'integer';
    case 'number':
      return 'decimal';
    case 'boolean':
      return 'boolean';
    case 'string':
      return format === 'date' ? 'day' : format === 'date-time' ? 'timestamp' : 'text';
    default:
      return 'nested';
  }
}

/** Follows one local reference, `#/components/schemas/Name`. */
function resolved(schema: unknown, openapi: unknown): unknown {
  const reference = at(schema, '$ref');
  if (typeof reference !== 'string') return schema;
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1];
  return name === undefined ? undefined : at(at(at(openapi, 'components'), 'schemas'), name);
}

function at(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
