/**
 * Rows as the engine's process takes them: the columns with their types, then texts that it reads by
 * these types. What a sample of the rows holds gives the types, so that the engine reads while the
 * others are looked through and written; where these hold something else, all is written once more.
 * A part at a time, so that neither the whole text nor a long pause of this process comes of it.
 */
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { sampleOf } from '../../core/sample.ts';
import { type EngineType, noColumn, type TableColumn } from '../protocol/messages.ts';
import type { TypeHints } from '../provider.ts';
import { isStruct, type SqlType, type StructField, structFields } from './column-type.ts';
import { needsRewrite, rewrite, writtenForm } from './rewrite.ts';
import { emptyShape, observe, type Shape } from './shape.ts';

/** A table as text. */
export interface TableText {
  columns: readonly TableColumn[];
  /** JSON objects that hold the values of some rows, a list for each column. */
  chunks: AsyncIterable<string>;
  /** To be asked after the last chunk. */
  ending(): Ending;
}

/** How many values of each column are not null; or the text of the same rows that is right instead. */
export type Ending = { values: readonly number[] } | { instead: TableText };

/** Rows of one text, and as many are looked through without a pause. */
const chunkRows = 500;

/** Rows that tell the types, as a rule. */
const sampleSize = 1000;

/**
 * The text of a table. A column without a value is none of it where `hints` have its type.
 * @throws {TypeError} for a row that is no object
 */
export function tableText(rows: readonly object[], hints: TypeHints): TableText {
  const shapes = new Map<string, Shape>();
  observeRows(shapes, records(sampleOf(rows, sampleSize)));
  const fields = fieldsOf(shapes, hints);
  return rows.length <= sampleSize ? textAs(fields, rows) : triedText(fields, rows, hints);
}

function records(rows: readonly object[]): readonly JsonObject[] {
  if (rows.every(isRecord)) return rows;
  throw new TypeError('A row has to be an object.');
}

/** The text by types that all rows have. */
function textAs(fields: readonly StructField[], rows: readonly object[]): TableText {
  return {
    columns: fields.map(columnOf),
    chunks: write(rows, fields),
    ending: () => ({ values: fields.map(({ shape }) => shape.values) }),
  };
}

/** The text by types that a sample has; the rows are looked at as they are written. */
function triedText(
  fields: readonly StructField[],
  rows: readonly object[],
  hints: TypeHints,
): TableText {
  const shapes = new Map<string, Shape>();
  return {
    columns: fields.map(columnOf),
    chunks: write(rows, fields, (part) => observeRows(shapes, part)),
    ending() {
      const found = fieldsOf(shapes, hints);
      const right = textAs(found, rows);
      const isRight = isDeepStrictEqual(found.map(formOf), fields.map(formOf));
      return isRight ? right.ending() : { instead: right };
    },
  };
}

async function* write(
  rows: readonly object[],
  fields: readonly StructField[],
  look: (part: readonly JsonObject[]) => void = () => {},
): AsyncGenerator<string> {
  for (let at = 0; at < rows.length; at += chunkRows) {
    const part = records(rows.slice(at, at + chunkRows));
    look(part);
    const lists = fields.map((field) => [field.name, valuesOf(field, part)]);
    // Rows without columns are still so many rows.
    if (fields.length === 0) lists.push([noColumn.name, part.map(() => null)]);
    yield JSON.stringify(Object.fromEntries(lists));
    await setImmediate();
  }
}

/** What one column holds, as the engine should read it. */
function valuesOf(
  { key, type, shape }: StructField,
  rows: readonly JsonObject[],
): readonly unknown[] {
  // What every object has by birth is none of its values.
  const own = (row: JsonObject) => (Object.hasOwn(row, key) ? row[key] : null);
  const values = key in Object.prototype ? rows.map(own) : rows.map((row) => row[key]);
  return needsRewrite(type, shape) ? values.map((value) => rewrite(value, type, shape)) : values;
}

function fieldsOf(shapes: ReadonlyMap<string, Shape>, hints: TypeHints): StructField[] {
  return structFields(shapes, 0).filter(
    ({ name, shape }) => shape.values > 0 || !Object.hasOwn(hints, name),
  );
}

/** All of a column that its text depends on. */
function formOf(field: StructField): unknown {
  return [field.key, columnOf(field), writtenForm(field.type, field.shape)];
}

/** Adds rows to what was seen of their columns. Changes `columns`. */
function observeRows(columns: Map<string, Shape>, rows: readonly JsonObject[]): void {
  // Rows of a list have the same columns in the same order, as a rule.
  const inOrder = [...columns];
  for (const row of rows) {
    let at = 0;
    for (const key of Object.keys(row)) {
      const next = inOrder[at++];
      observe(next?.[0] === key ? next[1] : shapeOf(columns, key), row[key]);
    }
  }
}

function shapeOf(columns: Map<string, Shape>, key: string): Shape {
  let shape = columns.get(key);
  if (shape === undefined) {
    shape = emptyShape();
    columns.set(key, shape);
  }
  return shape;
}

function columnOf({ name, type, shape }: StructField): TableColumn {
  return { name, type: typeOf(type), holdsJson: shape.objects + shape.lists > 0 };
}

function typeOf(type: SqlType): EngineType {
  if (isStruct(type)) {
    return Object.fromEntries(type.fields.map(({ name, type }) => [name, typeOf(type)]));
  }
  return typeof type === 'string' ? type : [typeOf(type[0])];
}
