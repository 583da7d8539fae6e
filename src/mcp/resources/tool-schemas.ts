import { z } from 'zod';
import { finishedContext } from '../../analysis/answer.ts';
import { isIdentifier } from '../../core/column-name.ts';
import {
  type FieldType,
  type FieldTypes,
  isFields,
  isList,
  valueKinds,
} from '../../core/column-type.ts';
import { CommerceError } from '../../core/errors.ts';
import { unknownName } from '../../core/nearest.ts';
import { givesRows } from '../../endpoints/define.ts';
import type { App } from '../app/app.ts';
import type { ObjectSchema, PropertySchema } from '../tools/catalogue.ts';

/**
 * A tool's schemas to generate types from. They add the platform's fields and `context`, which tools/list omits to
 * stay short.
 * @throws {CommerceError} for a tool that the caller does not have
 */
export function toolSchemas({ catalogue, services }: App, name: string) {
  const tool = catalogue.find(name);
  const listing = catalogue.listing();
  const names = listing.map((entry) => entry.name);
  const entry = listing[names.indexOf(name)];
  if (tool === undefined || entry === undefined)
    throw new CommerceError('not_found', unknownName('tool', name, names));
  const { columns, kinds } = services.survey.columnsOf(name);
  const { title, inputSchema } = entry;
  const { properties: listedProperties = {}, ...answer } = entry.outputSchema;
  const { data } = listedProperties;
  const described = givesRows(tool)
    ? { data: { ...data, items: addColumns(data?.items ?? {}, columns, kinds) } }
    : (addColumns({ properties: listedProperties }, columns, kinds).properties ?? {});
  const properties: Record<string, PropertySchema> = { ...listedProperties, ...described, context };
  // The list of rows is there even if it is empty.
  const required = 'data' in properties && givesRows(tool) ? ['data', 'context'] : ['context'];
  return {
    name,
    title,
    inputSchema: acceptIds(inputSchema),
    outputSchema: { ...answer, properties, required },
  };
}

/** Ids may be numbers too, and arguments beside those listed are refused. */
function acceptIds(schema: ObjectSchema): ObjectSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isId = isIdentifier(name) && property.type === 'string';
    return [name, isId ? { ...property, type: ['string', 'integer'] } : property] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}

/** The schema is open, because a later version may add members. */
const { $schema: _, ...context }: PropertySchema = JSON.parse(
  JSON.stringify(
    z.toJSONSchema(finishedContext, {
      io: 'input',
      override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
    }),
  ),
);

type Kinds = ReadonlyMap<string, number>;

/** @param place key of the object in `kinds`: its path with a line break behind each step */
function addColumns(
  object: PropertySchema,
  columns: FieldTypes,
  kinds: Kinds,
  place = '',
): PropertySchema {
  const listedProperties = object.properties ?? {};
  const fields = Object.entries(columns).map(([name, type]) => {
    const schema = listedProperties[name] ?? schemaOf(type, kinds, place + name);
    return [name, addTypes(schema, kinds.get(place + name) ?? 0)];
  });
  return { ...object, properties: { ...listedProperties, ...Object.fromEntries(fields) } };
}

/** Any field may be null, and amounts may be texts, which keep their digits. */
function schemaOf(type: FieldType, kinds: Kinds, place: string): PropertySchema {
  if (isList(type)) {
    const items = `${place}\n`;
    const schema = schemaOf(type[0], kinds, items);
    return { type: ['array', 'null'], items: addTypes(schema, kinds.get(items) ?? 0) };
  }
  if (isFields(type)) return addColumns({ type: ['object', 'null'] }, type, kinds, `${place}\n`);
  return fieldSchemas[type];
}

/** Adds the types that this account has shown: an order number may be a number in some rows. */
function addTypes(schema: PropertySchema, kinds: number): PropertySchema {
  const { type, format, ...others } = schema;
  if (type === undefined) return schema;
  const types = [type].flat();
  const hasType = (added: string) =>
    types.includes(added) || (added === 'integer' && types.includes('number'));
  const missing = jsonTypes(kinds).filter((added) => !hasType(added));
  return missing.length > 0 ? { ...others, type: [...types, ...missing] } : schema;
}

function jsonTypes(kinds: number): string[] {
  const { wholeNumber, fraction, truth, nested: _, ...texts } = valueKinds;
  const isText = Object.values(texts).some((bit) => kinds & bit);
  return [
    ...(kinds & wholeNumber ? ['integer'] : []),
    ...(kinds & fraction ? ['number'] : []),
    ...(isText ? ['string'] : []),
    ...(kinds & truth ? ['boolean'] : []),
  ];
}

const fieldSchemas: Readonly<Record<FieldType & string, PropertySchema>> = {
  integer: { type: ['integer', 'null'] },
  decimal: { type: ['number', 'string', 'null'] },
  text: { type: ['string', 'null'] },
  boolean: { type: ['boolean', 'null'] },
  day: { type: ['string', 'null'], format: 'date' },
  timestamp: { type: ['string', 'null'], format: 'date-time' },
  open: {},
};
