/**
 * The type of a column, inferred from its values once for profiles, SQL, figures, the account's shape and workbooks;
 * and trees of types for objects and lists.
 */
import { readTimestamp, timestampKind } from './calendar.ts';
import { isCodeName } from './column-name.ts';
import { ownValue, toNumber } from './json.ts';
import { isNumeric } from './money.ts';

/** `nested` for lists and objects, `mixed` for values of several kinds. */
export type ColumnType = Exclude<FieldWord, 'open'> | 'mixed' | 'empty' | 'nested';

/** The kind of one value as a bit: the kinds of all values of a column, combined, decide its type. */
export const valueKinds = {
  blankText: 1,
  wholeNumber: 2,
  fraction: 4,
  wholeText: 8,
  fractionText: 16,
  day: 32,
  moment: 64,
  otherText: 128,
  truth: 256,
  nested: 512,
} as const;

const { blankText, wholeNumber, fraction, wholeText, fractionText } = valueKinds;
const { day, moment, otherText, truth, nested } = valueKinds;

const trueNumbers = wholeNumber | fraction;
const numberTexts = wholeText | fractionText;
const filledTexts = numberTexts | day | moment | otherText;

function areAmong(kinds: number, others: number): boolean {
  return (kinds & ~others) === 0;
}

/** The combined kinds of values. Null and empty lists have none. */
export function kindsOf(values: readonly unknown[]): number {
  let kinds = 0;
  for (const value of values) {
    // After one plain text, no further text changes the type; judging each would take long.
    const isKnownText = typeof value === 'string' && (kinds & otherText) !== 0;
    if (!isKnownText) kinds |= kindOf(value);
  }
  return kinds;
}

function kindOf(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? wholeNumber : fraction;
  if (typeof value === 'boolean') return truth;
  if (typeof value !== 'string') return isEmptyCell(value) ? 0 : nested;
  if (value.trim() === '') return blankText;
  if (isNumeric(value)) return value.includes('.') ? fractionText : wholeText;
  const time = timestampKind(value);
  if (time === undefined) return otherText;
  return time === 'day' ? day : moment;
}

/** Whether all values are JSON numbers, not texts of digits; blank texts do not count. */
export function areTrueNumbers(kinds: number): boolean {
  return areAmong(kinds, trueNumbers | blankText);
}

/** Blank texts do not count. Columns that are named as codes are text. */
export function typeOfKinds(kinds: number, name = ''): ColumnType {
  const are = (others: number) => areAmong(kinds, others | blankText);
  if (are(0)) return 'empty';
  if (are(nested)) return 'nested';
  if (isCodeName(name) && are(filledTexts | wholeNumber)) return 'text';
  // Texts of digits alone are codes; among JSON numbers they are numbers.
  if (are(wholeText)) return 'text';
  if (are(wholeText | wholeNumber)) return 'integer';
  if (are(trueNumbers | numberTexts)) return 'decimal';
  if (are(day)) return 'day';
  if (are(day | moment)) return 'timestamp';
  if (are(filledTexts)) return 'text';
  return are(truth) ? 'boolean' : 'mixed';
}

export function columnType(cells: readonly unknown[], name = ''): ColumnType {
  return typeOfKinds(kindsOf(cells), name);
}

export function isNumberType(type: ColumnType): type is 'integer' | 'decimal' {
  return type === 'integer' || type === 'decimal';
}

export function isTimeType(type: ColumnType): type is 'day' | 'timestamp' {
  return type === 'day' || type === 'timestamp';
}

/** The sort key of a cell: a number, an instant in epoch milliseconds, or a text (days too). */
export function orderOf(type: ColumnType): (cell: unknown) => number | string {
  if (isNumberType(type)) return toNumber;
  return type === 'timestamp' ? (cell) => readTimestamp(cell)?.ms ?? 0 : cellText;
}

/** Missing, null, blank text, an empty list or an empty object. */
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

/** One word, a list of a type, or the fields of an object. */
export type ColumnTree<Word extends string> =
  | Word
  | readonly [ColumnTree<Word>]
  | ColumnTrees<Word>;

export interface ColumnTrees<Word extends string> {
  readonly [name: string]: ColumnTree<Word>;
}

/** `open`: nothing is known about the field. */
export type FieldWord = 'integer' | 'decimal' | 'text' | 'boolean' | 'day' | 'timestamp' | 'open';

export type FieldType = ColumnTree<FieldWord>;

export type FieldTypes = ColumnTrees<FieldWord>;

export function isList<Word extends string>(
  type: ColumnTree<Word>,
): type is readonly [ColumnTree<Word>] {
  return Array.isArray(type);
}

export function isFields<Word extends string>(type: ColumnTree<Word>): type is ColumnTrees<Word> {
  return typeof type === 'object' && !Array.isArray(type);
}

/** Replaces each word of a type. `replace` also gets the name of the field. */
export function mapWords<From extends string, To extends string>(
  type: ColumnTree<From>,
  replace: (word: From, name: string) => To,
  name = '',
): ColumnTree<To> {
  if (isList(type)) return [mapWords(type[0], replace, name)];
  if (!isFields(type)) return replace(type, name);
  const fields = Object.entries(type).map(([key, inner]) => [key, mapWords(inner, replace, key)]);
  return Object.fromEntries(fields);
}

/** Completes a type from another: words that are `open`, and fields that it lacks. */
export function fillTree<Word extends string>(
  type: ColumnTree<Word>,
  source: ColumnTree<Word> | undefined,
  open: Word,
): ColumnTree<Word> {
  if (source === undefined) return type;
  if (type === open) return source;
  if (isList(type) && isList(source)) return [fillTree(type[0], source[0], open)];
  if (!isFields(type) || !isFields(source)) return type;
  const names = new Set(Object.keys(type).map((key) => key.toLowerCase()));
  const missing = Object.entries(source).filter(([key]) => !names.has(key.toLowerCase()));
  const filled = Object.entries(type).map(([key, inner]) => [
    key,
    fillTree(inner, ownValue(source, key), open),
  ]);
  return Object.fromEntries([...filled, ...missing]);
}

/** Columns that several sources describe: the first source with a type decides it, the last source gives the order. */
export function mergeColumns(...sources: readonly FieldTypes[]): FieldTypes {
  const keys = new Set(sources.toReversed().flatMap(Object.keys));
  const typesOf = (key: string) =>
    sources.filter((source) => Object.hasOwn(source, key)).map((source) => source[key] ?? 'open');
  return Object.fromEntries([...keys].map((key) => [key, mergeTypes(typesOf(key))]));
}

function mergeTypes(types: readonly FieldType[]): FieldType {
  const closed = types.filter((type) => type !== 'open');
  const objects = closed.filter(isFields);
  return objects.length > 1 && objects.length === closed.length
    ? mergeColumns(...objects)
    : (closed[0] ?? 'open');
}

/** Leaves out the fields that a caller may not see. `isHidden` takes dotted names. */
export function removeFields(
  columns: FieldTypes,
  isHidden: (path: string) => boolean,
  prefix = '',
): FieldTypes {
  const typeAt = (type: FieldType, path: string): FieldType => {
    if (isFields(type)) return removeFields(type, isHidden, `${path}.`);
    return isList(type) ? [typeAt(type[0], path)] : type;
  };
  const kept = Object.entries(columns).filter(([name]) => !isHidden(prefix + name));
  return Object.fromEntries(kept.map(([name, type]) => [name, typeAt(type, prefix + name)]));
}
