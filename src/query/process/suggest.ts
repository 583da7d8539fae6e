/** Likely meanings of a guessed column name, as they can be pasted; none for a guess that resembles nothing. */
import { fieldOf, isNameColumn } from '../../core/column-name.ts';
import { isFields } from '../../core/column-type.ts';
import { nearest } from '../../core/nearest.ts';
import { quoteText, singular, wordOrQuoted } from '../../core/text.ts';
import type { Tables } from '../provider.ts';
import type { SqlType } from '../sql-type.ts';

/** A table that a statement reads. */
export interface ReadTable {
  /** With their types, as far as they are known. */
  columns: readonly (readonly [name: string, type: SqlType | undefined])[];
  /** Paths and measures, where the table is a report's facts. */
  facts: readonly { path: string; measure: string }[];
}

/** Tables by their names. */
export type ReadTables = ReadonlyMap<string, ReadTable>;

/** SQL for what was meant: a column, a dotted name, a fact, an id of the same kind, or the list that names an id. */
export function suggestColumn(guess: string, read: ReadTables, tables: Tables): string | undefined {
  const name = guess.toLowerCase();
  const fields = [...read.values()].flatMap(({ columns }) =>
    columns.flatMap(([column, type]) => dottedNames(column, type)),
  );
  const facts = [...read.values()].flatMap((table) => table.facts);
  const isMeant = (field: string) =>
    field.toLowerCase() === name || field.toLowerCase().endsWith(`.${name}`);
  const dotted = fields.filter(isMeant).sort((a, b) => a.length - b.length)[0];
  if (dotted !== undefined) return wordOrQuoted(dotted);
  const byFact = sayFact(name, facts);
  if (byFact !== undefined) return byFact;
  for (const [table, { columns }] of read) {
    const byId = sayId(name, table, columns, tables);
    if (byId !== undefined) return byId;
  }
  const near = nearest(name, [...fields.map(fieldOf), ...facts.map(({ measure }) => measure)]);
  if (near === undefined) return undefined;
  const field = fields.find((it) => fieldOf(it) === near);
  return field === undefined ? sayFact(near.toLowerCase(), facts) : wordOrQuoted(field);
}

/** A column and what lies in its objects: `revenue`, `revenue.total_turnover_wt`. */
function dottedNames(name: string, type: SqlType | undefined): string[] {
  if (type === undefined || !isFields(type)) return [name];
  const inner = Object.entries(type).flatMap(([field, it]) => dottedNames(`${name}.${field}`, it));
  return [name, ...inner];
}

/** The value of a measure, with its path where several have one of its name; or all measures of a path. */
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

/** An id of the same things under its other name, or the name of an id in the list that has it. */
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
