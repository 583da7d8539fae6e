/** Types in the engine's words: of a column by its values, and of what is known of it without them. */
import {
  isAmountName,
  isCodeName,
  isDecimalName,
  isIdName,
  isMomentName,
  isTextName,
} from '../core/column-name.ts';
import {
  areTrueNumbers,
  type ColumnTree,
  type ColumnTrees,
  type FieldTypes,
  type FieldWord,
  isEmptyCell,
  isFields,
  isList,
  isOfNumbers,
  isOfTimes,
  kindsOf,
  mapWords,
  typeOfKinds,
  valueKinds,
} from '../core/column-type.ts';
import { isRecord, type JsonObject, ownValue } from '../core/json.ts';
import { isNumeric } from '../core/money.ts';

/** A type in DuckDB's words. */
export type SqlType = ColumnTree<string>;

/** The types of columns in DuckDB's words. */
export type SqlTypes = ColumnTrees<string>;

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
export function sqlColumns(columns: FieldTypes): SqlTypes {
  const sqlWord = (word: keyof typeof sqlTypes, name: string) =>
    word === 'open' && isMomentName(name) ? 'TIMESTAMPTZ' : sqlTypes[word];
  const typed = Object.entries(columns).map(([name, it]) => [name, mapWords(it, sqlWord, name)]);
  return Object.fromEntries(typed);
}

/** The type of a column of which only the name is known: by that name, else text. */
export function guessedType(word: string, name: string): string {
  if (word !== unknownType) return word;
  if (isDecimalName(name)) return sqlTypes.decimal;
  return isIdName(name) ? sqlTypes.integer : sqlTypes.text;
}

/** The keys of any of them. */
export function keysOf(objects: readonly JsonObject[]): Set<string> {
  const keys = new Set<string>();
  for (const object of objects) for (const key of Object.keys(object)) keys.add(key);
  return keys;
}

/** With more keys, such as days or ids, an object is kept as JSON. */
const maxFields = 400;

/** A column with its type and its values as the engine reads them. */
interface TypedColumn {
  type: SqlType;
  values: readonly unknown[];
  /** By their places, those that are no numbers where all should be: they are null. */
  unread: ReadonlyMap<number, unknown>;
}

/**
 * The type that fits all values. A blank text is null wherever it is no text, and so is anything else than a number
 * among documented numbers and amounts.
 * @param documented the type that the column has by its description
 */
export function typedColumn(
  column: string,
  given: readonly unknown[],
  documented: SqlType | undefined,
): TypedColumn {
  let isClean = true;
  const leaf = (
    name: string,
    values: readonly unknown[],
    known: SqlType = unknownType,
  ): SqlType => {
    const kinds = kindsOf(values);
    const isFigure = isFigureOf(name, values, known);
    isClean &&=
      (kinds & valueKinds.blankText) === 0 && (!isFigure || isOfNumbers(typeOfKinds(kinds)));
    if (kinds === 0) return known === unknownType && isTextName(name) ? sqlTypes.text : known;
    if (kinds === valueKinds.blankText) return known === unknownType ? sqlTypes.text : known;
    return isFigure ? figureType(name, values, known) : plainType(name, values, kinds, known);
  };
  const infer = (name: string, all: readonly unknown[], known?: SqlType): SqlType => {
    const held = all.filter((value) => value !== null && value !== undefined);
    if (!held.some((value) => typeof value === 'object')) return leaf(name, held, known);
    if (held.every(Array.isArray)) {
      const item = known !== undefined && isList(known) ? known[0] : undefined;
      return [infer(name, held.flat(), item)];
    }
    const objects = held.filter(isRecord);
    const knownFields = known !== undefined && isFields(known) ? known : {};
    const fields = objects.length === held.length ? fieldsOf(objects, knownFields) : undefined;
    if (fields === undefined)
      return isFigureOf(name, held, known) ? leaf(name, held, known) : 'JSON';
    const typed = fields.map((key) => {
      const values = objects.map((object) => ownValue(object, key));
      return [key, infer(key, values, ownValue(knownFields, key))];
    });
    return Object.fromEntries(typed);
  };
  const type = infer(column, given, documented);
  const unread = new Map<number, unknown>();
  if (isClean) return { type, values: given, unread };
  const values = given.map((value, at) =>
    readableValue(type, value, (inner) => unread.set(at, inner)),
  );
  return { type, values, unread };
}

