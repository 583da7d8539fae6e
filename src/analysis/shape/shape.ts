/**
 * The shape of an account: which columns, words and measures its answers have shown, each with the day on which it was
 * last seen, and never another value of a row. It only widens, until what nothing shows any more is forgotten.
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

/** Everything that a tool's answers have shown. */
export interface ToolShape {
  /** Most rows that one answer held, up to {@link enoughRows}. */
  rows: number;
  /** By the steps to each place, joined by line breaks, the words that were seen there, each with its last day. */
  places: Map<string, Map<string, Day>>;
}

/** The shapes of an account's tools, by their names. */
export type Shape = Map<string, ToolShape>;

/** Columns, values and measures of a tool, derived from its shape. */
export interface ColumnFindings {
  columns: FieldTypes;
  /** The kinds of their values, by the steps to each, joined by line breaks; items of lists have an empty step. */
  kinds: ReadonlyMap<string, number>;
  /** Values of kinds, types and statuses by dotted name, kinds of lines with what they are: there may be others. */
  seen: Readonly<Record<string, readonly string[]>>;
  measures: readonly { path: string; split: string; names: readonly string[] }[];
  /** Rows that showed it, up to {@link enoughRows}. */
  looked: number;
}

/** The findings of a tool that has shown nothing yet. */
export const nothingFound: ColumnFindings = {
  columns: {},
  kinds: new Map(),
  seen: {},
  measures: [],
  looked: 0,
};

/** So many rows show what a list has: a column that is empty in all of them is said to be empty. */
export const enoughRows = 20;

/** Rows of one answer that are looked at, evenly spread over it. */
const maxLearnt = 100;
/** Values of one answer that are looked at: fewer of rows that are wide. */
const maxCells = 5000;
const maxPlaces = 2000;
const maxColumns = 200;
const maxFields = 40;
const maxWords = 12;
const maxMeasures = 1000;
const maxDepth = 10;
const forgottenAfterDays = 30;

/** Words of a place beside the kinds of its values. */
const ofNothing = 'empty';
const ofList = 'list';
const ofObject = 'object';
/** Not all of its values can be listed. */
const unlisted = 'unlisted';
/** Before a value that is listed. */
const listedAs = '=';

/** Columns whose values are kinds, types or statuses: few, and worth listing. */
const isListed = /(^|[._])(kind|type|type_alias|status|state)$/;

/** Widens a shape by the rows or the record of an answer. @returns whether it changed */
export function learnRows(shape: ToolShape, rows: readonly JsonObject[], today: Day): boolean {
  const before = shape.rows;
  shape.rows = Math.max(before, Math.min(rows.length, enoughRows));
  const width = Object.keys(rows[0] ?? {}).length;
  const step = Math.max(1, Math.ceil(rows.length / Math.min(maxLearnt, maxCells / (width + 1))));
  const some = rows.filter((_, at) => at % step === 0);
  const isChanged = learnFields(shape, [], some, today);
  const lines = new Set(lineWords(some));
  return (lines.size > 0 && note(shape, 'kind', lines, today)) || isChanged || shape.rows > before;
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
  const changes = [...measures].map(([place, names]) => note(shape, place, names, today));
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
  // An object with more fields has data for keys, such as days.
  if (steps.length > 0 && columns.size > maxFields) return false;
  const named = [...columns].filter(([name]) => isTypeableName(name)).slice(0, maxColumns);
  const found = named.map(([name, values]) => ({ path: [...steps, name], values }));
  const changes = found.map(({ path, values }) => learnValues(shape, path, values, today));
  // The columns come first: there is room for so many places.
  changes.push(...found.map(({ path, values }) => learnInner(shape, path, values, today)));
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
  const ofItems = [...path, ''];
  const changes = [
    items.length > 0 && learnValues(shape, ofItems, items, today),
    items.length > 0 && learnInner(shape, ofItems, items, today),
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
  if (values.some(Array.isArray)) words.push(ofList);
  if (values.some(isRecord)) words.push(ofObject);
  if (isListed.test(path.join('.'))) words.push(...listedWords(values));
  return note(shape, path.join('\n'), words.length > 0 ? words : [ofNothing], today);
}

/** Values that can be listed, and that there are others. */
function listedWords(values: readonly unknown[]): string[] {
  const texts = new Set(values.filter((it) => typeof it === 'string' && it.trim() !== ''));
  const words = [...texts].filter(isListable);
  if (words.length < texts.size || words.length > maxWords) return [unlisted];
  return words.map((word) => listedAs + word);
}

function note(shape: ToolShape, place: string, words: Iterable<string>, day: Day): boolean {
  const known = shape.places.get(place) ?? new Map<string, Day>();
  if (known.size === 0 && shape.places.size >= maxPlaces) return false;
  let isChanged = false;
  for (const word of words) {
    if ((known.get(word) ?? '') >= day || known.size >= maxMeasures) continue;
    known.set(word, day);
    isChanged = true;
  }
  shape.places.set(place, known);
  return isChanged;
}

/** Both shapes in one, each word with its later day. */
export function joinShapes(one: Shape, other: Shape): Shape {
  const joined: Shape = new Map();
  for (const [tool, { rows, places }] of [...one, ...other]) {
    const shape = joined.get(tool) ?? emptyShape();
    joined.set(tool, shape);
    shape.rows = Math.max(shape.rows, rows);
    for (const [place, words] of places)
      for (const [word, day] of words) note(shape, place, [word], day);
  }
  return joined;
}

/** Without what no answer has shown for thirty days. */
export function withoutForgotten(shape: Shape, today: Day): Shape {
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

/** The columns and values, or the measures of a report, that a shape has shown. */
export function findingsOf({ rows, places }: ToolShape, isReport: boolean): ColumnFindings {
  const nothing = { ...nothingFound, looked: rows };
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
    const listed = [...words.keys()].filter((word) => word.startsWith(listedAs));
    const isWhole = !words.has(unlisted) && listed.length <= maxWords;
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
  const [isOfLists, isOfObjects] = [words.has(ofList), words.has(ofObject)];
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

/** The type of a field that has values of these kinds; blank ones tell nothing. */
function fieldWord(name: string, kinds: number): FieldWord {
  if (kinds === 0) return 'open';
  const type = typeOfKinds(kinds, name);
  if (type === 'empty' || type === 'mixed' || type === 'nested') return 'text';
  // docs/platform.md#money: an amount by its name, be it whole in all rows that were seen.
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

/** A shape as it was written; undefined for anything else, such as one with days that are still to come. */
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
        [...place.split('\n'), ...words.keys()].every((it) => it === '' || isTypeableName(it)) &&
        [...words.values()].every((day) => day <= today),
    );
    if (!isShown || all.length > maxPlaces) return undefined;
    shape.set(tool, { rows: Math.min(rows, enoughRows), places: new Map(all) });
  }
  return shape;
}

/** A shape as {@link readShape} reads it. */
export function writtenShape(shape: Shape): z.input<typeof written> {
  const objectOf = (words: Map<string, Day>) => Object.fromEntries(words);
  const tools = [...shape].map(([tool, { rows, places }]) => {
    const all = [...places].map(([place, words]) => [place, objectOf(words)]);
    return [tool, { rows, places: Object.fromEntries(all) }];
  });
  return Object.fromEntries(tools);
}
