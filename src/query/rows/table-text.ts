/**
 * Rows on their way to the engine's process: all of their values are looked at here, and that alone
 * decides about the types of columns; then they are written as JSON texts of some rows each.
 */
import { setImmediate } from 'node:timers/promises';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { isCodeName, type TypeHints } from '../provider.ts';

/** A type in the engine's words, a list of something, or the fields of an object. */
export type ColumnType = string | readonly [ColumnType] | { readonly [field: string]: ColumnType };

/** The rows of a table by its calls. */
export type CallRows = readonly (readonly object[])[];

/** A table on its way. */
export interface TableText {
  /** Types by the names of columns, in their order. */
  columns: readonly (readonly [string, ColumnType])[];
  /** JSON objects with the values of some rows, a list for each column. */
  texts: AsyncIterable<string>;
}

/** The column that says which call a row belongs to, by its place. */
export const callColumn = '__call';

/** @param hints types of columns that may come without a value */
export async function tableText(calls: CallRows, hints: TypeHints): Promise<TableText> {
  const seen = newPlace();
  for (const { rows } of partsOf(calls)) {
    for (const row of rows) look(seen, row, 0);
    await setImmediate();
  }
  const names = columnNames(new Set([...seen.fields.keys(), ...Object.keys(hints)]));
  const columns = [...names].map(
    ([key, name]) => [name, typeOf(key, seen.fields.get(key), hints[key])] as const,
  );
  return { columns, texts: write(calls, names) };
}

async function* write(calls: CallRows, names: ReadonlyMap<string, string>): AsyncGenerator<string> {
  for (const { numbers, rows } of partsOf(calls)) {
    const lists = [...names].map(([key, name]) => [name, valuesOf(key, rows)]);
    yield JSON.stringify({ [callColumn]: numbers, ...Object.fromEntries(lists) });
    await setImmediate();
  }
}

function valuesOf(key: string, rows: readonly JsonObject[]): unknown[] {
  // What every object inherits is no value of a row.
  const isInherited = key in Object.prototype;
  return rows.map((row) => (isInherited && !Object.hasOwn(row, key) ? null : (row[key] ?? null)));
}

/** Rows of one text, and as many are looked through without a pause. */
const partRows = 500;

/** Some rows with the numbers of their calls. */
function* partsOf(calls: CallRows): Generator<{ numbers: number[]; rows: JsonObject[] }> {
  let numbers: number[] = [];
  let rows: JsonObject[] = [];
  for (const [number, own] of calls.entries()) {
    for (const row of own) {
      if (isRecord(row)) rows.push(row);
      if (numbers.push(number) < partRows) continue;
      yield { numbers, rows };
      numbers = [];
      rows = [];
    }
  }
  if (rows.length > 0) yield { numbers, rows };
}

/** Keys that neither SQL nor JavaScript takes for names like any other. */
const awkwardNames: ReadonlyMap<string, string> = new Map([
  ['', '_'],
  ['__proto__', '_proto_'],
]);

/** The name of each key's column: another one where keys differ in case only. */
function columnNames(keys: ReadonlySet<string>): Map<string, string> {
  const taken = new Set([callColumn]);
  return new Map([...keys].map((key) => [key, freeName(awkwardNames.get(key) ?? key, taken)]));
}

/** A name that differs from all that were given so far, case ignored; adds it to them. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/** What a value is; texts are told apart by how they are written. */
type Kind =
  | 'whole'
  | 'fraction'
  /** A number of many decimals, or with an exponent, as binary fractions have. */
  | 'dust'
  | 'boolean'
  | 'day'
  | 'moment'
  /** Texts that are numbers: whole ones, and with decimals. */
  | 'digits'
  | 'amount'
  | 'text'
  | 'list'
  | 'object'
  /** Deeper, or with more keys, than a type can be. */
  | 'large';

/** All that was seen at one place of the rows. */
interface Place {
  kinds: Set<Kind>;
  /** Most digits before and after the point. */
  whole: number;
  scale: number;
  /** What the keys of objects hold. */
  fields: Map<string, Place>;
  /** What lists hold. */
  element: Place | undefined;
}

function newPlace(): Place {
  return { kinds: new Set(), whole: 0, scale: 0, fields: new Map(), element: undefined };
}

/** Deeper than this, or with more keys, an object is kept as JSON. */
const maxDepth = 12;
const maxFields = 400;

/** Adds a value to what was seen. */
function look(place: Place, value: unknown, depth: number): void {
  const { kinds } = place;
  if (typeof value === 'string') kinds.add(textKind(place, value));
  else if (typeof value === 'number') kinds.add(numberKind(place, value));
  else if (typeof value === 'boolean') kinds.add('boolean');
  else if (Array.isArray(value) || isRecord(value)) {
    if (depth > maxDepth) kinds.add('large');
    else if (Array.isArray(value)) {
      kinds.add('list');
      place.element ??= newPlace();
      for (const item of value) look(place.element, item, depth + 1);
    } else {
      kinds.add('object');
      lookInto(place, value, depth);
    }
  }
}

