/**
 * Rows as the platform sent them, seen as a table: a column is a field, and a dotted name reaches
 * into a nested object (`address.city`). A list within a row is one cell.
 */
import { setImmediate } from 'node:timers/promises';
import {
  columnType,
  isEmptyCell,
  isOfNumbers,
  isOfTimes,
  orderOf,
} from '../../core/column-type.ts';
import { InputError } from '../../core/errors.ts';
import { isRecord, type JsonObject, ownValue } from '../../core/json.ts';
import { messagesOf } from '../../core/message.ts';
import { nearest, orMeant } from '../../core/nearest.ts';
import { quote, quoteFirst } from '../../core/text.ts';

export const rowMessages = messagesOf({
  no_such_column: (it: { argument: string; column: string; columns: readonly string[] }) => {
    const meant = nearest(it.column, it.columns);
    return `${it.argument}: there is no column "${quote(it.column)}"${orMeant(meant && quote(meant))} The columns are ${quoteFirst(it.columns, 60)}.`;
  },
});

/** A row of a list, its fields as the platform sent them. */
export type Row = JsonObject;

/** The values of each column by its dotted name: one for each row, undefined where a row lacks it. */
export type Columns = ReadonlyMap<string, readonly unknown[]>;

const maxDepth = 5;

/** Most columns that are read: rows that are keyed by something else have one for each of their keys. */
const maxColumns = 1000;

/** Rows that are read in one piece. */
const rowsAtOnce = 2000;

/** The first thousand columns of rows, in the order in which they are seen. */
export function readColumns(rows: readonly Row[]): Columns {
  const reading = readingColumns(rows);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** The columns of many rows: others are served while they are read. @param max as of {@link readingColumns} */
export async function readColumnsInTurns(rows: readonly Row[], max?: number): Promise<Columns> {
  const reading = readingColumns(rows, max);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await setImmediate();
  }
}

/**
 * Reads columns in pieces of 2,000 rows, between which others can be served.
 * @param most only so many columns are read, and hold nothing, not even undefined, where a row lacks
 *   them: of many rows with keys of their own each column would take as much room as there are rows
 */
export function* readingColumns(rows: readonly Row[], most?: number): Generator<void, Columns> {
  const columns = new Map<string, unknown[]>();
  const parents = new Set<string>();
  const open = (name: string): unknown[] | undefined => {
    if (columns.size >= (most ?? maxColumns)) return undefined;
    const cells = most === undefined ? new Array(rows.length).fill(undefined) : [];
    columns.set(name, cells);
    return cells;
  };
  const add = (from: Row, index: number, prefix = '', depth = 1): void => {
    for (const key of Object.keys(from)) {
      const name = prefix + key;
      const value = from[key];
      if (isRecord(value) && depth < maxDepth && !isEmptyCell(value)) {
        parents.add(name);
        add(value, index, `${name}.`, depth + 1);
      } else {
        const cells = columns.get(name) ?? open(name);
        if (cells) cells[index] = value;
      }
    }
  };
  for (const [index, row] of rows.entries()) {
    add(row, index);
    if (index > 0 && index % rowsAtOnce === 0) yield;
  }
  for (const cells of columns.values()) cells.length = rows.length;
  // An object that some rows lack (`address: null`) is no column of its own.
  for (const parent of parents) if (columns.get(parent)?.every(isEmptyCell)) columns.delete(parent);
  return columns;
}

/** What a row holds in a column. A field whose own name has dots comes before a nested one. */
export function readCell(row: Row, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const inner = innerOf(row, column);
  return inner && readCell(inner.object, inner.column);
}

/** The object that `a.b.c` reaches into, which is that of `a`, and the column `b.c` of it. */
function innerOf(row: Row, name: string): { key: string; object: Row; column: string } | undefined {
  const [key = '', ...rest] = name.split('.');
  const object = ownValue(row, key);
  return isRecord(object) ? { key, object, column: rest.join('.') } : undefined;
}

/**
 * Of no rows any column is accepted.
 * @throws {InputError} for a column that no row has, naming the argument and all columns
 */
export function requireColumn(rows: readonly Row[], column: string, argument: string): void {
  if (rows.length === 0 || rows.some((row) => readCell(row, column) !== undefined)) return;
  const columns = [...readColumns(rows).keys()];
  throw new InputError(rowMessages.no_such_column({ argument, column, columns }), argument);
}

/** A row with the named columns that it has, nested as they came: `address.city` leaves `{address: {city}}`. */
export function selectFields(row: Row, fields: readonly string[]): Row {
  const present = fields.filter((field) => readCell(row, field) !== undefined);
  return present.reduce<Row>((selected, field) => withCell(selected, row, field), {});
}

function withCell(selected: Row, row: Row, column: string): Row {
  const inner = Object.hasOwn(row, column) ? undefined : innerOf(row, column);
  if (!inner) return { ...selected, [column]: row[column] };
  const nested = selected[inner.key];
  const into = isRecord(nested) ? nested : {};
  return { ...selected, [inner.key]: withCell(into, inner.object, inner.column) };
}

const ends = {
  numbers: ['smallest', 'largest'],
  times: ['oldest', 'newest'],
  texts: ['a', 'z'],
} as const;

/**
 * The rows in the order of a column (`total_wt`, or `-total_wt` for descending), texts as a Dutch reader expects, and
 * what comes first. Rows without the value come last either way, and rows that are equal stay as they were.
 * @param isTop the first are wanted: without a sign the largest numbers and the newest days
 * @throws {InputError} naming the nearest column and all of them when no row has the column
 */
export function sortRows(rows: readonly Row[], sort: string, isTop = false) {
  const [, given, column = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(sort) ?? [];
  requireColumn(rows, column, 'sort');
  const cells = rows.map((row) => readCell(row, column));
  const type = columnType(cells, column);
  const keyOf = orderOf(type);
  const isEmpty = (_: Row, at: number) => isEmptyCell(cells[at]);
  const keyed = rows.flatMap((row, at) =>
    isEmpty(row, at) ? [] : [{ row, key: keyOf(cells[at]) }],
  );
  const isMeasured = isOfNumbers(type) || isOfTimes(type);
  const isDescending = given === '-' || (given === '' && isTop && isMeasured);
  const sign = isDescending ? -1 : 1;
  const dutch = new Intl.Collator('nl', { numeric: true });
  const sorted = keyed.sort(({ key: a }, { key: b }) => {
    const isNumbers = typeof a === 'number' && typeof b === 'number';
    return sign * (isNumbers ? a - b : dutch.compare(String(a), String(b)));
  });
  const [up, down] = isMeasured ? ends[isOfTimes(type) ? 'times' : 'numbers'] : ends.texts;
  return {
    rows: [...sorted.map(({ row }) => row), ...rows.filter(isEmpty)],
    sorted: { by: column, first: isDescending ? down : up },
  };
}
