/**
 * Rows on their way to the engine's process: all values of a column decide about its type, and are then
 * written as JSON texts of some rows each.
 */
import { setImmediate } from 'node:timers/promises';
import { isRecord, type JsonObject } from '../core/json.ts';
import { QueryError } from './errors.ts';
import { isCodeName, type TypeHints } from './provider.ts';

/** A type in the engine's words, a list of something, or the fields of an object. */
export type ColumnType = string | readonly [ColumnType] | { readonly [field: string]: ColumnType };

type Columns = readonly (readonly [name: string, type: ColumnType])[];

/** A table on its way. */
export interface TableText {
  /** Its columns in their order. */
  columns: Columns;
  /** Those that the statement cannot see: they are there, without values. */
  unseen: Columns;
  /** JSON objects with the values of some rows, a list for each column. */
  texts: readonly string[];
}

/** The column that says which call a row belongs to, by its place. */
export const callColumn = '__call';

/** Rows of one text. */
const partRows = 500;

/** More columns are those of no list that anybody has. */
const maxColumns = 1000;

/** Keys that neither SQL nor JavaScript takes for names like any other. */
const awkwardNames: ReadonlyMap<string, string> = new Map([
  ['', '_'],
  ['__proto__', '_proto_'],
]);

/**
 * @param calls the rows of a table by its calls
 * @param hints types of columns that may come without a value
 * @param named the only columns that count, in small letters, where not all do
 */
export async function tableText(
  calls: readonly (readonly object[])[],
  hints: TypeHints,
  named?: ReadonlySet<string>,
): Promise<TableText> {
  const rows = calls.flatMap((own) => own.filter(isRecord));
  const numbers = calls.flatMap((own, number) => own.filter(isRecord).map(() => number));
  const keys = keysOf(rows, hints, maxColumns);
  if (keys.size > maxColumns)
    throw new QueryError('bad_value', `A table has more than ${maxColumns} columns.`);
  const taken = new Set([callColumn]);
  const columns: [string, ColumnType][] = [];
  const unseen: [string, ColumnType][] = [];
  const lists: [string, readonly unknown[]][] = [[callColumn, numbers]];
  for (const key of keys) {
    const name = freeName(awkwardNames.get(key) ?? key, taken);
    if (named?.has(name.toLowerCase()) === false) {
      unseen.push([name, hints[key] ?? 'VARCHAR']);
      continue;
    }
    const values = valuesOf(rows, key);
    columns.push([name, typeOf(key, values, hints[key])]);
    lists.push([name, values]);
    await setImmediate();
  }
  const texts: string[] = [];
  for (let from = 0; from < rows.length; from += partRows) {
    const part = lists.map(([name, values]) => [name, values.slice(from, from + partRows)]);
    texts.push(JSON.stringify(Object.fromEntries(part)));
    await setImmediate();
  }
  return { columns, unseen, texts };
}

/** A name that differs from all that were given so far, case ignored; adds it to them. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/** The keys of objects, and of what is known of them; one more than `most` where there are more. */
function keysOf(objects: readonly JsonObject[], hints: TypeHints, most: number): Set<string> {
  const keys = new Set<string>();
  for (const object of [...objects, hints]) {
    for (const key of Object.keys(object)) keys.add(key);
    if (keys.size > most) break;
  }
  return keys;
}

function valuesOf(objects: readonly JsonObject[], key: string): unknown[] {
  // What every object inherits is no value of a row.
  const isInherited = key in Object.prototype;
  return objects.map((it) => (isInherited && !Object.hasOwn(it, key) ? null : (it[key] ?? null)));
}

/** Deeper than this, or with more keys, an object is kept as JSON. */
const maxDepth = 12;
const maxFields = 400;

/** The type that holds every value. */
function typeOf(
  name: string,
  values: readonly unknown[],
  hint: string | TypeHints = 'VARCHAR',
  depth = 0,
): ColumnType {
  const held = values.filter((value) => value !== null && value !== undefined);
  if (held.length === 0) return hint;
  if (held.some((value) => typeof value === 'object')) {
    if (depth > maxDepth) return 'JSON';
    if (held.every(isRecord)) return structType(held, typeof hint === 'object' ? hint : {}, depth);
    const isLists = held.every((value) => Array.isArray(value));
    return isLists ? [typeOf(name, held.flat(), undefined, depth + 1)] : 'JSON';
  }
  if (held.every((value) => typeof value === 'boolean')) return 'BOOLEAN';
  if (held.every((value) => Number.isSafeInteger(value))) return 'BIGINT';
  if (held.every(isDay)) return 'DATE';
  if (held.every(isMoment)) return 'TIMESTAMPTZ';
  const isNumbers = held.every((value) => typeof value === 'number');
  return decimalType(held, isCodeName(name)) ?? (isNumbers ? 'DOUBLE' : 'VARCHAR');
}

/** Fields of an object whose names no SQL can tell apart are reached as JSON. */
function structType(held: readonly JsonObject[], hints: TypeHints, depth: number): ColumnType {
  const keys = keysOf(held, hints, maxFields);
  const folded = new Set([...keys].map((key) => key.toLowerCase()));
  const isAwkward = folded.size < keys.size || keys.size === 0 || keys.has('');
  if (isAwkward || keys.size > maxFields) return 'JSON';
  return Object.fromEntries(
    [...keys].map((key) => [key, typeOf(key, valuesOf(held, key), hints[key], depth + 1)]),
  );
}

const dayForm = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const timeForm =
  /^[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)?$/;

function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !dayForm.test(value)) return false;
  // A day that its month lacks reads as one of the next.
  const day = Number(value.slice(8));
  return day <= 28 || new Date(`${value}T00:00:00Z`).getUTCDate() === day;
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && isDay(value.slice(0, 10)) && timeForm.test(value.slice(10));
}

// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const numberForm = /^-?(0|[1-9]\d{0,27})(\.\d{1,10})?$/;

/** Of numbers and texts that are amounts: all are written so, one of them with decimals. */
function decimalType(held: readonly unknown[], isCode: boolean): string | undefined {
  let [largest, whole, scale, hasText, hasPoint] = [0, 1, 2, false, false];
  for (const value of held) {
    // Most are amounts in cents: looking at their text takes ten times as long.
    const isShort = typeof value === 'number' && Math.abs(value) < 1e15;
    if (isShort && Math.round(value * 100) / 100 === value) {
      largest = Math.max(largest, Math.abs(value));
      hasPoint ||= value % 1 !== 0;
      continue;
    }
    const [, before, after = '.'] = numberForm.exec(String(value)) ?? [];
    if (before === undefined) return undefined;
    hasText ||= typeof value === 'string';
    hasPoint ||= after !== '.';
    whole = Math.max(whole, before.length);
    scale = Math.max(scale, after.length - 1);
  }
  whole = Math.max(whole, String(Math.trunc(largest)).length);
  if (hasText && (isCode || !hasPoint)) return undefined;
  // Room for a half of the last digit, such as a median has, and a half of that.
  const digits = whole + scale + 2;
  if (digits > 32) return undefined;
  // A DECIMAL of 18 digits is one machine word; of 38, some are left free for sums.
  return `DECIMAL(${digits <= 16 ? 18 : 38},${scale + 2})`;
}
