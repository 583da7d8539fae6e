/**
 * The engine's values as a reader of JSON expects them: amounts as plain numbers without
 * floating-point dust, days as days, instants in Amsterdam time with their offset. What a double
 * cannot hold stays text, digit by digit; NaN and Infinity are text too.
 */
import { amsterdamOffsetMinutes } from '../../core/calendar.ts';
import { isRecord, type JsonObject, type JsonValue, parseJson } from '../../core/json.ts';
import type { ValueType } from './value-type.ts';

/** One value of a column, as the binding's JSON has it, for a reader. */
export function readableValue(value: unknown, type: ValueType): JsonValue {
  if (value === null || value === undefined) return null;
  switch (type.name) {
    case 'BOOLEAN':
      return value === true;
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'UTINYINT':
    case 'USMALLINT':
    case 'UINTEGER':
    case 'BIGINT':
    case 'UBIGINT':
    case 'HUGEINT':
    case 'UHUGEINT':
    case 'BIGNUM':
      return wholeNumber(value);
    case 'DECIMAL':
      return exactNumber(String(value));
    case 'FLOAT':
      return roundedNumber(value, 7);
    case 'DOUBLE':
      return roundedNumber(value, 15);
    case 'TIMESTAMP':
    case 'TIMESTAMP_S':
    case 'TIMESTAMP_MS':
    case 'TIMESTAMP_NS':
      return String(value).replace(' ', 'T');
    case 'TIMESTAMP_TZ':
      return amsterdamInstant(String(value));
    case 'INTERVAL':
      return interval(value);
    case 'JSON':
      return jsonIn(String(value));
    default:
      return compound(value, type);
  }
}

function compound(value: unknown, type: ValueType): JsonValue {
  const { name, of, key, fields } = type;
  if (name === 'LIST' && of !== undefined && Array.isArray(value)) {
    return value.map((item) => readableValue(item, of));
  }
  if (name === 'MAP' && of !== undefined && key !== undefined && Array.isArray(value)) {
    const entries = value.filter(isRecord);
    return Object.fromEntries(
      entries.map((entry) => [
        keyText(readableValue(entry.key, key)),
        readableValue(entry.value, of),
      ]),
    );
  }
  if (name === 'STRUCT' && fields !== undefined && isRecord(value)) {
    return Object.fromEntries(
      fields.map(([field, type]) => [field, readableValue(own(value, field), type)]),
    );
  }
  if (name === 'UNION' && fields !== undefined && isRecord(value)) {
    const member = fields.find(([tag]) => tag === value.tag);
    return member === undefined ? null : readableValue(value.value, member[1]);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A field that is the object's own: every object has a `constructor`. */
function own(object: JsonObject, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : null;
}

function keyText(key: JsonValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

function wholeNumber(value: unknown): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Digits that a double always holds. */
const doubleDigits = 15;

/** `12.50` -> 12.5; more digits than a double holds stay text. */
function exactNumber(text: string): number | string {
  // Adding 0 makes 0 of -0.
  if (text.length <= doubleDigits) return Number(text) + 0;
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const digits = plain.replace(/^-?0*\.?0*|\./g, '').length;
  const isExact = plain.includes('.')
    ? digits <= doubleDigits
    : Number.isSafeInteger(Number(plain));
  return isExact ? Number(plain) + 0 : plain;
}

function roundedNumber(value: unknown, digits: number): number | string {
  if (typeof value !== 'number') return String(value);
  const rounded = Number(value.toPrecision(digits));
  // The largest of all doubles would be rounded up to infinity, which is no JSON.
  return Number.isFinite(rounded) ? rounded : value;
}

const instantForm = /^(\d{4}-\d\d-\d\d \d\d)(:\d\d:\d\d(?:\.\d+)?)\+00$/;

/** `2026-11-02 09:15:00+00` -> `2026-11-02T10:15:00+01:00`; anything else (infinity, BC) as it is. */
function amsterdamInstant(text: string): string {
  const [, hour, rest = ''] = instantForm.exec(text) ?? [];
  if (hour === undefined) return text;
  const { clock, offset } = inAmsterdam(hour);
  return `${clock}${rest}${offset}`;
}

interface Hour {
  /** `2026-11-02T10` */
  clock: string;
  /** `+01:00` */
  offset: string;
}

/** So many hours are remembered; a list of orders has some hundreds. */
const mostHours = 10_000;

/** What Amsterdam's clock shows in an hour of UTC. Its offset has been whole hours since 1946. */
const inAmsterdam: (utcHour: string) => Hour = rememberHours();

function rememberHours(): (utcHour: string) => Hour {
  const known = new Map<string, Hour>();
  return (utcHour) => {
    const found = known.get(utcHour);
    if (found !== undefined) return found;
    const ms = Date.parse(`${utcHour.replace(' ', 'T')}:00:00Z`);
    const ahead = Math.round(amsterdamOffsetMinutes(ms) / 60);
    const clock = new Date(ms + ahead * 3_600_000).toISOString().slice(0, '2026-11-02T10'.length);
    const hour = { clock, offset: `+${String(ahead).padStart(2, '0')}:00` };
    if (known.size >= mostHours) known.clear();
    known.set(utcHour, hour);
    return hour;
  };
}

/** `{months: 13, days: 2, micros: 3500000}` -> `1 year 1 month 2 days 00:00:03.5`. */
function interval(value: unknown): string {
  if (!isRecord(value)) return String(value);
  const [months, days, micros] = [value.months, value.days, value.micros].map(Number);
  const year = Math.trunc((months ?? 0) / 12);
  const parts = [count(year, 'year'), count((months ?? 0) % 12, 'month'), count(days ?? 0, 'day')];
  const time = clockTime(micros ?? 0);
  const isNothingElse = parts.every((part) => part === undefined);
  const said = [...parts, micros === 0 && !isNothingElse ? undefined : time];
  return said.filter((part) => part !== undefined).join(' ');
}

function count(amount: number, unit: string): string | undefined {
  if (amount === 0) return undefined;
  return `${amount} ${unit}${Math.abs(amount) === 1 ? '' : 's'}`;
}

function clockTime(micros: number): string {
  const seconds = Math.floor(Math.abs(micros) / 1_000_000);
  const two = (part: number) => String(part).padStart(2, '0');
  const fraction = String(Math.abs(micros) % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${micros < 0 ? '-' : ''}${clock}${fraction === '' ? '' : `.${fraction}`}`;
}

function jsonIn(text: string): JsonValue {
  const parsed = parseJson(text);
  return isJson(parsed) ? parsed : text;
}

/** What `JSON.parse` gives is JSON, or undefined when the text was none. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
