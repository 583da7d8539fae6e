/**
 * Values that the engine would misread, in a form that it reads rightly: instants without an offset
 * are Amsterdam's clock, numbers with more digits than a double multiplies exactly go as text, and
 * keys that differ in case only get names of their own.
 */
import { startOfDayMs } from '../../core/calendar.ts';
import { isRecord } from '../../core/json.ts';
import { createTimestampReader, parseTimestamp } from '../../core/timestamps.ts';
import { isStruct, type SqlType } from './column-type.ts';
import type { Shape } from './shape.ts';

/** JSON numbers with more digits than this are not converted exactly to DECIMAL. */
const exactDigits = 15;

/** Whether values of this type have to be rewritten before the engine reads them. */
export function needsRewrite(type: SqlType, shape: Shape): boolean {
  if (isStruct(type)) {
    return type.fields.some(
      (field) => field.key !== field.name || needsRewrite(field.type, field.shape),
    );
  }
  if (typeof type !== 'string') {
    return shape.element !== undefined && needsRewrite(type[0], shape.element);
  }
  if (type === 'TIMESTAMPTZ') return shape.texts.clock > 0;
  return type.startsWith('DECIMAL') && needsText(shape);
}

/** How values of this type are written: equal forms write every value alike. */
export function writtenForm(type: SqlType, shape: Shape): unknown {
  if (isStruct(type)) {
    return type.fields.map((field) => [
      field.key,
      field.name,
      writtenForm(field.type, field.shape),
    ]);
  }
  if (typeof type === 'string') return [type, needsRewrite(type, shape)];
  return shape.element === undefined ? [] : [writtenForm(type[0], shape.element)];
}

/** A value of this type as the engine should read it. */
export function rewrite(value: unknown, type: SqlType, shape: Shape): unknown {
  if (value === null || value === undefined) return null;
  if (isStruct(type)) {
    if (!isRecord(value)) return value;
    const held = type.fields.filter(({ key }) => Object.hasOwn(value, key));
    return Object.fromEntries(
      held.map(({ key, name, type, shape }) => [name, rewrite(value[key], type, shape)]),
    );
  }
  if (typeof type !== 'string') {
    const { element } = shape;
    if (!Array.isArray(value) || element === undefined) return value;
    return value.map((item) => rewrite(item, type[0], element));
  }
  if (type === 'TIMESTAMPTZ' && typeof value === 'string') return withOffset(value);
  if (type.startsWith('DECIMAL') && typeof value === 'number' && needsText(shape)) {
    return String(value);
  }
  return value;
}

function needsText({ digits, integerDigits, scale, fractions }: Shape): boolean {
  return fractions > 0 && (digits > exactDigits || integerDigits + scale > exactDigits);
}

const { read } = createTimestampReader();

/** The same instant with seconds and an offset: without one it is Amsterdam's clock. */
function withOffset(text: string): string {
  const parsed = parseTimestamp(text);
  if (parsed === undefined) return text;
  const { day, time = '00:00:00', offset } = parsed;
  if (offset !== undefined) return `${day}T${time}${offset}`;
  const fraction = /\.\d+$/.exec(time)?.[0] ?? '';
  const ms = read(text)?.ms ?? startOfDayMs(day);
  return `${new Date(ms).toISOString().slice(0, '2026-11-02T10:15:00'.length)}${fraction}Z`;
}
