/** What the values of a column, or of one place inside its objects and lists, have in common. */
import { isRecord } from '../../core/json.ts';
import { type TextKind, textKind } from './texts.ts';

/** What was seen at one place. Counts are of values; nulls are not counted. */
export interface Shape {
  values: number;
  booleans: number;
  /** Whole JSON numbers within 64 bits. */
  wholes: number;
  /** All other JSON numbers. */
  fractions: number;
  texts: Record<TextKind, number>;
  objects: number;
  lists: number;
  /** Most digits before and after the point, of numbers and numeric texts. */
  integerDigits: number;
  scale: number;
  /** Most significant digits of a JSON number. */
  digits: number;
  /** Of the objects: what their keys hold, in the order of their coming. */
  fields: Map<string, Shape> | undefined;
  /** Of the lists: what they hold. */
  element: Shape | undefined;
}

/** Nothing seen yet. */
export function emptyShape(): Shape {
  return {
    values: 0,
    booleans: 0,
    wholes: 0,
    fractions: 0,
    texts: { day: 0, instant: 0, clock: 0, amount: 0, whole: 0, text: 0 },
    objects: 0,
    lists: 0,
    integerDigits: 0,
    scale: 0,
    digits: 0,
    fields: undefined,
    element: undefined,
  };
}

/** Deeper than this, or with more keys, an object is kept as JSON: nobody reaches into it by name. */
export const maxDepth = 12;
export const maxFields = 400;

/** Adds one more value to what was seen. Changes `shape`. */
export function observe(shape: Shape, value: unknown, depth = 0): void {
  if (value === null || value === undefined || isNoJson(value)) return;
  shape.values++;
  if (typeof value === 'string') observeText(shape, value);
  else if (typeof value === 'number') observeNumber(shape, value);
  else if (typeof value === 'boolean') shape.booleans++;
  else if (Array.isArray(value)) observeList(shape, value, depth);
  else if (isRecord(value)) observeObject(shape, value, depth);
}

/** Numbers that JSON writes as null. */
function isNoJson(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function observeText(shape: Shape, text: string): void {
  // Where one text is no more than text, all of them are: what the others look like tells nothing.
  const kind = shape.texts.text > 0 ? 'text' : textKind(text);
  shape.texts[kind]++;
  if (kind === 'amount' || kind === 'whole') countDigits(shape, text);
}

function observeNumber(shape: Shape, value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) {
    shape.wholes++;
    const digits = wholeDigits(value);
    if (digits > shape.integerDigits) shape.integerDigits = digits;
    return;
  }
  shape.fractions++;
  const digits = isCents(value) ? countCents(shape, value) : countDigits(shape, String(value));
  if (digits > shape.digits) shape.digits = digits;
}

/** Whether a number has at most two decimals, as amounts have: then it need not be written to see its digits. */
function isCents(value: number): boolean {
  return Math.abs(value) < 1e9 && Math.round(value * 100) / 100 === value;
}

function countCents(shape: Shape, value: number): number {
  const scale = Math.round(value * 10) / 10 === value ? 1 : 2;
  let integer = 1;
  for (let size = Math.abs(value); size >= 10; size /= 10) integer++;
  return noteDigits(shape, integer, scale);
}

/** Digits of a whole number: enough for columns that hold fractions as well. */
function wholeDigits(value: number): number {
  const size = Math.abs(value);
  return size < 10_000_000 ? 7 : String(size).length;
}

/** The significant digits of a number's text; those of `1e-7` are beyond any exact column. */
function countDigits(shape: Shape, text: string): number {
  if (text.includes('e')) {
    shape.scale = Number.POSITIVE_INFINITY;
    return Number.POSITIVE_INFINITY;
  }
  const sign = text.startsWith('-') ? 1 : 0;
  const point = text.indexOf('.');
  const integer = (point === -1 ? text.length : point) - sign;
  const scale = point === -1 ? 0 : text.length - point - 1;
  return noteDigits(shape, integer, scale);
}

function noteDigits(shape: Shape, integer: number, scale: number): number {
  if (integer > shape.integerDigits) shape.integerDigits = integer;
  if (scale > shape.scale) shape.scale = scale;
  return integer + scale;
}

function observeList(shape: Shape, list: readonly unknown[], depth: number): void {
  shape.lists++;
  shape.element ??= emptyShape();
  if (depth >= maxDepth) return;
  for (const item of list) observe(shape.element, item, depth + 1);
}

function observeObject(shape: Shape, object: Record<string, unknown>, depth: number): void {
  shape.objects++;
  shape.fields ??= new Map();
  if (depth >= maxDepth) return;
  for (const key of Object.keys(object)) {
    let field = shape.fields.get(key);
    if (field === undefined) {
      if (shape.fields.size > maxFields) return;
      field = emptyShape();
      shape.fields.set(key, field);
    }
    observe(field, object[key], depth + 1);
  }
}
