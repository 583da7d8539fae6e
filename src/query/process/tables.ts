/** Makes the tables of a statement in the engine: rows from JSON texts, table macros over them, and its clock. */
import { isFields, isList, mapWords } from '../../core/column-type.ts';
import { quoteText } from '../../core/text.ts';
import type { CallsKind } from '../provider.ts';
import { type SqlType, unknownType } from '../sql-type.ts';
import { callColumn, type TableText } from '../table-text.ts';
import { callFunction, type Database, quoteName } from './database.ts';
import type { ReadText } from './read.ts';

/** A limit without effect, which keeps the engine from applying outer conditions before it asks for the call. */
const allRows = 'LIMIT 9223372036854775807';

/**
 * A table macro that gives the loaded rows of its call or asks for them, and a view for its name without arguments. A
 * call has no rows where an argument is computed as NULL; the word NULL leaves the argument out.
 * @param columns those of unknown type become NULL or an empty list, which fit every type
 * @param paths of fields that become columns under their dotted names
 */
export function callMacro(
  name: string,
  kind: CallsKind,
  columns: TableText['columns'],
  paths: readonly (readonly string[])[],
): string[] {
  const args = kind.arguments.map((arg) => ({ arg: quoteName(arg), value: quoteName(`_${arg}`) }));
  const named = args.map(({ arg, value }) => `${arg} AS ${value}`);
  // The word NULL has the type "NULL". A computed NULL has another, and is sent as an empty list.
  const fields = args.map(({ arg, value }) => {
    const isWithoutValue = `given.${value} IS NULL AND typeof(given.${value}) <> '"NULL"'`;
    return `${arg}: CASE WHEN ${isWithoutValue} THEN '[]'::JSON ELSE to_json(given.${value}) END`;
  });
  const callText = `json_array(${[quoteText(name), ...(fields.length > 0 ? [`{${fields}}`] : [])]})::VARCHAR`;
  const untyped = columns.flatMap(([column, type = '']) => {
    const name = quoteName(column);
    if (type === unknownType) return `NULL AS ${name}`;
    const isEmptyList = isList(type) && type[0] === unknownType;
    return isEmptyList ? `CASE WHEN ${name} IS NOT NULL THEN [] END AS ${name}` : [];
  });
  const replaced = untyped.length > 0 ? `REPLACE (${untyped})` : '';
  const added = paths.map((steps) => {
    return `, loaded.${steps.map(quoteName).join('.')} AS ${quoteName(steps.join('.'))}`;
  });
  return macro(
    name,
    args.map(({ arg }) => `${arg} := NULL`),
    `SELECT loaded.* EXCLUDE (${callColumn}) ${replaced}${added.join('')}
    FROM (SELECT ${callFunction}(${callText}) AS number FROM (SELECT ${[...named, '1']}) given) call,
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
 * Corrects date_trunc for the hour that Amsterdam's clock shows twice in October: the engine cuts a moment of the first
 * to the beginning of the second, which is later. Only for texts that name it.
 */
export function hourMacros(text: string): string[] {
  const names = ['date_trunc', 'datetrunc'].filter((name) => text.toLowerCase().includes(name));
  const cut = 'system.main.date_trunc(part, value)';
  const excess = `CASE WHEN ${cut} > value THEN INTERVAL 1 HOUR ELSE INTERVAL 0 HOUR END`;
  return names.map((name) => `CREATE MACRO ${name}(part, value) AS ${cut} - ${excess}`);
}

/** Gives `now()` and its like the same moment in all rounds of a statement. Only for texts that name one. */
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
  // A table needs a column.
  if (columns.length === 0) all.push(['nothing', undefined]);
  const defined = all.map(([column, type = 'VARCHAR']) => `${quoteName(column)} ${sqlType(type)}`);
  await database.run([
    `CREATE OR REPLACE TABLE ${table} (${defined.join(', ')})`,
    // The engine would not ask for calls of an empty table.
    `INSERT INTO ${table} (${callColumn}) VALUES (-1)`,
  ]);
  const seen = all.flatMap(([column, type]) =>
    type === undefined ? [] : [[column, type] as const],
  );
  // Via text, amounts keep every digit and moments follow Amsterdam's clock.
  const readAs = (word: string) => (/^(DECIMAL|TIMESTAMPTZ|NULL)/.test(word) ? 'VARCHAR' : word);
  const structure = Object.fromEntries(
    seen.map(([name, type]) => [name, [mapWords(type, readAs)]]),
  );
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
