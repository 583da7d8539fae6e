import { z } from 'zod';
import { isRecord } from '../../../src/core/json.ts';

/** Arguments that are texts without a length, or lists without a number of entries; by their path. */
export function unbounded(input: z.ZodObject): string[] {
  return within(z.toJSONSchema(input, { io: 'input' }), 'input');
}

function within(schema: unknown, path: string): string[] {
  if (!isRecord(schema)) return [];
  const { type, maxLength, maxItems, enum: values, items, properties } = schema;
  const isEndless =
    (type === 'string' && maxLength === undefined && values === undefined) ||
    (type === 'array' && maxItems === undefined);
  const members = isRecord(properties) ? Object.entries(properties) : [];
  return [
    ...(isEndless ? [path] : []),
    ...within(items, `${path}[]`),
    ...members.flatMap(([name, member]) => within(member, `${path}.${name}`)),
  ];
}
