/**
 * The shape of an account: the columns, words and measures of its answers, each with the last day on which it was seen,
 * and no other values. It widens with each answer; words that no answer has shown for a month are forgotten.
 */
import { z } from 'zod';
import { addDays, type Day, isDay } from '../../core/calendar.ts';
import { isDecimalName, isTypeableName } from '../../core/column-name.ts';
import {
  type FieldType,
  type FieldTypes,
  type FieldWord,
  kindsOf,
  typeOfKinds,
  valueKinds,
} from '../../core/column-type.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { readFacts } from '../reference/facts.ts';
import { isListable, lineWords, sayKind } from './line-kinds.ts';

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
  /** The rows that it was derived from, up to {@link enoughRows}. */
  looked: number;
}

/** Before the first answer of a tool. */
export const emptyFindings: ColumnFindings = {
  columns: {},
  kinds: new Map(),
  seen: {},
  measures: [],
  looked: 0,
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
  const isChanged = learnFields(shape, [], sample, today);
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

function learnFields(
  shape: ToolShape,
  steps: readonly string[],
  objects: readonly JsonObject[],
  today: Day,
): boolean {
  const columns = new Map<string, unknown[]>();
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) {
      const values = columns.get(name);
      if (values === undefined) columns.set(name, [value]);
      else values.push(value);
    }
  // The keys of an object with more fields are data, such as days.
  if (steps.length > 0 && columns.size > maxFields) return false;
  const fields = [...columns]
    .filter(([name]) => isTypeableName(name))
    .slice(0, maxColumns)
    .map(([name, values]) => ({ path: [...steps, name], values }));
  const changes = fields.map(({ path, values }) => learnValues(shape, path, values, today));
  // Inner fields come last, since the room for places is bounded.
  changes.push(...fields.map(({ path, values }) => learnInner(shape, path, values, today)));
  return changes.includes(true);
}

function learnInner(
  shape: ToolShape,
  path: readonly string[],
  values: readonly unknown[],
  today: Day,
): boolean {
  if (path.length > maxDepth) return false;
  const lists = values.filter(Array.isArray).map((list) => list.slice(0, maxLearnt));
  const items = lists.flat().slice(0, maxLearnt);
  const itemPath = [...path, ''];
  const changes = [
    items.length > 0 && learnValues(shape, itemPath, items, today),
    items.length > 0 && learnInner(shape, itemPath, items, today),
    learnFields(shape, path, values.filter(isRecord), today),
  ];
  return changes.includes(true);
}

function learnValues(
  shape: ToolShape,
  path: readonly string[],
  values: readonly unknown[],
  today: Day,
): boolean {
  const kinds = kindsOf(values);
  const words = Object.entries(valueKinds).flatMap(([word, bit]) => (kinds & bit ? word : []));
  if (values.some(Array.isArray)) words.push(listWord);
  if (values.some(isRecord)) words.push(objectWord);
  if (listedColumn.test(path.join('.'))) words.push(...listedWords(values));
  return addWords(shape, path.join('\n'), words.length > 0 ? words : [emptyWord], today);
}

