/**
 * Rows as the engine's process takes them: what kind of value each column holds, then JSON texts of
 * some rows each. The engine itself decides about types; here only texts and numbers are distinguished.
 */
import { setImmediate } from 'node:timers/promises';
import { isRecord, type JsonObject } from '../../core/json.ts';
import type { TypeHints } from '../provider.ts';

/**
 * What a column holds: values of one kind, a list of something, or the fields of an object. A kind
 * in capitals is a type of the engine, for what came without a value.
 */
export type ColumnType =
  | 'whole'
  | 'number'
  | 'text'
  | 'boolean'
  | 'json'
  | Uppercase<string>
  | readonly [ColumnType]
  | ColumnTypes;

export type ColumnTypes = { readonly [column: string]: ColumnType };

/** A table as text. */
export interface TableText {
  columns: ColumnTypes;
  /** JSON objects with the values of some rows, a list for each column. */
  chunks: AsyncIterable<string>;
}

/** The column that says which call a row belongs to. */
export const callColumn = '__call';

/** Rows of one text, and as many are looked through without a pause. */
const chunkRows = 500;

/** Deeper than this, or with more keys, an object is kept as JSON. */
const maxDepth = 12;
const maxFields = 400;

/**
 * The rows of some calls, each with the number of its call.
 * @param hints types of columns that may come without a value
 */
export async function tableText(
  calls: readonly (readonly object[])[],
  hints: TypeHints,
): Promise<TableText> {
  const shape = emptyShape();
  for (const { rows } of partsOf(calls)) {
    observe(shape, rows, 0);
    await setImmediate();
  }
  const names = columnNames([...shape.fields.keys(), ...Object.keys(hints)]);
  const types = [...names].map(([key, name]) => [
    name,
    typeOf(shape.fields.get(key), hints[key]) ?? 'VARCHAR',
  ]);
  return {
    columns: { [callColumn]: 'whole', ...Object.fromEntries(types) },
    chunks: write(calls, names),
  };
}

async function* write(
  calls: readonly (readonly object[])[],
  names: ReadonlyMap<string, string>,
): AsyncGenerator<string> {
  for (const { numbers, rows } of partsOf(calls)) {
    const lists = [...names].map(([key, name]) => [name, valuesOf(key, rows)]);
    yield JSON.stringify({ [callColumn]: numbers, ...Object.fromEntries(lists) });
    await setImmediate();
  }
}

function valuesOf(key: string, rows: readonly JsonObject[]): unknown[] {
  // What every object inherits is no value of a row.
  if (key in Object.prototype)
    return rows.map((row) => (Object.hasOwn(row, key) ? row[key] : null));
  return rows.map((row) => row[key] ?? null);
}

/** Rows with the numbers of their calls. */
interface Part {
  numbers: number[];
  rows: JsonObject[];
}

function* partsOf(calls: readonly (readonly object[])[]): Generator<Part> {
  let part: Part = { numbers: [], rows: [] };
  for (const [number, rows] of calls.entries()) {
    for (const row of rows) {
      if (!isRecord(row)) throw new TypeError('A row has to be an object.');
      part.numbers.push(number);
      part.rows.push(row);
      if (part.rows.length < chunkRows) continue;
      yield part;
      part = { numbers: [], rows: [] };
    }
  }
  if (part.rows.length > 0) yield part;
}

/** Keys that neither SQL nor JavaScript takes for names like any other. */
const awkwardNames: ReadonlyMap<string, string> = new Map([
  ['', '_'],
  ['__proto__', '_proto_'],
]);

/** The name of each key's column: another one where keys differ in case only. */
function columnNames(keys: Iterable<string>): Map<string, string> {
  const taken = new Set([callColumn]);
  const names = new Map<string, string>();
  for (const key of new Set(keys)) names.set(key, freeName(awkwardNames.get(key) ?? key, taken));
  return names;
}

/** A name that differs from all that were given so far, case ignored; adds it to them. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Kinds of values seen at one place. */
interface Shape {
  whole: boolean;
  fraction: boolean;
  text: boolean;
  boolean: boolean;
  /** What the keys of objects hold. */
  fields: Map<string, Shape>;
  isObject: boolean;
  /** What lists hold. */
  element: Shape | undefined;
  /** Deeper, or with more keys, than a column's type can be. */
  isTooLarge: boolean;
}

