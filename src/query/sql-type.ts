/** Types in DuckDB's words, from the values of a column and from its description. */
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
  isNumberType,
  isTimeType,
  kindsOf,
  mapWords,
  typeOfKinds,
  valueKinds,
} from '../core/column-type.ts';
import { isRecord, type JsonObject, ownValue } from '../core/json.ts';
import { isNumeric } from '../core/money.ts';

export type SqlType = ColumnTree<string>;

export type SqlTypes = ColumnTrees<string>;

/** The type of a column that never held a value: NULL fits every type. */
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

/** Columns of open type are moments if their names say so. */
export function sqlColumns(columns: FieldTypes): SqlTypes {
  const sqlWord = (word: keyof typeof sqlTypes, name: string) =>
    word === 'open' && isMomentName(name) ? 'TIMESTAMPTZ' : sqlTypes[word];
  const types = Object.entries(columns).map(([name, type]) => [
    name,
    mapWords(type, sqlWord, name),
  ]);
  return Object.fromEntries(types);
}

/** Guesses an unknown type by the name of the column, else text. */
export function guessedType(word: string, name: string): string {
  if (word !== unknownType) return word;
  if (isDecimalName(name)) return sqlTypes.decimal;
  return isIdName(name) ? sqlTypes.integer : sqlTypes.text;
}

export function keysOf(objects: readonly JsonObject[]): Set<string> {
  const keys = new Set<string>();
  for (const object of objects) for (const key of Object.keys(object)) keys.add(key);
  return keys;
}

/** An object with more keys, such as days or ids, stays JSON. */
const maxFields = 400;

interface TypedColumn {
  type: SqlType;
  /** Ready for the engine. */
  values: readonly unknown[];
  /** By row, the values that should be numbers and became null. */
  unread: ReadonlyMap<number, unknown>;
}

/**
 * Finds the type that fits all values. Blank texts become null unless the column is text; in documented numbers and in
 * amounts, so do values that are not numbers.
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
    documentedType: SqlType = unknownType,
  ): SqlType => {
    const kinds = kindsOf(values);
    const isFigure = isFigureColumn(name, values, documentedType);
    isClean &&=
      (kinds & valueKinds.blankText) === 0 && (!isFigure || isNumberType(typeOfKinds(kinds)));
    const isUnknown = documentedType === unknownType;
    if (kinds === 0) return isUnknown && isTextName(name) ? sqlTypes.text : documentedType;
    if (kinds === valueKinds.blankText) return isUnknown ? sqlTypes.text : documentedType;
    return isFigure
      ? figureType(name, values, documentedType)
      : plainType(name, values, kinds, documentedType);
  };
  const infer = (name: string, cells: readonly unknown[], type?: SqlType): SqlType => {
    const values = cells.filter((value) => value !== null && value !== undefined);
    if (!values.some((value) => typeof value === 'object')) return leaf(name, values, type);
    if (values.every(Array.isArray)) {
      const itemType = type !== undefined && isList(type) ? type[0] : undefined;
      return [infer(name, values.flat(), itemType)];
    }
    const objects = values.filter(isRecord);
    const fieldTypes = type !== undefined && isFields(type) ? type : {};
    const fields = objects.length === values.length ? fieldNames(objects, fieldTypes) : undefined;
    if (fields === undefined)
      return isFigureColumn(name, values, type) ? leaf(name, values, type) : 'JSON';
    const types = fields.map((key) => {
      const inner = objects.map((object) => ownValue(object, key));
      return [key, infer(key, inner, ownValue(fieldTypes, key))];
    });
    return Object.fromEntries(types);
  };
  const type = infer(column, given, documented);
  const unread = new Map<number, unknown>();
  if (isClean) return { type, values: given, unread };
  const values = given.map((value, at) =>
    readableValue(type, value, (inner) => unread.set(at, inner)),
  );
  return { type, values, unread };
}

/** The fields of objects; undefined where SQL cannot tell their names apart, so that they stay JSON. */
function fieldNames(objects: readonly JsonObject[], documented: SqlTypes): string[] | undefined {
  const keys = [...keysOf([...objects, documented])].filter((key) => !key.includes('\u0000'));
  const lowerKeys = new Set(keys.map((key) => key.toLowerCase()));
  const isAmbiguous = lowerKeys.size < keys.length || lowerKeys.has('') || lowerKeys.size === 0;
  return isAmbiguous || keys.length > maxFields ? undefined : keys;
}

/** Whether all values should be numbers: by the description, or by the name of an amount where some are. */
function isFigureColumn(
  name: string,
  values: readonly unknown[],
  documented: SqlType = unknownType,
): boolean {
  return numberWord.test(String(documented)) || (isAmountName(name) && values.some(isNumeric));
}

const numberWord = /^(BIGINT|HUGEINT|DOUBLE|DECIMAL)/;

/** The value, or null where the engine could not read it as this type. */
function readableValue(type: SqlType, value: unknown, onUnread: (value: unknown) => void): unknown {
  if (value === undefined || value === null) return null;
  if (isList(type))
    return Array.isArray(value)
      ? value.map((item) => readableValue(type[0], item, onUnread))
      : null;
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

/** The type of the numbers among the values; amounts have decimals. */
function figureType(name: string, values: readonly unknown[], documented: SqlType): SqlType {
  const numbers = values.filter(isNumeric);
  if (numbers.length === 0) return documented;
  const isDecimal = isAmountName(name) || String(documented).startsWith('DECIMAL');
  return numberType(numbers, isDecimal) ?? 'DOUBLE';
}

/** The type that holds every value; the documented one where two are possible. */
function plainType(
  name: string,
  values: readonly unknown[],
  kinds: number,
  documented: SqlType,
): SqlType {
  const areNumbers = areTrueNumbers(kinds);
  // Order numbers of other rows may not be numbers.
  if (areNumbers && documented === sqlTypes.text) return documented;
  // Codes that come as numbers stay numbers, to sort as such.
  const isCode = !areNumbers && isCodeName(name);
  const type = typeOfKinds(kinds, isCode ? name : '');
  if (type === 'mixed' || type === 'nested' || type === 'empty') return sqlTypes.text;
  if (isNumberType(type)) {
    const exact = isCode ? undefined : numberType(values.filter(isNumeric), false);
    return exact ?? (areNumbers ? 'DOUBLE' : sqlTypes.text);
  }
  const isReadable = (value: unknown) =>
    !isTimeType(type) || isEmptyCell(value) || formsForEngine[type].test(String(value));
  return values.every(isReadable) ? sqlTypes[type] : sqlTypes.text;
}

/** DuckDB reads no years before 1000, no lower case, no offsets directly after minutes or after a space. */
const formsForEngine = {
  day: /^[^0]/,
  timestamp: /^[^0]\d{3}-\d\d-\d\d[T ]\d\d:\d\d(?![Z+-])[^tz ]*$/,
};

/** The type that holds numbers and texts of numbers exactly; undefined where none does. */
function numberType(numbers: readonly (number | string)[], isDecimal: boolean): string | undefined {
  const isWhole = (number: number | string) =>
    typeof number === 'number' ? Number.isInteger(number) : !number.includes('.');
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
    // Most are amounts in cents; reading their text would take ten times as long.
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
  // Two more decimals for a half of the last digit, as in a median, and a half of that.
  const digits = whole + scale + 2;
  if (digits > 32) return undefined;
  // 18 digits fit a machine word; of 38, some stay free for sums.
  return `DECIMAL(${digits <= 16 ? 18 : 38},${scale + 2})`;
}