/** The fields of objects; undefined where no SQL can tell their names apart, which are reached as JSON. */
function fieldsOf(objects: readonly JsonObject[], known: SqlTypes): string[] | undefined {
  const keys = [...keysOf([...objects, known])].filter((key) => !key.includes('\u0000'));
  const folded = new Set(keys.map((key) => key.toLowerCase()));
  const isAwkward = folded.size < keys.length || folded.has('') || folded.size === 0;
  return isAwkward || keys.length > maxFields ? undefined : keys;
}

/** Whether all values have to be numbers: by the description, or by the name of an amount that has some. */
function isFigureOf(
  name: string,
  values: readonly unknown[],
  known: SqlType = unknownType,
): boolean {
  return numberWord.test(String(known)) || (isAmountName(name) && values.some(isNumeric));
}

const numberWord = /^(BIGINT|HUGEINT|DOUBLE|DECIMAL)/;

/** A value as the engine reads it in a type. */
function readableValue(type: SqlType, value: unknown, onUnread: (value: unknown) => void): unknown {
  if (value === undefined || value === null) return null;
  if (isList(type))
    return Array.isArray(value) ? value.map((it) => readableValue(type[0], it, onUnread)) : null;
  if (isFields(type)) {
    if (!isRecord(value)) return null;
    const entries = Object.entries(type).map(([key, inner]) => [
      key,
      readableValue(inner, ownValue(value, key), onUnread),
    ]);
    return Object.fromEntries(entries);
  }
  if (/^(VARCHAR|JSON|NULL)$/.test(type)) return value;
  if (typeof value === 'string' && isEmptyCell(value)) return null;
  if (!numberWord.test(type) || isNumeric(value)) return value;
  onUnread(value);
  return null;
}

/** The type of numbers, of an amount with decimals; what else is among them does not count. */
function figureType(name: string, values: readonly unknown[], known: SqlType): SqlType {
  const numbers = values.filter(isNumeric);
  if (numbers.length === 0) return known;
  const isDecimal = isAmountName(name) || String(known).startsWith('DECIMAL');
  return numberType(numbers, isDecimal) ?? 'DOUBLE';
}

/** The type that holds every value; where there may be two, the documented one. */
function plainType(
  name: string,
  values: readonly unknown[],
  kinds: number,
  known: SqlType,
): SqlType {
  const areNumbers = areTrueNumbers(kinds);
  // Such as the numbers of orders: in other rows they are no numbers.
  if (areNumbers && known === sqlTypes.text) return known;
  // Codes that come as numbers stay so: their order is that of numbers.
  const isCode = !areNumbers && isCodeName(name);
  const type = typeOfKinds(kinds, isCode ? name : '');
  if (type === 'mixed' || type === 'nested' || type === 'empty') return sqlTypes.text;
  if (isOfNumbers(type)) {
    const exact = isCode ? undefined : numberType(values.filter(isNumeric), false);
    return exact ?? (areNumbers ? 'DOUBLE' : sqlTypes.text);
  }
  const isRead = (value: unknown) =>
    !isOfTimes(type) || isEmptyCell(value) || formsForEngine[type].test(String(value));
  return values.every(isRead) ? sqlTypes[type] : sqlTypes.text;
}

/** Forms that DuckDB reads, without years before 1000, small letters, offsets after minutes or after a space. */
const formsForEngine = {
  day: /^[^0]/,
  timestamp: /^[^0]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?![Z+-])[^tz ]*$/,
};

/** The type that holds numbers exactly, texts of numbers among them; undefined where none does. */
function numberType(numbers: readonly (number | string)[], isDecimal: boolean): string | undefined {
  const isWhole = (it: number | string) =>
    typeof it === 'number' ? Number.isInteger(it) : !it.includes('.');
  return isDecimal || !numbers.every(isWhole) ? decimalType(numbers) : integerType(numbers);
}

function integerType(numbers: readonly (number | string)[]): string | undefined {
  let bits = 64;
  for (const number of numbers) {
    if (Number.isSafeInteger(number)) continue;
    const value = BigInt(number);
    if (BigInt.asIntN(64, value) === value) continue;
    if (BigInt.asIntN(128, value) !== value) return undefined;
    bits = 128;
  }
  return bits === 64 ? sqlTypes.integer : 'HUGEINT';
}

const numberForm = /^-?(\d{1,28})(\.\d{1,10})?$/;

/** The decimal that holds every number; undefined where none does. */
function decimalType(numbers: readonly (number | string)[]): string | undefined {
  let whole = 1;
  let scale = 2;
  for (const value of numbers) {
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
