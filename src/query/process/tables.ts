/**
 * The tables of a statement in the engine: rows that came in as JSON texts, table macros over them, and the
 * moment that all share.
 */
import { isFields, isList, mapWords } from '../../core/column-type.ts';
import { quoteText } from '../../core/text.ts';
import type { TableKind } from '../provider.ts';
import { type SqlType, unknownType } from '../sql-type.ts';
import { callColumn, type TableText } from '../table-text.ts';
import { callFunction, type Database, quoteName } from './database.ts';
import type { ReadText } from './read.ts';

/** More rows than there can be. Behind a limit, no condition keeps a call from being asked for. */
const allRows = 'LIMIT 9223372036854775807';

/**
 * A table macro that gives the loaded rows of its call, and asks for the call where it is not loaded,
 * with the same table for its name alone. An argument that is null in a row has no rows; the word NULL
 * itself is an argument that is not given.
 * @param columns those without a value are NULL, or a list of nothing: it goes with everything, an empty column of
 * some type does not
 */
export function callMacro(
  name: string,
  kind: Extract<TableKind, { kind: 'calls' }>,
  columns: TableText['columns'],
): string[] {
  const args = kind.arguments.map((arg) => ({ arg: quoteName(arg), value: quoteName(`_${arg}`) }));
  const named = args.map(({ arg, value }) => `${arg} AS ${value}`);
  // An argument that is left out is the word NULL; one that turned out to be NULL has no value, as an empty list.
  const fields = args.map(({ arg, value }) => {
    const isWithoutValue = `given.${value} IS NULL AND typeof(given.${value}) <> '"NULL"'`;
    return `${arg}: CASE WHEN ${isWithoutValue} THEN '[]'::JSON ELSE to_json(given.${value}) END`;
  });
  const written = `json_array(${[quoteText(name), ...(fields.length > 0 ? [`{${fields}}`] : [])]})::VARCHAR`;
  const nothing = columns.flatMap(([column, type = '']) => {
    const name = quoteName(column);
    if (type === unknownType) return `NULL AS ${name}`;
    const isEmptyList = isList(type) && type[0] === unknownType;
    return isEmptyList ? `CASE WHEN ${name} IS NOT NULL THEN [] END AS ${name}` : [];
  });
  const replaced = nothing.length > 0 ? `REPLACE (${nothing})` : '';
  return macro(
    name,
    args.map(({ arg }) => `${arg} := NULL`),
    `SELECT loaded.* EXCLUDE (${callColumn}) ${replaced}
    FROM (SELECT ${callFunction}(${written}) AS number FROM (SELECT ${[...named, '1']}) given) call,
      loaded.${quoteName(name)} loaded
    WHERE loaded.${callColumn} = call.number ${allRows}`,
  );
}

/** A view as a macro of its parameters. */
export function viewMacro(name: string, { sql, parameters }: ReadText): string[] {
  const defaults = Object.entries(parameters).map(
    ([key, value]) => `${quoteName(key)} := ${value}`,
  );
  return macro(name, defaults, sql);
}

function macro(name: string, parameters: readonly string[], sql: string): string[] {
  const quoted = quoteName(name);
  return [
    `CREATE OR REPLACE MACRO ${quoted}(${parameters.join(', ')}) AS TABLE\n${sql}\n`,
    `CREATE OR REPLACE VIEW ${quoted} AS FROM ${quoted}()`,
  ];
}

/**
 * The hour that Amsterdam's clock shows twice in October is two: the engine cuts a moment of the first to the second,
 * which begins after it. None where the text of a statement cuts nothing.
 */
export function hourMacros(text: string): string[] {
  const names = ['date_trunc', 'datetrunc'].filter((name) => text.toLowerCase().includes(name));
  const cut = 'system.main.date_trunc(part, value)';
  const excess = `CASE WHEN ${cut} > value THEN INTERVAL 1 HOUR ELSE INTERVAL 0 HOUR END`;
  return names.map((name) => `CREATE MACRO ${name}(part, value) AS ${cut} - ${excess}`);
}

/** One moment for all rounds of a statement: what `now()` and its like give. None where its text has no such word. */
export function clockMacros(nowMs: number, text: string): string[] {
  if (!/now|current|today|local|transaction/i.test(text)) return [];
  const moment = `TIMESTAMPTZ ${quoteText(new Date(nowMs).toISOString())}`;
  const clocks = {
    [moment]: ['now', 'get_current_timestamp', 'transaction_timestamp'],
    [`CAST(${moment} AS DATE)`]: ['current_date', 'today'],
    [`CAST(${moment} AS TIMESTAMP)`]: ['current_localtimestamp', 'localtimestamp'],
  };
  return Object.entries(clocks).flatMap(([value, names]) =>
    names.map((name) => `CREATE MACRO ${name}() AS ${value}`),
  );
}

/** Makes the table `loaded.<name>`. */
export async function loadTable(
  database: Database,
  name: string,
  { columns, texts }: TableText,
): Promise<void> {
  const table = `loaded.${quoteName(name)}`;
  const all = [[callColumn, 'INTEGER'] as const, ...columns];
  // A table has one column at least.
  if (columns.length === 0) all.push(['nothing', undefined]);
  const defined = all.map(([column, type = 'VARCHAR']) => `${quoteName(column)} ${sqlType(type)}`);
  await database.run([
    `CREATE OR REPLACE TABLE ${table} (${defined.join(', ')})`,
    // A table without rows would keep its calls from being asked for.
    `INSERT INTO ${table} (${callColumn}) VALUES (-1)`,
  ]);
  const seen = all.flatMap(([column, type]) =>
    type === undefined ? [] : [[column, type] as const],
  );
  // As text first: amounts to the last digit, moments by Amsterdam's clock.
  const readAs = (word: string) => (/^(DECIMAL|TIMESTAMPTZ|NULL)/.test(word) ? 'VARCHAR' : word);
  const structure = Object.fromEntries(seen.map(([name, it]) => [name, [mapWords(it, readAs)]]));
  const names = seen.map(([column]) => quoteName(column));
  const values = names.map((column) => `unnest(part.${column})`).join(', ');
  const part = `(SELECT from_json($1::VARCHAR, ${quoteText(JSON.stringify(structure))}) AS part)`;
  for (const text of texts)
    await database.rows(`INSERT INTO ${table} (${names}) SELECT ${values} FROM ${part}`, text);
}

function sqlType(type: SqlType): string {
  if (isList(type)) return `${sqlType(type[0])}[]`;
  if (!isFields(type)) return type === unknownType ? 'VARCHAR' : type;
  const fields = Object.entries(type).map(([key, inner]) => `${quoteName(key)} ${sqlType(inner)}`);
  return `STRUCT(${fields.join(', ')})`;
}
