/** Words to describe payloads with: OpenAPI 3.0 schemas, one short function each. */

/** The part of an OpenAPI 3.0 schema that the payloads need. */
export interface Schema {
  /** Left out where several types occur. */
  type?: 'object' | 'array' | 'integer' | 'number' | 'string' | 'boolean';
  description?: string;
  nullable?: boolean;
  format?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

type Fields = Readonly<Record<string, Schema>>;

/** An object whose fields are always there, but for those named as optional. */
export function object(properties: Fields, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export function array(items: Schema, description?: string): Schema {
  return { type: 'array', items, ...(description !== undefined && { description }) };
}

/** A numeric id or a count. */
export function integer(description: string): Schema {
  return { type: 'integer', format: 'int64', description };
}

/** Decimal euros, or another number with decimals. */
export function decimal(description: string): Schema {
  return { type: 'number', description };
}

export function string(description: string): Schema {
  return { type: 'string', description };
}

export function boolean(description: string): Schema {
  return { type: 'boolean', description };
}

/** ISO 8601 with the Amsterdam offset. */
export function moment(description: string): Schema {
  return { type: 'string', format: 'date-time', description };
}

export function date(description: string): Schema {
  return { type: 'string', format: 'date', description };
}

export function nullable(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

/** An object that maps names nobody lists beforehand. */
export function map(values: Schema | true, description: string): Schema {
  return { type: 'object', additionalProperties: values, description };
}

/** Section 2: a list that comes whole. */
export function list(row: Schema): Schema {
  return object({
    count: integer('Rows in this answer.'),
    total: integer('Rows overall.'),
    data: array(row),
  });
}

/** Section 2: one page of a list. */
export function page(row: Schema): Schema {
  return object({
    count: integer('Rows on this page.'),
    total: integer('Rows overall.'),
    start: integer('Rows skipped.'),
    limit: integer('Rows asked for.'),
    data: array(row),
  });
}

/** Section 2: one page of a change feed. */
export function delta(row: Schema): Schema {
  return object({
    count: integer('Rows on this page.'),
    data: array(row),
    next_cursor: string('Opaque: send it on the next call.'),
    has_more: boolean('Whether this page was full.'),
  });
}
