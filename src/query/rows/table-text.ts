/**
 * Rows as the engine's process takes them: the columns with their types, decided from all values, then
 * texts that it reads by these types. Rows are looked through and written a part at a time, so that
 * neither the whole text nor a long pause of this process comes of it.
 */
import { setImmediate } from 'node:timers/promises';
import { isRecord } from '../../core/json.ts';
import type { EngineType, TableColumn } from '../protocol/messages.ts';
import type { TypeHints } from '../provider.ts';
import { isStruct, type SqlType, type StructField, structFields } from './column-type.ts';
import { needsRewrite, rewrite } from './rewrite.ts';
import { emptyShape, observe, type Shape } from './shape.ts';

/** A table as text. */
export interface TableText {
  columns: readonly TableColumn[];
  /** JSON arrays of row objects. */
  chunks: Iterable<string>;
}

/** Rows of one text, and as many are looked through without a pause. */
const chunkRows = 500;

/**
 * The text of a table. A column without a value is none of it where `hints` have its type.
 * @param check throws when it has to end
 * @throws {TypeError} for a row that is no object
 */
export async function tableText(
  rows: readonly object[],
  hints: TypeHints,
  check: () => void,
): Promise<TableText> {
  const shapes = new Map<string, Shape>();
  for (const part of parts(rows)) {
    check();
    for (const row of part) observeRow(shapes, row);
    await setImmediate();
  }
  const fields = structFields(shapes, 0).filter(
    ({ name, shape }) => shape.values > 0 || !Object.hasOwn(hints, name),
  );
  return { columns: fields.map(columnOf), chunks: textsOf(rows, fields) };
}

function* textsOf(rows: readonly object[], fields: readonly StructField[]): Generator<string> {
  const isRewritten = fields.some(
    ({ key, name, type, shape }) => key !== name || needsRewrite(type, shape),
  );
  const whole = emptyShape();
  for (const part of parts(rows)) {
    yield JSON.stringify(isRewritten ? part.map((row) => rewrite(row, { fields }, whole)) : part);
  }
}

function* parts(rows: readonly object[]): Generator<readonly object[]> {
  for (let at = 0; at < rows.length; at += chunkRows) yield rows.slice(at, at + chunkRows);
}

function observeRow(columns: Map<string, Shape>, row: object): void {
  if (!isRecord(row)) throw new TypeError('A row has to be an object.');
  for (const key of Object.keys(row)) {
    let shape = columns.get(key);
    if (shape === undefined) {
      shape = emptyShape();
      columns.set(key, shape);
    }
    observe(shape, row[key]);
  }
}

function columnOf({ name, type, shape }: StructField): TableColumn {
  const holdsJson = shape.objects + shape.lists > 0;
  return { name, type: typeOf(type), values: shape.values, holdsJson };
}

function typeOf(type: SqlType): EngineType {
  if (isStruct(type)) {
    return Object.fromEntries(type.fields.map(({ name, type }) => [name, typeOf(type)]));
  }
  return typeof type === 'string' ? type : [typeOf(type[0])];
}
