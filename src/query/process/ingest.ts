/**
 * The rows of a table, which come in as JSON texts. All of their values are looked at here, and that
 * alone decides about types; the engine then reads the texts as these.
 */
import { isRecord, type JsonObject } from '../../core/json.ts';
import { isCodeName, type TypeHints } from '../provider.ts';
import { freeName } from './answer.ts';
import { type Database, quoteName, quoteText } from './database.ts';
import { callColumn } from './macros.ts';

/** A type in the engine's words, a list of something, or the fields of an object. */
type ColumnType = string | readonly [ColumnType] | { readonly [field: string]: ColumnType };

/** Text that one statement reads: each has costs of its own. */
const batchLength = 2_000_000;

export class Ingest {
  readonly #seen = newPlace();
  readonly #texts: string[] = [];

  /** @param text a JSON list of `{call, rows}`: the number of a call, and rows of it */
  rows(text: string): void {
    const parts: { rows: JsonObject[] }[] = JSON.parse(text);
    for (const { rows } of parts) for (const row of rows) look(this.#seen, row, 0);
    this.#texts.push(text);
  }

  /** Makes the table `loaded.<name>` of all that came; `hints` are of columns that came without a value. */
  async end(database: Database, name: string, hints: TypeHints): Promise<void> {
    const { fields } = this.#seen;
    const names = columnNames(new Set([...fields.keys(), ...Object.keys(hints)]));
    const types = [...names].map(([key, name]): [string, ColumnType] => [
      name,
      typeOf(key, fields.get(key), hints[key]),
    ]);
    if (types.length === 0) types.push(['nothing', 'VARCHAR']);
    const columns = types.map(([column, type]) => {
      const quoted = quoteName(column);
      return `CAST(${quoted} AS ${sqlType(type)}) AS ${quoted}`;
    });
    const structure = JSON.stringify([
      { call: 'INTEGER', rows: [readAs(Object.fromEntries(types))] },
    ]);
    const table = `loaded.${quoteName(name)}`;
    let isMade = false;
    const isAwkward = [...names].some(([key, name]) => key !== name);
    const all = isAwkward ? this.#texts.map((text) => renamed(text, names)) : this.#texts;
    for (const texts of batchesOf(all)) {
      const values = texts.map((_, index) => `($${index + 1}::VARCHAR)`).join(', ');
      await database.run(
        `${isMade ? `INSERT INTO ${table}` : `CREATE TABLE ${table} AS`}
        SELECT ${[callColumn, ...columns].join(', ')} FROM (
          SELECT part.call AS ${callColumn}, unnest(part.rows, max_depth := 2) FROM (
            SELECT unnest(from_json(text, ${quoteText(structure)})) AS part FROM (VALUES ${values}) t(text)))`,
        ...texts,
      );
      isMade = true;
    }
    // A table without rows would keep its calls from being asked for.
    await database.run(`INSERT INTO ${table} (${callColumn}) VALUES (-1)`);
  }
}

function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = texts.length === 0 ? ['[]'] : [];
  let length = 0;
  for (const text of texts) {
    batch.push(text);
    length += text.length;
    if (length < batchLength) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
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

/** A text of rows with the names of columns in place of their keys. */
function renamed(text: string, names: ReadonlyMap<string, string>): string {
  const parts: { call: number; rows: JsonObject[] }[] = JSON.parse(text);
  const named = (row: JsonObject) =>
    Object.fromEntries(Object.entries(row).map(([key, value]) => [names.get(key), value]));
  return JSON.stringify(parts.map(({ call, rows }) => ({ call, rows: rows.map(named) })));
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
  const text = String(value);
  if (text.includes('e') || !seenDigits(place, text)) return 'dust';
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'whole' : 'fraction';
}

const day = /^[1-9]\d{3}-\d\d-\d\d/;
const rest = /^[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)?$/;
// A leading zero, a plus sign or a space makes it a code: an article number, a zip, a telephone.
const number = /^-?(0|[1-9]\d{0,27})(\.\d{1,10})?$/;

function textKind(place: Place, text: string): Kind {
  if (place.kinds.has('text') || !/^[-\d]/.test(text)) return 'text';
  if (number.test(text)) {
    seenDigits(place, text);
    return text.includes('.') ? 'amount' : 'digits';
  }
  if (!day.test(text) || !isRealDay(text.slice(0, 10))) return 'text';
  if (text.length === 10) return 'day';
  return rest.test(text.slice(10)) ? 'moment' : 'text';
}

/** A day that the month lacks reads as none, or as one of the next month. */
function isRealDay(text: string): boolean {
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(-2));
}

/** Notes the digits of a number. Gives whether an amount may have as many after its point. */
function seenDigits(place: Place, text: string): boolean {
  const [whole = '', scale = ''] = text.replace('-', '').split('.');
  place.whole = Math.max(place.whole, whole.length);
  place.scale = Math.max(place.scale, scale.length);
  return scale.length <= maxScale;
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

function isList(type: ColumnType): type is readonly [ColumnType] {
  return Array.isArray(type);
}

/** What the engine reads a value as: days and amounts first as the text that they are written as. */
function readAs(type: ColumnType): unknown {
  if (typeof type === 'string')
    return /^(BIGINT|BOOLEAN|DOUBLE|JSON)$/.test(type) ? type : 'VARCHAR';
  if (isList(type)) return [readAs(type[0])];
  return Object.fromEntries(Object.entries(type).map(([key, inner]) => [key, readAs(inner)]));
}

/** A type in SQL's words. */
export function sqlType(type: ColumnType): string {
  if (typeof type === 'string') return type;
  if (isList(type)) return `${sqlType(type[0])}[]`;
  const fields = Object.entries(type).map(([key, inner]) => `${quoteName(key)} ${sqlType(inner)}`);
  return `STRUCT(${fields.join(', ')})`;
}
