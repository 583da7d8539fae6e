/**
 * Rows on their way to the engine's process: all values of a column decide about its type, and are then
 * written as JSON texts of some rows each.
 */

import { setImmediate } from 'node:timers/promises';
import { isAmountName, isCodeName, isQuantityName, isTextName } from '../core/column-name.ts';
import {
  type ColumnTree,
  type ColumnTrees,
  type FieldTypes,
  type FieldWord,
  inferTree,
  isOfNumbers,
  isOfTimes,
  mapWords,
  valueType,
} from '../core/column-type.ts';
import type { JsonObject } from '../core/json.ts';
import type { StatementShape } from './provider.ts';

/** A type in DuckDB's words. */
export type SqlType = ColumnTree<string>;

type TypeHints = ColumnTrees<string>;

/** The type of a column that never held a value: it is NULL, which goes with everything. */
export const unknownType = 'NULL';

const sqlTypes: Readonly<Record<FieldWord, string>> = {
  integer: 'BIGINT',
  decimal: 'DECIMAL(18,4)',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  day: 'DATE',
  open: unknownType,
};

/** The types of columns in DuckDB's words. What never held a value is a moment where it is called one. */
export function sqlColumns(columns: FieldTypes): TypeHints {
  const sqlWord = (word: keyof typeof sqlTypes, name: string) =>
    word === 'open' && /^date_|_(date|at)$/.test(name) ? 'TIMESTAMPTZ' : sqlTypes[word];
  const typed = Object.entries(columns).map(([name, it]) => [name, mapWords(it, sqlWord, name)]);
  return Object.fromEntries(typed);
}

/** What a column of which nothing is known may be by its name. */
export function guessedType(word: string, name: string): string {
  if (word !== unknownType) return word;
  if (isAmountName(name) || isQuantityName(name)) return sqlTypes.decimal;
  if (/(^|_)ids?$/.test(name)) return sqlTypes.integer;
  return isTextName(name) || /(^|_)(kind|type|status)$/.test(name) ? sqlTypes.text : word;
}

/** A table on its way. */
export interface TableText {
  /** Its columns in their order; one that the statement cannot see is there without a type and values. */
  columns: readonly (readonly [name: string, type: SqlType | undefined])[];
  /** JSON objects with the values of some rows, a list for each column. */
  texts: readonly string[];
}

/** The column that says which call a row belongs to, by its place. */
export const callColumn = '__call';

/** What distinguishes a report's facts, whatever a statement names. */
const factColumns: ReadonlySet<string> = new Set(['path', 'measure', 'split', 'line']);

/** Values of one text: writing it holds up the server. */
const partValues = 50_000;

/**
 * @param calls the rows of a table by its calls
 * @param known types of columns that may come without a value
 * @param shape names the only columns that count, where not all do
 */
export async function tableText(
  calls: readonly (readonly JsonObject[])[],
  known: FieldTypes,
  { mentioned, meansAll }: Pick<StatementShape, 'mentioned' | 'meansAll'>,
): Promise<TableText> {
  const hints = sqlColumns(known);
  const rows = calls.flat();
  const taken = new Set([callColumn]);
  const columns: [string, SqlType | undefined][] = [];
  const numbers = calls.flatMap((rows, number) => rows.map(() => number));
  const lists: [string, readonly unknown[]][] = [[callColumn, numbers]];
  for (const key of keysOf([...rows, hints])) {
    const name = freeName(key, taken);
    const small = name.toLowerCase();
    if (!meansAll && !mentioned.has(small) && !factColumns.has(small)) {
      columns.push([name, undefined]);
      continue;
    }
    const values = rows.map((row) => row[key] ?? null);
    columns.push([name, inferTree<string>(key, values, sqlRules, hints[key])]);
    lists.push([name, values]);
    await setImmediate();
  }
  const texts: string[] = [];
  const partRows = Math.ceil(partValues / lists.length);
  for (let from = 0; from < rows.length; from += partRows) {
    const part = lists.map(([name, values]) => [name, values.slice(from, from + partRows)]);
    texts.push(JSON.stringify(Object.fromEntries(part)));
    await setImmediate();
  }
  return { columns, texts };
}

