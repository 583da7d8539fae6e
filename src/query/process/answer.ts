/**
 * Turns the engine's JSON into the form that readers expect: amounts without floating-point noise, moments in Amsterdam
 * time with their offset. Numbers that a double cannot hold exactly, NaN and Infinity are texts.
 */
import { countJson } from '../../core/json.ts';
import { QueryError, queryMessages, rowTooLarge } from '../messages.ts';
import type { SentStatement, SqlColumn } from '../protocol.ts';
import { type Database, quoteName } from './database.ts';

/** The columns of a statement's answer; a repeated name gets a number. */
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

/** Adds the name to `taken`. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 1; taken.has(free.toLowerCase()); count++) free = `${name}_${count}`;
  taken.add(free.toLowerCase());
  return free;
}

/**
 * An answer with more cells is cut, and one with more values in its lists and objects is refused: 32 MB of text may
 * hold millions of values, which the server would have to read.
 */
const maxValues = 1_000_000;

const maxDepth = 50;

/** Different names in objects: JavaScript keeps a description of each form that an object has. */
const maxNames = 1000;

const bounds = { depth: maxDepth, values: maxValues, names: maxNames };

/** The server reads an answer in parts, and serves other callers in between. */
const maxPart = { length: 500_000, values: 25_000 };

/**
 * Gives the rows of `sql` as JSON arrays of arrays, some rows in each, and whether there are more rows.
 * @throws {QueryError} when a single row, or the lists and objects of all rows, exceed a bound
 */
export async function answerOf(
  database: Database,
  sql: string,
  columns: readonly SqlColumn[],
  { maxRows, maxBytes }: Pick<SentStatement, 'maxRows' | 'maxBytes'>,
): Promise<{ rows: string[]; more: boolean }> {
  const names = columns.map((_, index) => quoteName(`c${index}`));
  // Not `to_json`, which does not compute expressions of the type of NULL, such as error().
  const texts = names.map((name) => `json_array(${name})::VARCHAR`);
  // The line break ends a comment at the end of the statement.
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
    // The engine stays open, and the statement would keep its memory.
    prepared.destroySync();
  }
}

/** Long numbers and moments need rewriting, and so do NaN and Infinity, which are no JSON. */
const needsRewriting = /\d{14}|\.\d{8}|\d[eE]|Infinity|NaN|-0\b|\d{4}-\d\d-\d\d \d\d:/;

// A string matches as a whole, so that no number within it is rewritten. An alternative for each character would
// overflow the matcher's stack in long strings.
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:Infinity|NaN|\d[-+.\deE]*)/gs;

/** Takes the one value out of an array, as JSON that JavaScript reads without loss. */
function cellAsJson(array: unknown, type: string): string {
  const text = String(array).slice(1, -1);
  if (!needsRewriting.test(text)) return text;
  return text.replace(stringOrNumber, (token) => {
    if (!token.startsWith('"')) return numberAsJson(token, type);
    return type.includes('TIMESTAMP') ? `"${instantOf(token.slice(1, -1))}"` : token;
  });
}

function numberAsJson(token: string, type: string): string {
  // -0 + 0 is 0.
  const value = Number(token) + 0;
  if (!Number.isFinite(value)) return `"${token}"`;
  if (Number.isSafeInteger(value) && !/\.0*[1-9]/.test(token)) return String(value);
  if (/DOUBLE|FLOAT/.test(type) || /e/i.test(token)) {
    const plain = Number(value.toPrecision(type.includes('FLOAT') ? 7 : 15));
    // The largest double is rounded up to infinity.
    return String(Number.isFinite(plain) ? plain : value);
  }
  const plain = token.includes('.') ? token.replace(/\.?0+$/, '') : token;
  return String(value) === plain ? plain : `"${plain}"`;
}

const instantForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)?(:\d\d)?$/;

/** `2026-11-02 10:15:00+01` -> `2026-11-02T10:15:00+01:00`; other texts stay unchanged. */
export function instantOf(text: string): string {
  return text.replace(instantForm, (_, day, time, hours, minutes = ':00') =>
    hours === undefined ? `${day}T${time}` : `${day}T${time}${hours}${minutes}`,
  );
}

/** A string of JSON; a colon follows a key. */
const textForm = /"[^"\\]*(?:\\.[^"\\]*)*"(:?)/gs;

/** Counts the values in lists and objects of an answer. */
class NestedValues {
  #count = 0;
  readonly #names = new Set<string>();

  /**
   * @param json a cell, without blanks
   * @returns how many values the cell adds: 0 where it is no list or object
   * @throws {QueryError} when all cells together exceed a bound
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