function listedWords(values: readonly unknown[]): string[] {
  const texts = new Set(values.filter((value) => typeof value === 'string' && value.trim() !== ''));
  const words = [...texts].filter(isListable);
  if (words.length < texts.size || words.length > maxWords) return [unlistedWord];
  return words.map((word) => valueMark + word);
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

/** Each word gets its later day. */
export function joinShapes(one: Shape, other: Shape): Shape {
  const joined: Shape = new Map();
  for (const [tool, { rows, places }] of [...one, ...other]) {
    const shape = joined.get(tool) ?? emptyShape();
    joined.set(tool, shape);
    shape.rows = Math.max(shape.rows, rows);
    for (const [place, words] of places)
      for (const [word, day] of words) addWords(shape, place, [word], day);
  }
  return joined;
}

/** Leaves out words that no answer has shown for thirty days. */
export function forgetOldWords(shape: Shape, today: Day): Shape {
  const first = addDays(today, -forgottenAfterDays);
  const kept: Shape = new Map();
  for (const [tool, { rows, places }] of shape) {
    const young = [...places].flatMap(([place, words]): [string, Map<string, Day>][] => {
      const left = [...words].filter(([, day]) => day >= first);
      return left.length > 0 ? [[place, new Map(left)]] : [];
    });
    if (young.length > 0) kept.set(tool, { rows, places: new Map(young) });
  }
  return kept;
}

export function emptyShape(): ToolShape {
  return { rows: 0, places: new Map() };
}

interface Place {
  words: ReadonlyMap<string, Day>;
  inner: Map<string, Place>;
}

/** Derives columns and values, or the measures of a report. */
export function findingsOf({ rows, places }: ToolShape, isReport: boolean): ColumnFindings {
  const nothing = { ...emptyFindings, looked: rows };
  if (isReport) return { ...nothing, measures: measuresOf(places) };
  const root: Place = { words: new Map(), inner: new Map() };
  const seen: [string, string[]][] = [];
  for (const [place, words] of places) {
    let at = root;
    const steps = place.split('\n');
    for (const step of steps) {
      const next: Place = at.inner.get(step) ?? { words: new Map(), inner: new Map() };
      at.inner.set(step, next);
      at = next;
    }
    at.words = words;
    const listed = [...words.keys()].filter((word) => word.startsWith(valueMark));
    const isWhole = !words.has(unlistedWord) && listed.length <= maxWords;
    if (listed.length > 0 && isWhole && seen.length < maxFields && !steps.includes(''))
      seen.push([steps.join('.'), listed.map((word) => sayKind(word.slice(1), words)).sort()]);
  }
  const kinds = new Map([...places].map(([place, words]) => [place, kindsAt(words)]));
  return { ...nothing, columns: typesOf(root), kinds, seen: Object.fromEntries(seen) };
}

function typesOf({ inner }: Place): FieldTypes {
  return Object.fromEntries([...inner].map(([name, place]) => [name, typeOf(name, place)]));
}

function typeOf(name: string, place: Place): FieldType {
  const { words, inner } = place;
  const [isOfLists, isOfObjects] = [words.has(listWord), words.has(objectWord)];
  const isOther = kindsAt(words) !== valueKinds.nested && kindsAt(words) !== 0;
  if (isOther && (isOfLists || isOfObjects)) return 'open';
  const items = inner.get('');
  if (isOfLists && !isOfObjects) return [items ? typeOf(name, items) : 'open'];
  const isFields = inner.size > 0 && inner.size <= maxFields;
  if (isOfObjects) return isFields && !isOfLists ? typesOf(place) : 'open';
  return fieldWord(name, kindsAt(words));
}

function kindsAt(words: ReadonlyMap<string, Day>): number {
  return Object.entries(valueKinds).reduce(
    (all, [word, bit]) => all | (words.has(word) ? bit : 0),
    0,
  );
}

/** The type of a field by the kinds of its values. */
function fieldWord(name: string, kinds: number): FieldWord {
  if (kinds === 0) return 'open';
  const type = typeOfKinds(kinds, name);
  if (type === 'empty' || type === 'mixed' || type === 'nested') return 'text';
  // docs/platform.md#money: an amount is a decimal, even if all rows have whole ones.
  return type === 'integer' && isDecimalName(name) ? 'decimal' : type;
}

function measuresOf(places: ToolShape['places']): ColumnFindings['measures'] {
  return [...places].map(([place, words]) => {
    const [path = '', split = ''] = place.split('\n');
    return { path, split, names: [...words.keys()].slice(0, maxFields) };
  });
}

const aDay = z.string().refine(isDay);
const written = z.record(
  z.string(),
  z.object({ rows: z.int(), places: z.record(z.string(), z.record(z.string(), aDay)) }),
);

/** Undefined for anything but a written shape, such as one with future days. */
export function readShape(value: unknown, today: Day): Shape | undefined {
  const tools = written.safeParse(value).data;
  if (tools === undefined) return undefined;
  const shape: Shape = new Map();
  for (const [tool, { rows, places }] of Object.entries(tools)) {
    const all = Object.entries(places).map(
      ([place, words]) => [place, new Map(Object.entries(words))] as const,
    );
    const isShown = all.every(
      ([place, words]) =>
        [...place.split('\n'), ...words.keys()].every((word) => !word || isTypeableName(word)) &&
        [...words.values()].every((day) => day <= today),
    );
    if (!isShown || all.length > maxPlaces) return undefined;
    shape.set(tool, { rows: Math.min(rows, enoughRows), places: new Map(all) });
  }
  return shape;
}

/** For {@link readShape}. */
export function writtenShape(shape: Shape): z.input<typeof written> {
  const objectOf = (words: Map<string, Day>) => Object.fromEntries(words);
  const tools = [...shape].map(([tool, { rows, places }]) => {
    const all = [...places].map(([place, words]) => [place, objectOf(words)]);
    return [tool, { rows, places: Object.fromEntries(all) }];
  });
  return Object.fromEntries(tools);
}
