/**
 * The shape of an account: the columns, words and measures of its answers, each with the last day on which it was seen,
 * and no other values. It widens with each answer; words that no answer has shown for a month are forgotten.
 */
import { z } from 'zod';
import { addDays, type Day, isDay } from '../../core/calendar.ts';
import {
  isAmountName,
  isDecimalName,
  isQuantityName,
  isTypeableName,
} from '../../core/column-name.ts';
import {
  type FieldType,
  type FieldTypes,
  type FieldWord,
  kindsOf,
  typeOfKinds,
  valueKinds,
} from '../../core/column-type.ts';
import { groupBy, isRecord, type JsonObject, toNumber } from '../../core/json.ts';
import { readFacts } from '../reference/facts.ts';

export interface ToolShape {
  /** The rows of the largest answer, up to {@link enoughRows}. */
  rows: number;
  /** By path (steps joined by line breaks), the words that were seen there with their last days. */
  places: Map<string, Map<string, Day>>;
}

/** By tool. */
export type Shape = Map<string, ToolShape>;

/** Columns, values and measures of a tool, derived from its shape. */
export interface ColumnFindings {
  columns: FieldTypes;
  /** The kinds of values by path (steps joined by line breaks); items of lists have an empty step. */
  kinds: ReadonlyMap<string, number>;
  /** Values of kinds, types and statuses by dotted name, with the meanings of kinds of lines; there may be others. */
  seen: Readonly<Record<string, readonly string[]>>;
  measures: readonly { path: string; split: string; names: readonly string[] }[];
  /** How many rows it was derived from, up to {@link enoughRows}. */
  rowCount: number;
}

/** Before the first answer of a tool. */
export const emptyFindings: ColumnFindings = {
  columns: {},
  kinds: new Map(),
  seen: {},
  measures: [],
  rowCount: 0,
};

/** A column that is empty in so many rows is reported as empty. */
export const enoughRows = 20;

/** An answer is learnt from so many rows, evenly spread, and fewer if they are wide. */
const maxLearnt = 100;
const maxCells = 5000;
const maxPlaces = 2000;
const maxColumns = 200;
const maxFields = 40;
const maxWords = 12;
const maxMeasures = 1000;
const maxDepth = 10;
const forgottenAfterDays = 30;

/** Words of a place besides the kinds of its values. */
const emptyWord = 'empty';
const listWord = 'list';
const objectWord = 'object';
/** Some values of the place cannot be listed. */
const unlistedWord = 'unlisted';
/** Begins the word for a listed value. */
const valueMark = '=';

/** Columns of kinds, types or statuses: few values, which are worth listing. */
const listedColumn = /(^|[._])(kind|type|type_alias|status|state)$/;

/** Widens a shape by the rows or the record of an answer. @returns whether it changed */
export function learnRows(shape: ToolShape, rows: readonly JsonObject[], today: Day): boolean {
  const before = shape.rows;
  shape.rows = Math.max(before, Math.min(rows.length, enoughRows));
  const width = Object.keys(rows[0] ?? {}).length;
  const step = Math.max(1, Math.ceil(rows.length / Math.min(maxLearnt, maxCells / (width + 1))));
  const sample = rows.filter((_, at) => at % step === 0);
  const isChanged = learnValues(shape, sample, today);
  const lines = new Set(lineWords(sample));
  const areLinesNew = lines.size > 0 && addWords(shape, 'kind', lines, today);
  return areLinesNew || isChanged || shape.rows > before;
}

/** Widens a shape by the measures of a report. @returns whether it changed */
export function learnReport(shape: ToolShape, report: unknown, today: Day): boolean {
  const before = shape.rows;
  shape.rows = 1;
  const measures = new Map<string, Set<string>>();
  let room = maxMeasures;
  for (const { measure, split } of readFacts(report)) {
    const steps = measure.split('.');
    const name = steps.pop() ?? '';
    const place = [steps.join('.'), split].join('\n');
    const names = measures.get(place) ?? new Set();
    if (names.has(name) || room === 0 || !isTypeableName(steps.join('.') + name)) continue;
    measures.set(place, names.add(name));
    room--;
  }
  const changes = [...measures].map(([place, names]) => addWords(shape, place, names, today));
  return changes.includes(true) || before === 0;
}

function learnValues(shape: ToolShape, rows: readonly JsonObject[], today: Day): boolean {
  let isChanged = false;
  // Inner fields come last, since the room for places is bounded. The queue grows while it is read.
  const queue: { path: readonly string[]; values: readonly unknown[] }[] = [
    { path: [], values: rows },
  ];
  for (const { path, values } of queue) {
    const place = path.join('\n');
    if (place !== '' && addWords(shape, place, wordsOf(path, values), today)) isChanged = true;
    const isLearnt = place === '' || shape.places.has(place);
    if (!isLearnt || path.length > maxDepth) continue;
    const lists = values.filter(Array.isArray).map((list) => list.slice(0, maxLearnt));
    const items = lists.flat().slice(0, maxLearnt);
    if (items.length > 0) queue.push({ path: [...path, ''], values: items });
    const fields = valuesByField(values.filter(isRecord));
    // The keys of an object with more fields are data, such as days.
    if (place !== '' && fields.size > maxFields) continue;
    const names = [...fields.keys()].filter(isTypeableName).slice(0, maxColumns);
    for (const name of names) queue.push({ path: [...path, name], values: fields.get(name) ?? [] });
  }
  return isChanged;
}