function lookInto({ fields, kinds }: Place, object: JsonObject, depth: number): void {
  for (const key of Object.keys(object)) {
    let field = fields.get(key);
    if (field === undefined) {
      field = newPlace();
      fields.set(key, field);
      if (depth > 0 && fields.size > maxFields) kinds.add('large');
    }
    look(field, object[key], depth + 1);
  }
}

/** More digits after the point are no amounts. */
const maxScale = 10;

function numberKind(place: Place, value: number): Kind {
  if (Number.isSafeInteger(value)) {
    if (Math.abs(value) >= 10 ** place.whole) place.whole = String(Math.abs(value)).length;
    return 'whole';
  }
  // Most fractions are amounts: looking at their text takes ten times as long.
  const cents = Math.round(value * 100);
  if (Number.isSafeInteger(cents) && cents / 100 === value && place.scale >= 2) {
    if (Math.abs(value) >= 10 ** place.whole)
      place.whole = String(Math.trunc(Math.abs(value))).length;
    return 'fraction';
  }
  const text = String(value);
  if (text.includes('e') || !seenDigits(place, text)) return 'dust';
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'whole' : 'fraction';
}

const day = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const rest = /^[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)?$/;
// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const number = /^-?(0|[1-9]\d{0,27})(\.\d{1,10})?$/;

function textKind(place: Place, text: string): Kind {
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 45;
  if (!isNumeric || place.kinds.has('text')) return 'text';
  if (number.test(text)) {
    seenDigits(place, text);
    return text.includes('.') ? 'amount' : 'digits';
  }
  if (!day.test(text) || !isInMonth(text.slice(0, 10))) return 'text';
  if (text.length === 10) return 'day';
  return rest.test(text.slice(10)) ? 'moment' : 'text';
}

/** A day that its month lacks reads as one of the next. */
function isInMonth(text: string): boolean {
  const nr = Number(text.slice(8));
  return nr <= 28 || new Date(`${text}T00:00:00Z`).getUTCDate() === nr;
}

/** Notes the digits of a number. Gives whether an amount may have as many after its point. */
function seenDigits(place: Place, text: string): boolean {
  const point = text.indexOf('.');
  const end = point === -1 ? text.length : point;
  const scale = point === -1 ? 0 : text.length - point - 1;
  place.whole = Math.max(place.whole, text.startsWith('-') ? end - 1 : end);
  place.scale = Math.max(place.scale, scale);
  return scale <= maxScale;
}

/** The type that holds every value seen. */
function typeOf(
  name: string,
  place: Place | undefined,
  hint: string | TypeHints | undefined,
): ColumnType {
  if (place === undefined || place.kinds.size === 0) return hint ?? 'VARCHAR';
  const { kinds, element } = place;
  const are = (...known: Kind[]) => [...kinds].every((kind) => known.includes(kind));
  if (are('object')) return structType(place, typeof hint === 'object' ? hint : {});
  if (are('list')) return [typeOf(name, element, undefined)];
  if (kinds.has('object') || kinds.has('list') || kinds.has('large')) return 'JSON';
  if (are('boolean')) return 'BOOLEAN';
  if (are('whole')) return 'BIGINT';
  if (are('whole', 'fraction')) return decimalType(place) ?? 'DOUBLE';
  if (are('whole', 'fraction', 'dust')) return 'DOUBLE';
  if (are('day')) return 'DATE';
  if (are('moment')) return 'TIMESTAMPTZ';
  // Texts are amounts where all are written so, one of them with decimals.
  const isAmount = are('whole', 'fraction', 'digits', 'amount') && place.scale > 0;
  return (isAmount && !isCodeName(name) ? decimalType(place) : undefined) ?? 'VARCHAR';
}

/** Fields of an object whose names no SQL can tell apart are reached as JSON. */
function structType({ fields }: Place, hints: TypeHints): ColumnType {
  const keys = new Set([...fields.keys(), ...Object.keys(hints)]);
  const folded = new Set([...keys].map((key) => key.toLowerCase()));
  if (folded.size < keys.size || keys.size === 0 || keys.has('')) return 'JSON';
  return Object.fromEntries(
    [...keys].map((key) => [key, typeOf(key, fields.get(key), hints[key])]),
  );
}

/** Room for a half of the last digit, such as a median has, and a half of that. */
const moreScale = 2;

function decimalType({ whole, scale }: Place): string | undefined {
  // A DECIMAL of 18 digits is one machine word; of 38, some are left free for sums.
  if (whole + scale + moreScale <= 16) return `DECIMAL(18,${scale + moreScale})`;
  if (whole + scale + moreScale <= 32) return `DECIMAL(38,${scale + moreScale})`;
  return whole + scale <= 32 ? `DECIMAL(38,${scale})` : undefined;
}
