/** The types of columns, of the objects and lists in them as well. */

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

type FieldWord = (typeof fieldWords)[number];

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