function emptyShape(): Shape {
  return {
    whole: false,
    fraction: false,
    text: false,
    boolean: false,
    fields: new Map(),
    isObject: false,
    element: undefined,
    isTooLarge: false,
  };
}

/** Adds values to what was seen. Changes `shape`. */
function observe(shape: Shape, values: readonly unknown[], depth: number): void {
  const objects: JsonObject[] = [];
  const items: unknown[] = [];
  for (const value of values) {
    if (typeof value === 'string') shape.text = true;
    else if (typeof value === 'number') observeNumber(shape, value);
    else if (typeof value === 'boolean') shape.boolean = true;
    else if (Array.isArray(value)) {
      shape.element ??= emptyShape();
      for (const item of value) items.push(item);
    } else if (isRecord(value)) objects.push(value);
  }
  if (shape.element) observeWithin(shape, shape.element, items, depth);
  if (objects.length > 0) observeObjects(shape, objects, depth);
}

function observeNumber(shape: Shape, value: number): void {
  // JSON writes NaN and Infinity as null.
  if (!Number.isFinite(value)) return;
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) shape.whole = true;
  else shape.fraction = true;
}

function observeObjects(shape: Shape, objects: readonly JsonObject[], depth: number): void {
  shape.isObject = true;
  for (const object of objects) {
    for (const key of Object.keys(object))
      if (!shape.fields.has(key)) shape.fields.set(key, emptyShape());
    if (shape.fields.size > maxFields && depth > 0) {
      shape.isTooLarge = true;
      return;
    }
  }
  for (const [key, field] of shape.fields)
    observeWithin(shape, field, valuesOf(key, objects), depth);
}

function observeWithin(
  shape: Shape,
  inner: Shape,
  values: readonly unknown[],
  depth: number,
): void {
  if (depth < maxDepth) observe(inner, values, depth + 1);
  else if (values.length > 0) shape.isTooLarge = true;
}

/** The type that holds every value seen; undefined where there was none and none is known. */
function typeOf(
  shape: Shape | undefined,
  hint: string | TypeHints | undefined,
): ColumnType | undefined {
  const { whole = false, fraction = false, text = false, boolean = false } = shape ?? {};
  const { isObject = false, element } = shape ?? {};
  const kinds = [whole || fraction, text, boolean, isObject, element !== undefined];
  const count = kinds.filter(Boolean).length;
  if (shape === undefined || count === 0) return hintedType(hint);
  if (shape.isTooLarge) return 'json';
  // Numbers among texts are texts; where objects or lists are among others, all of it is JSON.
  if (count > 1) return isObject || element ? 'json' : 'text';
  if (isObject) return structType(shape.fields, typeof hint === 'object' ? hint : {}) ?? 'json';
  if (element) return [typeOf(element, undefined) ?? 'VARCHAR'];
  if (text) return 'text';
  if (boolean) return 'boolean';
  return fraction ? 'number' : 'whole';
}

function structType(fields: ReadonlyMap<string, Shape>, hints: TypeHints): ColumnTypes | undefined {
  const keys = new Set([...fields.keys(), ...Object.keys(hints)]);
  const folded = new Set([...keys].map((key) => key.toLowerCase()));
  // Fields of an object whose names no SQL can tell apart are reached as JSON.
  if (folded.size < keys.size || keys.size === 0 || keys.has('')) return undefined;
  const types = [...keys].map((key) => [key, typeOf(fields.get(key), hints[key]) ?? 'VARCHAR']);
  return Object.fromEntries(types);
}

/** A type that is known beforehand; what is nested in an unknown way is none. */
export function hintedType(hint: string | TypeHints | undefined): ColumnType | undefined {
  if (typeof hint === 'object') return structType(new Map(), hint);
  const name = hint?.toUpperCase();
  return name !== undefined && isTypeName(name) ? name : undefined;
}

/** Plain types and lists of them: a hint becomes a part of a statement. */
function isTypeName(name: string): name is Uppercase<string> {
  return /^[A-Z][A-Z0-9_ ]*(\(\d+(, ?\d+)?\))?(\[\])*$/.test(name) && name !== 'JSON';
}
