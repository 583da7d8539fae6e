/**
 * The rows of an answer as JSON that the engine writes, in the form that readers expect: amounts
 * without floating-point dust, moments in Amsterdam time with their offset. What a double cannot
 * hold stays text, digit by digit; NaN and Infinity are text too.
 */
import { isRecord, type JsonValue } from '../../core/json.ts';
import { tooLarge } from '../errors.ts';
import type { SentStatement, SqlColumn } from '../messages.ts';
import { freeName } from '../table-text.ts';
import { type Database, quoteName } from './database.ts';

/** A batch is sent when it has so much text. */
const batchSize = 128 * 1024;

/** The columns of a statement's answer; of two with one name, the second gets another. */
export async function columnsOf(database: Database, sql: string): Promise<SqlColumn[]> {
  const prepared = await database.connection.prepare(sql);
  const taken = new Set<string>();
  const columns = Array.from({ length: prepared.columnCount }, (_, index) => {
    const type = prepared.columnType(index);
    const name = freeName(prepared.columnName(index), taken);
    return { name, type: type.alias ?? type.toString() };
  });
  prepared.destroySync();
  return columns;
}

/**
 * Runs `sql` and sends its rows as JSON arrays. Gives whether there are more rows than were sent.
 * @throws {QueryError} when a single row is over the bound
 */
export async function writeAnswer(
  database: Database,
  sql: string,
  columns: readonly SqlColumn[],
  { maxRows, maxBytes }: Pick<SentStatement, 'maxRows' | 'maxBytes'>,
  send: (rows: string) => Promise<void>,
): Promise<boolean> {
  const names = columns.map((_, index) => quoteName(`c${index}`)).join(', ');
  // The statement may end with a comment, which the line break ends.
  const prepared = await database.connection.prepare(
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
    for (const value of chunk.getColumnValues(0)) {
      const text = readable(String(value), columns);
      if (text.length > maxBytes) throw tooLarge();
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

// Strings are stepped over whole: a quote inside one is escaped, so no number is found in one.
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN|\d[-+.\deE]*)/gs;

/** Marks a number that JavaScript would read as another one. */
const mark = '\u0000number ';

function readable(text: string, columns: readonly SqlColumn[]): string {
  if (!awkward.test(text)) return text;
  const marked = text.replace(stringOrNumber, (token) => {
    const isSame = token.startsWith('"') || String(Number(token)) === token;
    return isSame && !/^-?[NI]/.test(token) ? token : JSON.stringify(mark + token);
  });
  const values: unknown = JSON.parse(marked);
  if (!Array.isArray(values)) throw new TypeError('A row is no array.');
  return JSON.stringify(values.map((value, index) => readValue(value, columns[index]?.type ?? '')));
}

function readValue(value: unknown, type: string): JsonValue {
  if (typeof value === 'string') {
    if (value.startsWith(mark)) return numberIn(value.slice(mark.length), type);
    return type.includes('TIMESTAMP') ? instantOf(value) : value;
  }
  if (typeof value === 'number') return numberIn(String(value), type);
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item) => readValue(item, type));
  if (!isRecord(value)) return null;
  const entries = Object.entries(value).map(([key, held]) => [key, readValue(held, type)]);
  return Object.fromEntries(entries);
}

/** A number as written by the engine, in a column of this type. */
function numberIn(text: string, type: string): number | string {
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const digits = type.includes('DOUBLE') ? 15 : type.includes('FLOAT') ? 7 : undefined;
  // Adding 0 makes 0 of -0.
  const rounded = Number(value.toPrecision(digits ?? 15));
  // The largest of all would be rounded up to infinity.
  if (digits && Number.isFinite(rounded) && !Number.isSafeInteger(value)) return rounded + 0;
  const plain = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return String(value) === plain || /e/i.test(plain) ? value + 0 : plain;
}

const instantForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?$/;

/** `2026-11-02 10:15:00+01` -> `2026-11-02T10:15:00+01:00`; anything else as it is. */
export function instantOf(text: string): string {
  return text.replace(instantForm, (_, day, time, hours, minutes = ':00') =>
    hours === undefined ? `${day}T${time}` : `${day}T${time}${hours}${minutes}`,
  );
}
