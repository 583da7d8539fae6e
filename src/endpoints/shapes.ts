import { z } from 'zod';
import type { FieldType, FieldTypes } from '../core/column-type.ts';

/**
 * The documented fields (docs/platform.md). Everything is optional and may be null, and unknown fields
 * pass: an answer is never lost because the platform said more, less or nothing about a field. Answers
 * are held against these schemas and passed on as they came: of a row only the known fields are looked at.
 */

export const integer = z.int().nullish();
export const text = z.string().nullish();
/** Decimal euros or quantities: a JSON number, or text where the platform keeps the digits. */
export const decimal = z.union([z.number(), z.string()]).nullish();

/** A number for people, such as an order's: text, whatever form it comes in. */
export const code = z.union([z.string(), z.number()]).nullish();
/** ISO 8601. */
export const timestamp = z.string().nullish();
/** YYYY-MM-DD. */
export const day = z.string().nullish();

const documented = new Map<unknown, FieldType>([
  [integer, 'integer'],
  [text, 'text'],
  [decimal, 'decimal'],
  [code, 'text'],
  [timestamp, 'timestamp'],
  [day, 'day'],
]);

/** The fields that an answer's schema names, of a list those of its rows. */
export function documentedColumns({ shape }: z.ZodObject): FieldTypes {
  const { data } = shape;
  const row = data instanceof z.ZodArray && data.element instanceof z.ZodObject && data.element;
  const fields = Object.entries((row || { shape }).shape);
  return Object.fromEntries(fields.map(([name, it]) => [name, documented.get(it) ?? 'open']));
}

type Fields = Record<string, z.ZodType>;

/** One object of known fields. */
export function fieldsOf(known: Fields) {
  return z.looseObject(known);
}

/** A list: its rows, with `count`, `total` and where it is paged `start` and `limit` let through (docs/platform.md#lists). */
export function listOf(row: Fields) {
  return z.looseObject({ data: z.array(z.object(row)) });
}

/** docs/platform.md#change-feeds. */
export function changesOf(row: Fields) {
  return z.looseObject({
    data: z.array(z.object(row)),
    next_cursor: text,
    has_more: z.boolean().nullish(),
  });
}
