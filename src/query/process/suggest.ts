import { fieldOf, isNameColumn } from '../../core/column-name.ts';
import { isFields } from '../../core/column-type.ts';
import { nearest } from '../../core/nearest.ts';
import { quoteText, singular, wordOrQuoted } from '../../core/text.ts';
import type { Tables } from '../provider.ts';
import type { SqlType } from '../sql-type.ts';

/** A table that a statement reads. */
export interface ReadTable {
  columns: readonly (readonly [name: string, type: SqlType | undefined])[];
  /** Empty for tables that are no report. */
  facts: readonly { path: string; measure: string }[];
}

/** By name. */
export type ReadTables = ReadonlyMap<string, ReadTable>;

/**
 * SQL for the likely meaning of a guessed column: a column, a dotted name, a fact, an id of the same kind, or a join
 * with the list that names an id.
 */
export function suggestColumn(
  guess: string,
  readTables: ReadTables,
  tables: Tables,
): string | undefined {
  const name = guess.toLowerCase();
  const fields = [...readTables.values()].flatMap(({ columns }) =>
    columns.flatMap(([column, type]) => dottedNames(column, type)),
  );
  const facts = [...readTables.values()].flatMap((table) => table.facts);
  const isMeant = (field: string) =>
    field.toLowerCase() === name || field.toLowerCase().endsWith(`.${name}`);
  const dotted = fields.filter(isMeant).sort((a, b) => a.length - b.length)[0];
  if (dotted !== undefined) return wordOrQuoted(dotted);
  const byFact = sayFact(name, facts);
  if (byFact !== undefined) return byFact;
  for (const [table, { columns }] of readTables) {
    const byId = sayId(name, table, columns, tables);
    if (byId !== undefined) return byId;
  }
  const near = nearest(name, [...fields.map(fieldOf), ...facts.map(({ measure }) => measure)]);
  if (near === undefined) return undefined;
  const field = fields.find((path) => fieldOf(path) === near);
  return field === undefined ? sayFact(near.toLowerCase(), facts) : wordOrQuoted(field);
}

/** A column and the fields in it: `revenue`, `revenue.total_turnover_wt`. */
function dottedNames(name: string, type: SqlType | undefined): string[] {
  if (type === undefined || !isFields(type)) return [name];
  const fields = Object.entries(type);
  return [name, ...fields.flatMap(([field, inner]) => dottedNames(`${name}.${field}`, inner))];
}

/** The value of a measure, with its path where several paths have it; or all measures of a path. */
function sayFact(name: string, facts: ReadTable['facts']): string | undefined {
  const isOf = (text: string) => text.toLowerCase() === name;
  const [fact, ...others] = facts.filter(
    ({ path, measure }) => isOf(measure) || isOf(`${path}.${measure}`),
  );
  if (fact !== undefined) {
    const among = others.length > 0 ? `path = ${quoteText(fact.path)} AND ` : '';
    return `value ... WHERE ${among}measure = ${quoteText(fact.measure)}`;
  }
  const place = facts.find(({ path }) => isOf(path) || isOf(fieldOf(path)));
  return place && `measure, value ... WHERE path = ${quoteText(place.path)}`;
}

/** The column that holds the same ids under another name, or a join with the list that names an id. */
function sayId(
  name: string,
  table: string,
  columns: ReadTable['columns'],
  tables: Tables,
): string | undefined {
  const kind = tables.get(table);
  const { ids = {} } = (kind?.kind === 'calls' && kind.facts) || {};
  const own = columns.filter(([column]) => column in ids).map(([column]) => column);
  const same = own.find((column) => ids[column] === ids[name]);
  if (same !== undefined) return wordOrQuoted(same);
  const [, thing] = /^(.+)_(?:name|title|label)$/.exec(name) ?? [];
  if (thing === undefined) return undefined;
  for (const column of own) {
    const [list = ''] = ids[column]?.split('.') ?? [];
    const target = tables.get(list);
    const isNamed = `${thing}_id` === column.toLowerCase() || singular(list) === thing;
    // A list that takes more arguments may need one of them.
    if (!isNamed || target?.kind !== 'calls' || target.arguments.length > 1) continue;
    const named = Object.keys(target.columns ?? {}).find(isNameColumn) ?? '*';
    return `${list}.${named} ... JOIN ${list} ON ${ids[column]} = ${wordOrQuoted(column)}`;
  }
  return undefined;
}
