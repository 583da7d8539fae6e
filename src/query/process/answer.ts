/**
 * The rows of an answer as JSON that the engine writes, in the form that readers expect: amounts
 * without floating-point dust, moments in Amsterdam time with their offset. What a double cannot
 * hold stays text, digit by digit; NaN and Infinity are text too.
 */
import { countJson } from '../../core/json.ts';
import { QueryError, rowTooLarge } from '../errors.ts';
import { queryMessages } from '../messages.ts';
import type { SentStatement, SqlColumn } from '../protocol.ts';
import { type Database, quoteName } from './database.ts';

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

/** A name that differs from all that were given so far, case ignored; adds it to them. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/**
 * Most cells of an answer, beyond which it is cut, and most values in its lists and objects, beyond which it is
 * refused: 32 MB of text may be millions of values, which the server would have to read.
 */
const maxValues = 1_000_000;

const maxDepth = 50;

/** Most different names in objects: JavaScript keeps a description of each form that an object has. */
const maxNames = 1000;

const bounds = { depth: maxDepth, values: maxValues, names: maxNames };

/** The server reads an answer in parts of so many characters or values, and serves others in between. */
const maxPart = { length: 500_000, values: 25_000 };

/**
 * The rows of `sql` as JSON arrays of arrays, some rows each, and whether there are more than they hold.
 * @throws {QueryError} when a single row is over a bound, or the lists and objects of all rows are
 */
export async function answerOf(
  database: Database,
  sql: string,
  columns: readonly SqlColumn[],
  { maxRows, maxBytes }: Pick<SentStatement, 'maxRows' | 'maxBytes'>,
): Promise<{ rows: string[]; more: boolean }> {
  const names = columns.map((_, index) => quoteName(`c${index}`));
  // Within an array, for `to_json` leaves out to compute what has the type of NULL, such as error().
  const texts = names.map((name) => `json_array(${name})::VARCHAR`);
  // The statement may end with a comment, which the line break ends.
  const prepared = await database.connection.prepare(
    `SELECT ${texts} FROM (\n${sql}\n) AS answer(${names})`,
  );
  const parts: string[] = [];
  let part = { rows: [] as string[], length: 0, values: 0 };
  const endPart = () => {
    if (part.rows.length > 0) parts.push(`[${part.rows.join(',')}]`);
    part = { rows: [], length: 0, values: 0 };
  };
  const nested = new NestedValues();
  let count = 0;
  let bytes = 0;
  let cells = 0;
  let more = false;
  try {
    const result = await prepared.stream();
    while (!more) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      for (const row of chunk.getRows()) {
        const values = row.map((text, index) => cellAsJson(text, columns[index]?.type ?? ''));
        const text = `[${values.join(',')}]`;
        const size = Buffer.byteLength(text);
        if (size > maxBytes) throw rowTooLarge();
        count += 1;
        bytes += size;
        cells += values.length;
        const inner = values.reduce((sum, value) => sum + nested.add(value), 0);
        more = count > maxRows || bytes > maxBytes || cells > maxValues;
        if (more) break;
        part.rows.push(text);
        part.length += text.length;
        part.values += values.length + inner;
        if (part.length > maxPart.length || part.values > maxPart.values) endPart();
      }
    }
    endPart();
    return { rows: parts, more };
  } finally {
    // Its memory counts until then, in the engine that stays open.
    prepared.destroySync();
  }
}

/** Texts that JavaScript would read otherwise: long numbers, moments, and NaN and its like, which are no JSON. */
const awkward = /\d{14}|\.\d{8}|\d[eE]|Infinity|NaN|-0\b|\d{4}-\d\d-\d\d \d\d:/;

// Strings are stepped over whole: a quote inside one is escaped, so no number is found in one. A choice for each
// character would be a place to come back to for each: sixteen million overflow the stack.
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:Infinity|NaN|\d[-+.\deE]*)/gs;

/** The one value in an array of a column of this type, as JSON that means the same to JavaScript. */
function cellAsJson(array: unknown, type: string): string {
  const text = String(array).slice(1, -1);
  if (!awkward.test(text)) return text;
  return text.replace(stringOrNumber, (token) => {
    if (!token.startsWith('"')) return numberAsJson(token, type);
    return type.includes('TIMESTAMP') ? `"${instantOf(token.slice(1, -1))}"` : token;
  });
}

function numberAsJson(token: string, type: string): string {
  // Adding 0 makes 0 of -0.
  const value = Number(token) + 0;
  if (!Number.isFinite(value)) return `"${token}"`;
  if (Number.isSafeInteger(value) && !/\.0*[1-9]/.test(token)) return String(value);
  if (/DOUBLE|FLOAT/.test(type) || /e/i.test(token)) {
    const plain = Number(value.toPrecision(type.includes('FLOAT') ? 7 : 15));
    // The largest of all would be rounded up to infinity.
    return String(Number.isFinite(plain) ? plain : value);
  }
  const plain = token.includes('.') ? token.replace(/\.?0+$/, '') : token;
  return String(value) === plain ? plain : `"${plain}"`;
}

const instantForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?$/;

/** `2026-11-02 10:15:00+01` -> `2026-11-02T10:15:00+01:00`; anything else as it is. */
export function instantOf(text: string): string {
  return text.replace(instantForm, (_, day, time, hours, minutes = ':00') =>
    hours === undefined ? `${day}T${time}` : `${day}T${time}${hours}${minutes}`,
  );
}

/** A text of JSON, and whether it is the name of a value. */
const textForm = /"[^"\\]*(?:\\.[^"\\]*)*"(:?)/gs;

/** Counts the values in lists and objects of an answer. */
export class NestedValues {
  #count = 0;
  readonly #names = new Set<string>();

  /**
   * Counts those of a cell, itself included where it is a list or an object.
   * @param json compact
   * @throws {QueryError} when those of all cells are over a bound
   */
  add(json: string): number {
    if (!/^[[{]/.test(json)) return 0;
    const { values, exceeded } = countJson(json, { depth: maxDepth });
    this.#count += values;
    const isLarge = exceeded || this.#count > maxValues;
    for (const [text, colon] of isLarge ? [] : json.matchAll(textForm))
      if (colon) this.#names.add(text);
    if (isLarge || this.#names.size > maxNames)
      throw new QueryError(queryMessages.too_much_nested(bounds), 'too_large');
    return values;
  }
}
