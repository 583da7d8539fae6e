/**
 * The rows of an answer as JSON that the engine writes, in the form that readers expect: amounts
 * without floating-point dust, moments in Amsterdam time with their offset. What a double cannot
 * hold stays text, digit by digit; NaN and Infinity are text too.
 */
import { isRecord, type JsonValue } from '../../core/json.ts';
import type { OpenedStatement, SqlColumn } from '../messages.ts';
import { freeName } from '../rows/table-text.ts';
import { type Database, type PreparedStatement, quoteName } from './database.ts';

/** A row, or a value, that no answer can hold. */
export class OversizeError extends Error {
  override readonly name = 'OversizeError';
}

/** A batch is sent when it has so much text. */
const batchSize = 128 * 1024;

/** The columns of a statement's answer; of two with one name, the second gets another. */
export function columnsOf(statement: PreparedStatement): SqlColumn[] {
  const taken = new Set<string>();
  return Array.from({ length: statement.columnCount }, (_, index) => {
    const type = statement.columnType(index);
    const name = freeName(statement.columnName(index), taken);
    return { name, type: type.alias ?? type.toString() };
  });
}

/**
 * Runs `sql` and sends its rows as JSON arrays. Gives whether there are more rows than were sent.
 * @throws {OversizeError} when a single row is over the bound
 */
export async function answer(
  database: Database,
  sql: string,
  columns: readonly SqlColumn[],
  { maxRows, maxBytes }: Pick<OpenedStatement, 'maxRows' | 'maxBytes'>,
  send: (rows: string) => Promise<void>,
): Promise<boolean> {
  const names = columns.map((_, index) => quoteName(`c${index}`)).join(', ');
  // The statement may end with a comment, which the line break ends.
  const prepared = await database.prepare(
    `SELECT json_array(${names})::VARCHAR FROM (\n${sql}\n) AS answer(${names})`,
  );
  const result = await prepared.stream();
  let rows = 0;
  let size = 0;
  let batch: string[] = [];
  let batched = 0;
  const flush = async () => {
    if (batch.length > 0) await send(`[${batch.join(',')}]`);
    batch = [];
    batched = 0;
  };
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const texts = chunk.getColumnVector(0);
    for (let row = 0; row < chunk.rowCount; row++) {
      const text = readable(String(texts.getItem(row)), columns);
      if (text.length > maxBytes) throw new OversizeError(`A row of ${text.length} characters.`);
      if (rows === maxRows || size + text.length > maxBytes) {
        await flush();
        return true;
      }
      rows++;
      size += text.length;
      batched += text.length;
      batch.push(text);
      if (batched >= batchSize) await flush();
    }
  }
  await flush();
  return false;
}

/** What has to be looked at: long numbers, moments, and what is no JSON. */
const awkward = /\d{14}|\.\d{8}|\d[eE]|Infinity|NaN|-0\b|\d{4}-\d\d-\d\d \d\d:/;

function readable(text: string, columns: readonly SqlColumn[]): string {
  if (!awkward.test(text)) return text;
  const values: unknown = JSON.parse(text.replace(stringOrNumber, keepNumber));
  if (!Array.isArray(values)) throw new TypeError('A row is no array.');
  return JSON.stringify(
    values.map((value, index) => readableValue(value, columns[index]?.type ?? '')),
  );
}

// Strings are stepped over whole: a quote inside one is escaped, so no number is found in one.
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN|\d[-+.\deE]*)/gs;

/** Marks a number that JavaScript would read as another one. */
const mark = '\u0000number ';

function keepNumber(token: string): string {
  if (token.startsWith('"')) return token;
  const isSame = String(Number(token)) === token && /\d/.test(token);
  return isSame ? token : JSON.stringify(mark + token);
}

function readableValue(value: unknown, type: string): JsonValue {
  if (typeof value === 'string') {
    if (value.startsWith(mark)) return numberOf(value.slice(mark.length), type);
    return type.includes('TIMESTAMP') ? instantOf(value) : value;
  }
  if (typeof value === 'number' && /DOUBLE|FLOAT/.test(type)) return numberOf(String(value), type);
  if (Array.isArray(value)) return value.map((item) => readableValue(item, type));
  if (!isRecord(value))
    return typeof value === 'number' || typeof value === 'boolean' ? value : null;
  const entries = Object.entries(value).map(([key, held]) => [key, readableValue(held, type)]);
  return Object.fromEntries(entries);
}

/** A number as written by the engine, in a column of this type. */
function numberOf(text: string, type: string): number | string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  // Adding 0 makes 0 of -0.
  if (type.includes('DOUBLE')) return finite(Number(value.toPrecision(15)), value) + 0;
  if (type.includes('FLOAT')) return finite(Number(value.toPrecision(7)), value) + 0;
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  const digits = plain.replace(/^-?0*\.?0*|\./g, '').length;
  const isExact = plain.includes('.') ? digits <= 15 : Number.isSafeInteger(Number(plain));
  return isExact || /e/i.test(plain) ? Number(plain) + 0 : plain;
}

/** The largest of all doubles would be rounded up to infinity. */
function finite(rounded: number, value: number): number {
  return Number.isFinite(rounded) ? rounded : value;
}

const instantForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?$/;

/** `2026-11-02 10:15:00+01` -> `2026-11-02T10:15:00+01:00`; anything else as it is. */
export function instantOf(text: string): string {
  return text.replace(instantForm, (_, day, time, hours, minutes = ':00') =>
    hours === undefined ? `${day}T${time}` : `${day}T${time}${hours}${minutes}`,
  );
}
