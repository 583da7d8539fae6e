/**
 * Rows on their way to the engine's process: all values of a column decide about its type, and are then
 * written as JSON texts of some rows each.
 */

import { setImmediate } from 'node:timers/promises';
import { fieldOf, isSqlName, nest, nestedNames } from '../core/column-name.ts';
import { fillTree, removeFields } from '../core/column-type.ts';
import { isRecord, type JsonObject, ownValue, toText } from '../core/json.ts';
import type { Warning } from '../core/message.ts';
import { queryMessages, type UnreadFigure } from './messages.ts';
import type { StatementShape, TableKind } from './provider.ts';
import { keysOf, type SqlType, sqlColumns, typedColumn, unknownType } from './sql-type.ts';

/** So many unread figures are named. */
export const maxUnread = 3;

/** A table on its way. */
export interface TableText {
  /** Its columns in their order; one that the statement cannot see is there without a type and values. */
  columns: readonly (readonly [name: string, type: SqlType | undefined])[];
  /** JSON objects with the values of some rows, a list for each column. */
  texts: readonly string[];
}

/** The column that says which call a row belongs to, by its place. */
export const callColumn = '__call';

/** Columns that distinguish a report's facts, whatever a statement names. */
const factColumns: ReadonlySet<string> = new Set(['path', 'measure', 'split', 'line']);

/** Rows in which the fields of objects are looked for. */
const maxLooked = 100;

/** Values of one text: writing it holds up the server. */
const partValues = 50_000;

/**
 * The table of some calls as text, and what to know of it. Types are those of its own values: a look at the account
 * adds what a statement names and no row has.
 * @param calls the rows of a table by its calls
 * @param shape names the only columns that count, where not all do
 */
export async function tableText(
  table: string,
  calls: readonly (readonly JsonObject[])[],
  { columns: known = {}, documented = known }: Pick<CallsKind, 'columns' | 'documented'>,
  { mentioned, meansAll }: Pick<StatementShape, 'mentioned' | 'meansAll'>,
): Promise<TableText & { warnings: readonly Warning[] }> {
  const rows = nestedRows(calls.flat());
  const names = keysOf(rows);
  const isNamed = (path: string) => mentioned.has(fieldOf(path).toLowerCase());
  const looked = rows.length > 0 ? removeFields(known, (path) => !isNamed(path)) : known;
  const hints = sqlColumns(documented);
  const others = sqlColumns(looked);
  const taken = new Set([callColumn]);
  const columns: [string, SqlType | undefined][] = [];
  const leftOut: string[] = [];
  const unread: UnreadFigure[] = [];
  const numbers = calls.flatMap((rows, number) => rows.map(() => number));
  const lists: [string, readonly unknown[]][] = [[callColumn, numbers]];
  for (const key of keysOf([...rows, hints, others])) {
    const small = key.toLowerCase();
    if (!isSqlName(key) || taken.has(small)) {
      if (names.has(key)) leftOut.push(key);
      continue;
    }
    taken.add(small);
    // A name may be that of a field within it: a refusal then says its path.
    const holdsNamed = rows.slice(0, maxLooked).some((row) => {
      const value = ownValue(row, key);
      return isRecord(value) && Object.keys(value).some((field) => isNamed(field));
    });
    const isSeen = meansAll || mentioned.has(small) || factColumns.has(small) || holdsNamed;
    if (!isSeen) {
      columns.push([key, undefined]);
      continue;
    }
    const values = rows.map((row) => ownValue(row, key) ?? null);
    const typed = typedColumn(key, values, ownValue(hints, key));
    columns.push([key, fillTree(typed.type, ownValue(others, key), unknownType)]);
    lists.push([key, typed.values]);
    for (const [at, value] of typed.unread)
      unread.push({
        name: key,
        value: JSON.stringify(value),
        row: at + 1,
        id: toText(rows[at]?.id),
      });
    await setImmediate();
  }
  const texts: string[] = [];
  const partRows = Math.ceil(partValues / lists.length);
  for (let from = 0; from < rows.length; from += partRows) {
    const part = lists.map(([name, values]) => [name, values.slice(from, from + partRows)]);
    texts.push(JSON.stringify(Object.fromEntries(part)));
    await setImmediate();
  }
  const warnings: Warning[] = [];
  if (leftOut.length > 0)
    warnings.push(queryMessages.columns_left_out({ table, columns: leftOut }));
  const figures = unread.slice(0, maxUnread);
  if (unread.length > 0)
    warnings.push(queryMessages.figures_unread({ table, count: unread.length, figures }));
  return { columns, texts, warnings };
}

type CallsKind = Extract<TableKind, { kind: 'calls' }>;

/** Rows with dotted names as objects. */
function nestedRows(rows: readonly JsonObject[]): readonly JsonObject[] {
  const names = [...keysOf(rows)];
  if (!names.some((name) => name.includes('.'))) return rows;
  const isHeld = (name: string) => rows.some((row) => (ownValue(row, name) ?? null) !== null);
  const isNested = nestedNames(names.filter(isHeld));
  return rows.map((row) => nest(row, isNested));
}
