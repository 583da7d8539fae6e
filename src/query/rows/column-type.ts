/** The type of a column, decided from all of its values. Nothing is lost: what does not fit one type is text. */
import { maxDepth, maxFields, type Shape } from './shape.ts';

/** A type as `from_json` takes it: a name, the type of a list's items, or the fields of a struct. */
export type SqlType = string | readonly [SqlType] | StructType;

/** Fields by the names they get in the table. */
export interface StructType {
  fields: readonly StructField[];
}

export interface StructField {
  /** The key in the rows. */
  key: string;
  /** Its name in the table: another one where two keys differ in case only, or the key is empty. */
  name: string;
  shape: Shape;
  type: SqlType;
}

/** More digits after the point are the dust of binary fractions, for which a DOUBLE is made. */
const maxScale = 10;

/** A DECIMAL of 18 digits is one machine word, and its products still fit. */
const narrowDigits = 18;
const wideDigits = 38;
/** Digits left free for the sum of a column of the widest type. */
const headroom = 6;

/** The type that holds every value seen, or undefined when there was none. */
export function sqlTypeOf(shape: Shape, depth = 0): SqlType | undefined {
  const { values, booleans, wholes, fractions, texts, objects, lists } = shape;
  if (values === 0) return undefined;
  if (booleans === values) return 'BOOLEAN';
  if (wholes === values) return 'BIGINT';
  if (wholes + fractions === values) return decimalType(shape) ?? 'DOUBLE';
  if (texts.day === values) return 'DATE';
  if (texts.instant + texts.clock === values) return 'TIMESTAMPTZ';
  const isAmounts = texts.amount > 0 && texts.amount + texts.whole + wholes + fractions === values;
  if (isAmounts) return decimalType(shape) ?? 'VARCHAR';
  if (objects === values) return structType(shape, depth) ?? 'JSON';
  if (lists === values) return depth < maxDepth ? [listItem(shape, depth)] : 'JSON';
  return objects + lists === 0 ? 'VARCHAR' : 'JSON';
}

/** The columns of rows, or the fields of objects, each with a name that no other one has. */
export function structFields(fields: ReadonlyMap<string, Shape>, depth: number): StructField[] {
  const taken = new Set<string>();
  return [...fields].map(([key, shape]) => {
    const name = freeName(awkwardNames.get(key) ?? key, taken);
    return { key, name, shape, type: sqlTypeOf(shape, depth + 1) ?? 'VARCHAR' };
  });
}

/** Keys that neither SQL nor JavaScript takes for names like any other. */
const awkwardNames: ReadonlyMap<string, string> = new Map([
  ['', '_'],
  ['__proto__', '_proto_'],
]);

/** A name that differs from all that were given so far, case ignored; adds it to them. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

function decimalType({ integerDigits, scale }: Shape): string | undefined {
  if (scale > maxScale) return undefined;
  if (integerDigits + scale <= narrowDigits - 2) return `DECIMAL(${narrowDigits},${scale})`;
  if (integerDigits + scale > wideDigits - headroom) return undefined;
  return `DECIMAL(${wideDigits},${scale})`;
}

function listItem({ element }: Shape, depth: number): SqlType {
  return (element && sqlTypeOf(element, depth + 1)) ?? 'VARCHAR';
}

function structType({ fields }: Shape, depth: number): StructType | undefined {
  if (fields === undefined || fields.size === 0 || fields.size > maxFields) return undefined;
  return depth < maxDepth ? { fields: structFields(fields, depth) } : undefined;
}

/** Whether a type is that of objects. */
export function isStruct(type: SqlType): type is StructType {
  return typeof type === 'object' && 'fields' in type;
}