/** A name that differs from all that were given so far, case ignored; adds it to them. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/** The keys of any of them, without those that no statement can name: to DuckDB it ends at a NUL. */
function keysOf(objects: readonly JsonObject[]): Set<string> {
  const keys = new Set<string>();
  for (const object of objects) for (const key of Object.keys(object)) keys.add(key);
  for (const key of keys) if (key.includes('\u0000')) keys.delete(key);
  return keys;
}

/** With more keys, such as days or ids, an object is kept as JSON. */
const maxFields = 400;

const sqlRules = {
  leaf: sqlLeaf,
  other: 'JSON',
  /** Fields whose names no SQL can tell apart are reached as JSON. */
  fieldsOf(objects: readonly JsonObject[], known: TypeHints) {
    const keys = [...keysOf([...objects, known])];
    const folded = new Set(keys.map((key) => key.toLowerCase()));
    const isAwkward = folded.size < keys.length || folded.has('') || folded.size === 0;
    return isAwkward || keys.length > maxFields ? undefined : keys;
  },
};

/** The type that holds every value; where there is none, or it may be one of two, what is known beforehand. */
function sqlLeaf(name: string, values: readonly unknown[], known: SqlType = unknownType): SqlType {
  if (values.length === 0) return known === unknownType && isTextName(name) ? sqlTypes.text : known;
  const areNumbers = values.every((value) => typeof value === 'number');
  // Such as the numbers of orders: in other rows they are no numbers.
  if (areNumbers && known === sqlTypes.text) return known;
  // Codes that come as numbers stay so: their order is that of numbers.
  const isCode = !areNumbers && isCodeName(name);
  const type = valueType(values, isCode ? name : '');
  const isInexact = isOfNumbers(type) && !values.every(Number.isSafeInteger);
  const isAmount = isAmountName(name) || String(known).startsWith('DECIMAL');
  const decimal = !isCode && (isAmount || isInexact) ? decimalType(values) : undefined;
  if (decimal !== undefined) return decimal;
  if (isInexact) return areNumbers ? 'DOUBLE' : sqlTypes.text;
  const isRead =
    !isOfTimes(type) || values.every((value) => formsForEngine[type].test(String(value)));
  return type === 'mixed' || !isRead ? sqlTypes.text : sqlTypes[type];
}

/** What DuckDB reads: no years before 1000, small letters, offsets after minutes or after a space. */
const formsForEngine = {
  day: /^[^0]/,
  timestamp: /^[^0]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?![Z+-])[^tz ]*$/,
};

// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const numberForm = /^-?(0|[1-9]\d{0,27})(\.\d{1,10})?$/;

/** The decimal that holds every amount; undefined where a value is none. */
function decimalType(values: readonly unknown[]): string | undefined {
  let whole = 1;
  let scale = 2;
  for (const value of values) {
    // Most are amounts in cents: looking at their text takes ten times as long.
    const isShort = typeof value === 'number' && Math.abs(value) < 1e9;
    if (isShort && Math.round(value * 100) / 100 === value) {
      whole = Math.max(whole, 9);
      continue;
    }
    const [, before, after = '.'] = numberForm.exec(String(value)) ?? [];
    if (before === undefined) return undefined;
    whole = Math.max(whole, before.length);
    scale = Math.max(scale, after.length - 1);
  }
  // Room for a half of the last digit, such as a median has, and a half of that.
  const digits = whole + scale + 2;
  if (digits > 32) return undefined;
  // A DECIMAL of 18 digits is one machine word; of 38, some are left free for sums.
  return `DECIMAL(${digits <= 16 ? 18 : 38},${scale + 2})`;
}
