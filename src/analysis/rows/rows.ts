/** The platform's rows as a table: a dotted column (`address.city`) reaches into an object; a list is one cell. */
import {
  columnType,
  isEmptyCell,
  isNumberType,
  isTimeType,
  orderOf,
} from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, ownValue } from '../../core/json.ts';
import { messagesOf } from '../../core/message.ts';
import { nearest, suggestion } from '../../core/nearest.ts';
import { quote, quoteFirst } from '../../core/text.ts';

export const rowMessages = messagesOf({
  no_such_column: ({ argument, column, columns }: NoSuchColumn) => {
    const near = nearest(column, columns);
    return `${argument}: there is no column "${quote(column)}"${suggestion(near && quote(near))} The columns are ${quoteFirst(columns, 60)}.`;
  },
});

interface NoSuchColumn {
  argument: string;
  column: string;
  columns: readonly string[];
}

export type Row = JsonObject;

/** A value for each row by dotted column; undefined where a row lacks it. */
export type Columns = ReadonlyMap<string, readonly unknown[]>;

const maxDepth = 5;

/** Objects that are keyed by days or ids have a column for each key. */
const maxColumns = 1000;

const rowsAtOnce = 2000;

/** The first thousand columns, in order of appearance. */
export function readColumns(rows: readonly Row[]): Columns {
  const reading = columnReader(rows);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/**
 * Reads columns in pieces of 2,000 rows, between which others can be served.
 * @param max bounds the columns; with it their arrays are sparse, since rows with different keys would fill the memory
 */
export function* columnReader(rows: readonly Row[], max?: number): Generator<void, Columns> {
  const columns = new Map<string, unknown[]>();
  const parents = new Set<string>();
  const addColumn = (name: string): unknown[] | undefined => {
    if (columns.size >= (max ?? maxColumns)) return undefined;
    const cells = max === undefined ? new Array(rows.length).fill(undefined) : [];
    columns.set(name, cells);
    return cells;
  };
  const addFields = (object: Row, index: number, prefix = '', depth = 1): void => {
    for (const key of Object.keys(object)) {
      const name = prefix + key;
      const value = object[key];
      if (isRecord(value) && depth < maxDepth && !isEmptyCell(value)) {
        parents.add(name);
        addFields(value, index, `${name}.`, depth + 1);
      } else {
        const cells = columns.get(name) ?? addColumn(name);
        if (cells) cells[index] = value;
      }
    }
  };
  for (const [index, row] of rows.entries()) {
    addFields(row, index);
    if (index > 0 && index % rowsAtOnce === 0) yield;
  }
  for (const cells of columns.values()) cells.length = rows.length;
  // `address: null` in some rows makes no column beside `address.city`.
  for (const parent of parents) if (columns.get(parent)?.every(isEmptyCell)) columns.delete(parent);
  return columns;
}

/** A field with dots in its own name comes before a nested one. */
export function readCell(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const inner = innerOf(row, column);
  return inner && readCell(inner.object, inner.column);
}

/** For `a.b.c`, the object `a` and its column `b.c`. */
function innerOf(row: Row, name: string): { key: string; object: Row; column: string } | undefined {
  const [key = '', ...rest] = name.split('.');
  const object = ownValue(row, key);
  return isRecord(object) ? { key, object, column: rest.join('.') } : undefined;
}

/** @throws {InputError} for a column that no row has, if there are rows, naming the argument and all columns */
export function requireColumn(rows: readonly Row[], column: string, argument: string): void {
  if (rows.length === 0 || rows.some((row) => readCell(row, column) !== undefined)) return;
  const columns = [...readColumns(rows).keys()];
  throw new InputError(rowMessages.no_such_column({ argument, column, columns }), argument);
}

/** Keeps the named columns of a row, nested as they came: `address.city` leaves `{address: {city}}`. */
export function selectFields(row: Row, fields: readonly string[]): Row {
  const present = fields.filter((field) => readCell(row, field) !== undefined);
  return present.reduce<Row>((selected, field) => copyCell(selected, row, field), {});
}

function copyCell(selected: Row, row: Row, column: string): Row {
  const inner = Object.hasOwn(row, column) ? undefined : innerOf(row, column);
  if (!inner) return { ...selected, [column]: row[column] };
  const nested = selected[inner.key];
  const into = isRecord(nested) ? nested : {};
  return { ...selected, [inner.key]: copyCell(into, inner.object, inner.column) };
}

const ends = {
  numbers: ['smallest', 'largest'],
  times: ['oldest', 'newest'],
  texts: ['a', 'z'],
} as const;

/**
 * Sorts rows by a column (`total_wt`, or `-total_wt` for descending), texts in Dutch order, and tells what comes first.
 * Rows without a value come last; equal rows keep their order.
 * @param isTop without a sign, the largest numbers and the newest days come first
 * @throws {InputError} naming the nearest column and all of them when no row has the column
 */
export function sortRows(rows: readonly Row[], sort: string, isTop = false) {
  const [, given, column = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(sort) ?? [];
  requireColumn(rows, column, 'sort');
  const cells = rows.map((row) => readCell(row, column));
  const type = columnType(cells, column);
  const keyOf = orderOf(type);
  const isEmpty = (_: Row, at: number) => isEmptyCell(cells[at]);
  const sortable = rows.flatMap((row, at) =>
    isEmpty(row, at) ? [] : [{ row, key: keyOf(cells[at]) }],
  );
  const isMeasured = isNumberType(type) || isTimeType(type);
  const isDescending = given === '-' || (given === '' && isTop && isMeasured);
  const sign = isDescending ? -1 : 1;
  const dutch = new Intl.Collator('nl', { numeric: true });
  const sorted = sortable.sort(({ key: a }, { key: b }) => {
    const isNumbers = typeof a === 'number' && typeof b === 'number';
    return sign * (isNumbers ? a - b : dutch.compare(String(a), String(b)));
  });
  const [up, down] = isMeasured ? ends[isTimeType(type) ? 'times' : 'numbers'] : ends.texts;
  return {
    rows: [...sorted.map(({ row }) => row), ...rows.filter(isEmpty)],
    sorted: { by: column, first: isDescending ? down : up },
  };
}
