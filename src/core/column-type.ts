/**
 * What a column holds, decided from its values: the one inference of profiles, SQL, figures, looks at an account
 * and workbooks; and the tree of types of what is in its objects and lists. What its name says is in
 * `column-name.ts`.
 */
import { readTimestamp, timestampKind } from './calendar.ts';
import { isCodeName } from './column-name.ts';
import { ownValue, toNumber } from './json.ts';
import { isNumeric } from './money.ts';

/** What a column holds: `nested` for lists and objects, `mixed` for values of several kinds. */
export type ColumnType = Exclude<FieldWord, 'open'> | 'mixed' | 'empty' | 'nested';

/** What one value is, as a bit: the kinds of a column are those of its values together, and decide about its type. */
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

/** Whether some kinds are among others. */
function areAmong(kinds: number, others: number): boolean {
  return (kinds & ~others) === 0;
}

/** The kinds of values together; nothing, such as null or an empty list, has none. */
export function kindsOf(values: readonly unknown[]): number {
  let kinds = 0;
  for (const value of values) {
    // Looking at a text takes long, and after one that is no number or day no other changes the type.
    const isSettled = typeof value === 'string' && (kinds & otherText) !== 0;
    if (!isSettled) kinds |= kindOf(value);
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

/** Whether all values are numbers, none of them written as a text; blank texts do not count. */
export function areTrueNumbers(kinds: number): boolean {
  return areAmong(kinds, trueNumbers | blankText);
}

/** The type of a column by the kinds of its values; blank texts do not count. A code is text, be it a number or a day. */
export function typeOfKinds(kinds: number, name = ''): ColumnType {
  const are = (others: number) => areAmong(kinds, others | blankText);
  if (are(0)) return 'empty';
  if (are(nested)) return 'nested';
  if (isCodeName(name) && are(filledTexts | wholeNumber)) return 'text';
  // Texts of digits are amounts among true numbers, and else codes.
  if (are(wholeText)) return 'text';
  if (are(wholeText | wholeNumber)) return 'integer';
  if (are(trueNumbers | numberTexts)) return 'decimal';
  if (are(day)) return 'day';
  if (are(day | moment)) return 'timestamp';
  if (are(filledTexts)) return 'text';
  return are(truth) ? 'boolean' : 'mixed';
}

/** The type of a column; cells without a value do not count. */
export function columnType(cells: readonly unknown[], name = ''): ColumnType {
  return typeOfKinds(kindsOf(cells), name);
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

/** The same type with what is known of it besides where its values do not tell, and with fields that none has. */
export function fillTree<Word extends string>(
  type: ColumnTree<Word>,
  known: ColumnTree<Word> | undefined,
  open: Word,
): ColumnTree<Word> {
  if (known === undefined) return type;
  if (type === open) return known;
  if (isList(type) && isList(known)) return [fillTree(type[0], known[0], open)];
  if (!isFields(type) || !isFields(known)) return type;
  const names = new Set(Object.keys(type).map((key) => key.toLowerCase()));
  const others = Object.entries(known).filter(([key]) => !names.has(key.toLowerCase()));
  const filled = Object.entries(type).map(([key, inner]) => [
    key,
    fillTree(inner, ownValue(known, key), open),
  ]);
  return Object.fromEntries([...filled, ...others]);
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
