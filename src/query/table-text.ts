/** Prepares rows for the engine's process: types each column by all its values, then writes the rows as JSON texts. */

import { setImmediate } from 'node:timers/promises';
import { fieldOf, isSqlName, nest, nestedNames } from '../core/column-name.ts';
import { fillTree, removeFields } from '../core/column-type.ts';
import { isRecord, type JsonObject, ownValue, toText } from '../core/json.ts';
import type { Warning } from '../core/message.ts';
import { queryMessages, type UnreadFigure } from './messages.ts';
import type { CallsKind, StatementShape } from './provider.ts';
import { keysOf, type SqlType, sqlColumns, typedColumn, unknownType } from './sql-type.ts';

/** How many unread figures a warning names. */
export const maxUnread = 3;

export interface TableText {
  /** In order; a column that the statement does not use has no type and no values. */
  columns: readonly (readonly [name: string, type: SqlType | undefined])[];
  /** JSON objects with the values of some rows, a list for each column. */
  texts: readonly string[];
}

/** The column with the number of a row's call. */
export const callColumn = '__call';

/** Columns that identify a report's facts: lints read them even if the statement does not. */
const factColumns: ReadonlySet<string> = new Set(['path', 'measure', 'split', 'line']);

/** The number of rows that are searched for the fields of objects. */
const maxSearchedRows = 100;

/** Values of one text: writing it blocks the event loop. */
const partValues = 50_000;

/**
 * Writes the rows of a table's calls as text, with warnings. Its values decide the types; columns that the statement
 * names and no row has are taken from the account's shape.
 */
export async function tableText(
  table: string,
  calls: readonly (readonly JsonObject[])[],
  { columns: learnt = {}, documented = learnt }: Pick<CallsKind, 'columns' | 'documented'>,
  { mentioned, meansAll }: Pick<StatementShape, 'mentioned' | 'meansAll'>,
): Promise<TableText & { warnings: readonly Warning[] }> {
  const rows = nestedRows(calls.flat());
  const names = keysOf(rows);
  const isNamed = (path: string) => mentioned.has(fieldOf(path).toLowerCase());
  const wanted = rows.length > 0 ? removeFields(learnt, (path) => !isNamed(path)) : learnt;
  const documentedTypes = sqlColumns(documented);
  const learntTypes = sqlColumns(wanted);
  const taken = new Set([callColumn]);
  const columns: [string, SqlType | undefined][] = [];
  const leftOut: string[] = [];
  const unread: UnreadFigure[] = [];
  const numbers = calls.flatMap((rows, number) => rows.map(() => number));
  const lists: [string, readonly unknown[]][] = [[callColumn, numbers]];
  for (const key of keysOf([...rows, documentedTypes, learntTypes])) {
    const lowerName = key.toLowerCase();
    if (!isSqlName(key) || taken.has(lowerName)) {
      if (names.has(key)) leftOut.push(key);
      continue;
    }
    taken.add(lowerName);
    // The statement may name a field within it; the refusal then suggests the path.
    const holdsNamed = rows.slice(0, maxSearchedRows).some((row) => {
      const value = ownValue(row, key);
      return isRecord(value) && Object.keys(value).some((field) => isNamed(field));
    });
    const isUsed = meansAll || mentioned.has(lowerName) || factColumns.has(lowerName) || holdsNamed;
    if (!isUsed) {
      columns.push([key, undefined]);
      continue;
    }
    const values = rows.map((row) => ownValue(row, key) ?? null);
    const typed = typedColumn(key, values, ownValue(documentedTypes, key));
    columns.push([key, fillTree(typed.type, ownValue(learntTypes, key), unknownType)]);
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

function nestedRows(rows: readonly JsonObject[]): readonly JsonObject[] {
  const names = [...keysOf(rows)];
  if (!names.some((name) => name.includes('.'))) return rows;
  const isHeld = (name: string) => rows.some((row) => (ownValue(row, name) ?? null) !== null);
  const isNested = nestedNames(names.filter(isHeld));
  return rows.map((row) => nest(row, isNested));
}
