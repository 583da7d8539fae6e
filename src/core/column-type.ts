/**
 * What a column holds, decided from its values: the one inference of profiles, SQL, figures, looks at an account
 * and workbooks; and the tree of types of what is in its objects and lists. What its name says is in
 * `column-name.ts`.
 */
import { readTimestamp, timestampKind } from './calendar.ts';
import { isCodeName } from './column-name.ts';
import { isRecord, type JsonObject, toNumber } from './json.ts';
import { isNumeric } from './money.ts';

/** What values are that are no lists or objects; `mixed` when they are of several kinds. */
export type ValueType = Exclude<FieldWord, 'open'> | 'mixed';

/** The same of a column; `nested` for lists and objects. */
export type ColumnType = ValueType | 'empty' | 'nested';

/** The type of values, each of which counts. A code is text, be it written as a number or a day. */
export function valueType(values: readonly unknown[], name = ''): ValueType {
  const are = (is: (value: unknown) => boolean) => values.every(is);
  if (isCodeName(name) && are((it) => isText(it) || Number.isSafeInteger(it))) return 'text';
  if (are(isNumeric)) {
    if (!are(isWhole)) return 'decimal';
    // Texts of digits are amounts among true numbers, and else codes.
    return are(isText) ? 'text' : 'integer';
  }
  if (are((value) => timestampKind(value) === 'day')) return 'day';
  if (are((value) => timestampKind(value) !== undefined)) return 'timestamp';
  if (are(isText)) return 'text';
  return are((value) => typeof value === 'boolean') ? 'boolean' : 'mixed';
}

/** The type of a column; cells without a value do not count. */
export function columnType(cells: readonly unknown[], name = ''): ColumnType {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  if (filled.length === 0) return 'empty';
  return filled.every((cell) => typeof cell === 'object') ? 'nested' : valueType(filled, name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWhole(value: unknown): boolean {
  return isText(value) ? !value.includes('.') : Number.isInteger(value);
}

/** Whether a column holds amounts, quantities or numbers that name something. */
export function isOfNumbers(type: ColumnType): type is 'integer' | 'decimal' {
  return type === 'integer' || type === 'decimal';
}

/** Whether a column holds days or instants. */
export function isOfTimes(type: ColumnType): type is 'day' | 'timestamp' {
  return type === 'day' || type === 'timestamp';
}

/** What the cells of a column are ordered by: numbers, instants in epoch milliseconds, or texts, as days are. */
export function orderOf(type: ColumnType): (cell: unknown) => number | string {
  if (isOfNumbers(type)) return toNumber;
  return type === 'timestamp' ? (cell) => readTimestamp(cell)?.ms ?? 0 : cellText;
}

/** Whether a cell holds nothing: missing, null, blank text, an empty list or object. */
export function isEmptyCell(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** A cell as text: lists and objects as compact JSON, nothing as `''`. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A type in one word, a list of something, or the fields of an object. */
export type ColumnTree<Word extends string> =
  | Word
  | readonly [ColumnTree<Word>]
  | ColumnTrees<Word>;

/** Types by the names of columns, or of an object's fields. */
export interface ColumnTrees<Word extends string> {
  readonly [name: string]: ColumnTree<Word>;
}

/** What a field can hold; `open` where nothing is known of it. */
export const fieldWords = [
  'integer',
  'decimal',
  'text',
  'boolean',
  'day',
  'timestamp',
  'open',
] as const;

export type FieldWord = (typeof fieldWords)[number];

/** What a field of the platform's answers holds. */
export type FieldType = ColumnTree<FieldWord>;

/** The fields of a row or record, by their names. */
export type FieldTypes = ColumnTrees<FieldWord>;

/** Whether a type is a list of something. */
export function isList<Word extends string>(
  type: ColumnTree<Word>,
): type is readonly [ColumnTree<Word>] {
  return Array.isArray(type);
}

/** Whether a type is an object's. */
export function isFields<Word extends string>(type: ColumnTree<Word>): type is ColumnTrees<Word> {
  return typeof type === 'object' && !Array.isArray(type);
}

/** The same type with each word replaced, by it and the name of its field. */
export function mapWords<From extends string, To extends string>(
  type: ColumnTree<From>,
  replace: (word: From, name: string) => To,
  name = '',
): ColumnTree<To> {
  if (isList(type)) return [mapWords(type[0], replace, name)];
  if (!isFields(type)) return replace(type, name);
  const fields = Object.entries(type).map(([key, it]) => [key, mapWords(it, replace, key)]);
  return Object.fromEntries(fields);
}

interface TreeRules<Word extends string> {
  /** The type of values that are no lists or objects; there may be none. */
  leaf(
    name: string,
    values: readonly unknown[],
    known?: ColumnTree<Word> | undefined,
  ): ColumnTree<Word>;
  /** The fields of objects, which may have more that are known; undefined where they are no fields but data. */
  fieldsOf(objects: readonly JsonObject[], known: ColumnTrees<Word>): readonly string[] | undefined;
  /** The type of objects without fields, and of objects among other values. */
  other: Word;
}

/** The type that fits all values of a column. `known`: what is known of it without them. */
export function inferTree<Word extends string>(
  name: string,
  values: readonly unknown[],
  rules: TreeRules<Word>,
  known?: ColumnTree<Word>,
): ColumnTree<Word> {
  const held = values.filter((value) => value !== null && value !== undefined);
  if (!held.some((value) => typeof value === 'object')) return rules.leaf(name, held, known);
  if (held.every(Array.isArray)) {
    const item = known !== undefined && isList(known) ? known[0] : undefined;
    return [inferTree(name, held.flat(), rules, item)];
  }
  const knownFields = known !== undefined && isFields(known) ? known : {};
  const fields = held.every(isRecord) ? rules.fieldsOf(held, knownFields) : undefined;
  if (fields === undefined) return rules.other;
  const valuesOf = (key: string) => held.map((it) => (isRecord(it) ? it[key] : undefined));
  return Object.fromEntries(
    fields.map((key) => [key, inferTree(key, valuesOf(key), rules, knownFields[key])]),
  );
}

/** The same columns where several sources know some: the first that knows a type is right, the last gives the order. */
export function mergeColumns(...sources: readonly FieldTypes[]): FieldTypes {
  const keys = new Set(sources.toReversed().flatMap(Object.keys));
  const typesOf = (key: string) =>
    sources.filter((it) => Object.hasOwn(it, key)).map((it) => it[key] ?? 'open');
  return Object.fromEntries([...keys].map((key) => [key, mergeTypes(typesOf(key))]));
}

function mergeTypes(types: readonly FieldType[]): FieldType {
  const known = types.filter((it) => it !== 'open');
  const objects = known.filter(isFields);
  return objects.length > 1 && objects.length === known.length
    ? mergeColumns(...objects)
    : (known[0] ?? 'open');
}

/** Without what a caller does not see, by dotted names. */
export function withoutFields(
  columns: FieldTypes,
  isOut: (path: string) => boolean,
  prefix = '',
): FieldTypes {
  const typeAt = (type: FieldType, path: string): FieldType => {
    if (isFields(type)) return withoutFields(type, isOut, `${path}.`);
    return isList(type) ? [typeAt(type[0], path)] : type;
  };
  const kept = Object.entries(columns).filter(([name]) => !isOut(prefix + name));
  return Object.fromEntries(kept.map(([name, type]) => [name, typeAt(type, prefix + name)]));
}