function valuesByField(objects: readonly JsonObject[]): Map<string, unknown[]> {
  const fields = new Map<string, unknown[]>();
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) {
      const values = fields.get(name);
      if (values === undefined) fields.set(name, [value]);
      else values.push(value);
    }
  return fields;
}

function wordsOf(path: readonly string[], values: readonly unknown[]): string[] {
  const kinds = kindsOf(values);
  const words = Object.entries(valueKinds).flatMap(([word, bit]) => (kinds & bit ? word : []));
  if (values.some(Array.isArray)) words.push(listWord);
  if (values.some(isRecord)) words.push(objectWord);
  if (listedColumn.test(path.join('.'))) words.push(...listedWords(values));
  return words.length > 0 ? words : [emptyWord];
}

function listedWords(values: readonly unknown[]): string[] {
  const texts = new Set(values.filter((value) => typeof value === 'string' && value.trim() !== ''));
  const words = [...texts].filter(isListable);
  if (words.length < texts.size || words.length > maxWords) return [unlistedWord];
  return words.map((word) => valueMark + word);
}

// The document leaves the meaning of a line's kind open (docs/platform.md#order-lines): the fields of its lines tell it.

/** Words for lines with the same fields, as the shape remembers them, and their meanings. */
const meanings = {
  sold: 'sold',
  back: 'taken back',
  paid: 'paid',
  plain: 'no product',
  below: 'no product, below zero',
} as const;

/** `~article:sold` for each line with a kind; none where rows have no products. */
function lineWords(rows: readonly JsonObject[]): string[] {
  const [first = {}] = rows;
  if (!('kind' in first) || !Object.keys(first).some(isProductId)) return [];
  return rows.flatMap((row) => {
    const word = lineWord(Object.entries(row).filter(([, value]) => value !== null));
    return word && isListable(row.kind) ? `~${row.kind}:${word}` : [];
  });
}

/** Whether a value is a short word. */
function isListable(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,30}$/.test(value);
}

/** `article: sold or taken back`, or the kind alone where its lines do not tell. */
function sayKind(kind: string, words: ReadonlyMap<string, unknown>): string {
  const isSeen = (word: string) => words.has(`~${kind}:${word}`);
  const texts = Object.entries(meanings)
    .filter(([word]) => isSeen(word) && !(word === 'below' && isSeen('plain')))
    .map(([, meaning]) => meaning);
  return texts.length > 0 ? `${kind}: ${texts.join(' or ')}` : kind;
}

/** Undefined for a product with a negative amount and a positive quantity, such as a discount on it. */
function lineWord(
  fields: readonly [name: string, value: unknown][],
): keyof typeof meanings | undefined {
  const valuesOf = (matches: (name: string) => boolean) =>
    fields.filter(([name]) => matches(name)).map(([, value]) => toNumber(value));
  const isBelow = valuesOf(isAmountName).some((amount) => amount < 0);
  if (fields.some(([name]) => isProductId(name))) {
    const quantities = valuesOf(isQuantityName);
    if (quantities.length === 0) return isBelow ? 'back' : 'sold';
    if (quantities.some((quantity) => quantity < 0)) return 'back';
    return isBelow ? undefined : 'sold';
  }
  if (fields.some(([name]) => name === 'provider_method_type_id')) return 'paid';
  return isBelow ? 'below' : 'plain';
}

function isProductId(name: string): boolean {
  return /(^|_)product_id$/.test(name);
}

/** @returns whether the shape changed */
function addWords(shape: ToolShape, place: string, words: Iterable<string>, day: Day): boolean {
  const lastDays = shape.places.get(place) ?? new Map<string, Day>();
  if (lastDays.size === 0 && shape.places.size >= maxPlaces) return false;
  let isChanged = false;
  for (const word of words) {
    if ((lastDays.get(word) ?? '') >= day || lastDays.size >= maxMeasures) continue;
    lastDays.set(word, day);
    isChanged = true;
  }
  shape.places.set(place, lastDays);
  return isChanged;
}

/** Each word gets its later day; words that no answer has shown for thirty days are left out. */
export function joinShapes(today: Day, ...shapes: readonly Shape[]): Shape {
  const firstDay = addDays(today, -forgottenAfterDays);
  const joined: Shape = new Map();
  for (const [tool, { rows, places }] of shapes.flatMap((shape) => [...shape])) {
    const shape = joined.get(tool) ?? emptyShape();
    shape.rows = Math.max(shape.rows, rows);
    for (const [place, words] of places)
      for (const [word, day] of words) if (day >= firstDay) addWords(shape, place, [word], day);
    if (shape.places.size > 0) joined.set(tool, shape);
  }
  return joined;
}

export function emptyShape(): ToolShape {
  return { rows: 0, places: new Map() };
}

type Places = ToolShape['places'];

/** Derives columns and values, or the measures of a report. */
export function findingsOf({ rows, places }: ToolShape, isReport: boolean): ColumnFindings {
  const findings = { ...emptyFindings, rowCount: rows };
  if (isReport) return { ...findings, measures: measuresOf(places) };
  const kinds = new Map([...places].map(([place, words]) => [place, kindsIn(words)]));
  return { ...findings, columns: typesOf(places, kinds), kinds, seen: listedValues(places) };
}

function listedValues(places: Places): ColumnFindings['seen'] {
  const listed = [...places].flatMap(([place, words]): [string, string[]][] => {
    const values = [...words.keys()].filter((word) => word.startsWith(valueMark));
    const steps = place.split('\n');
    const isWhole = !words.has(unlistedWord) && values.length <= maxWords;
    if (values.length === 0 || !isWhole || steps.includes('')) return [];
    return [[steps.join('.'), values.map((word) => sayKind(word.slice(1), words)).sort()]];
  });
  return Object.fromEntries(listed.slice(0, maxFields));
}

function typesOf(places: Places, kindsAt: ReadonlyMap<string, number>): FieldTypes {
  const outerOf = (place: string) => place.slice(0, Math.max(0, place.lastIndexOf('\n')));
  const nameOf = (place: string) => place.slice(place.lastIndexOf('\n') + 1);
  const fields = groupBy(places.keys(), outerOf);
  const fieldTypes = (outer: string): FieldTypes =>
    Object.fromEntries((fields.get(outer) ?? []).map((place) => [nameOf(place), typeAt(place)]));
  const typeAt = (place: string): FieldType => {
    const words = places.get(place);
    const kinds = kindsAt.get(place) ?? 0;
    const [isOfLists, isOfObjects] = [words?.has(listWord), words?.has(objectWord)];
    if (!isOfLists && !isOfObjects) return fieldType(nameOf(place), kinds);
    if ((isOfLists && isOfObjects) || (kinds & ~valueKinds.nested) !== 0) return 'open';
    const inner = fields.get(place)?.length ?? 0;
    if (isOfLists) return [inner > 0 ? typeAt(`${place}\n`) : 'open'];
    return inner > 0 && inner <= maxFields ? fieldTypes(place) : 'open';
  };
  return fieldTypes('');
}

function kindsIn(words: ReadonlyMap<string, Day>): number {
  const kinds = Object.entries(valueKinds).filter(([word]) => words.has(word));
  return kinds.reduce((all, [, bit]) => all | bit, 0);
}

/** The type of a field by the kinds of its values. */
function fieldType(name: string, kinds: number): FieldWord {
  if (kinds === 0) return 'open';
  const type = typeOfKinds(kinds, name);
  if (type === 'empty' || type === 'mixed' || type === 'nested') return 'text';
  // docs/platform.md#money: an amount is a decimal, even if all rows have whole ones.
  return type === 'integer' && isDecimalName(name) ? 'decimal' : type;
}

function measuresOf(places: Places): ColumnFindings['measures'] {
  return [...places].map(([place, words]) => {
    const [path = '', split = ''] = place.split('\n');
    return { path, split, names: [...words.keys()].slice(0, maxFields) };
  });
}

/** Reads what {@link writtenShape} wrote; undefined for anything else, such as a shape with future days. */
export function readShape(value: unknown, today: Day): Shape | undefined {
  const isStep = (word: string) => word === '' || isTypeableName(word);
  const pastDay = z.string().refine((day) => isDay(day) && day <= today);
  const words = mapOf(z.string().refine(isStep), pastDay);
  const place = z.string().refine((place) => place.split('\n').every(isStep));
  const places = mapOf(place, words).refine(({ size }) => size <= maxPlaces);
  const rows = z.int().transform((rows) => Math.min(rows, enoughRows));
  return mapOf(z.string(), z.object({ rows, places })).safeParse(value).data;
}

function mapOf<Value>(key: z.ZodString, value: z.ZodType<Value>) {
  return z.record(key, value).transform((record) => new Map(Object.entries(record)));
}

export function writtenShape(shape: Shape): JsonObject {
  const objectOf = <Value>(map: Map<string, Value>, write: (value: Value) => unknown) =>
    Object.fromEntries([...map].map(([key, value]) => [key, write(value)]));
  return objectOf(shape, ({ rows, places }) => {
    return { rows, places: objectOf(places, Object.fromEntries) };
  });
}
