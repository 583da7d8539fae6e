/** The tables of a statement as the engine's own table macros. */
import type { Tables, UsedTable } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { callColumn } from '../rows/table-text.ts';
import { callFunction, quoteName, quoteText } from './database.ts';

/** More rows than there can be. Behind a limit, no condition keeps a call from being asked for. */
const allRows = 'LIMIT 9223372036854775807';

/** What the plan of a statement holds where it asks for calls of a table. */
export function callName(table: string): string {
  return `call of ${table}`;
}

/** The column of a table of which none is known: it has at least one. */
export const noColumn = 'NULL AS nothing';

/**
 * A table macro that gives the loaded rows of its call, and asks for the call where it is not loaded,
 * with the same table for its name alone. An argument that is null in a row has no rows; the word NULL
 * itself is an argument that is not given.
 * @param more columns that the rows lack, as SQL
 */
export function callMacro(
  name: string,
  kind: Extract<TableKind, { kind: 'calls' }>,
  more: readonly string[],
): string[] {
  const quoted = quoteName(name);
  const args = kind.arguments.map((arg) => ({ arg: quoteName(arg), value: quoteName(`_${arg}`) }));
  const given = args.map(({ arg, value }) => `${arg} AS ${value}`);
  const isNull = args.map(
    ({ value }) => `(given.${value} IS NULL AND typeof(given.${value}) <> '"NULL"')`,
  );
  const fields = args.map(({ arg, value }) => `${arg}: given.${value}`);
  const written =
    args.length === 0
      ? `json_array(${quoteText(name)})::VARCHAR`
      : `CASE WHEN ${isNull.join(' OR ')} THEN NULL ELSE json_array(${quoteText(name)}, {${fields.join(', ')}})::VARCHAR END`;
  const number = quoteName(callName(name));
  const call = `SELECT ${callFunction}(${written}) AS ${number} FROM (SELECT ${[...given, '1'].join(', ')}) given`;
  const columns = [`loaded.* EXCLUDE (${callColumn})`, ...more].join(', ');
  return [
    `CREATE OR REPLACE MACRO ${quoted}(${args.map(({ arg }) => `${arg} := NULL`).join(', ')}) AS TABLE
      SELECT ${columns} FROM (${call}) call, loaded.${quoted} loaded
      WHERE loaded.${callColumn} = call.${number} ${allRows}`,
    `CREATE OR REPLACE VIEW ${quoted} AS FROM ${quoted}()`,
  ];
}

/** A view as a macro of its parameters. */
export function viewMacro(
  { name, sql = '' }: Pick<UsedTable, 'name' | 'sql'>,
  parameters: Readonly<Record<string, string>>,
): string[] {
  const quoted = quoteName(name);
  const given = Object.entries(parameters).map(
    ([parameter, standard]) => `${quoteName(parameter)} := ${standard}`,
  );
  return [
    `CREATE OR REPLACE MACRO ${quoted}(${given.join(', ')}) AS TABLE\n${sql}\n`,
    `CREATE OR REPLACE VIEW ${quoted} AS FROM ${quoted}()`,
  ];
}

/** A statement that is to run. */
interface Begun {
  sql: string;
  tables: readonly UsedTable[];
}

/** What is done before the database is locked: one moment for all rounds, and the files that are read. */
export function beginnings(nowMs: number, tables: Tables, { sql, tables: used }: Begun): string[] {
  const moment = `TIMESTAMPTZ ${quoteText(new Date(nowMs).toISOString())}`;
  const text = [sql, ...used.map((table) => table.sql ?? '')].join(' ').toLowerCase();
  const clocks: Record<string, string> = {
    now: moment,
    get_current_timestamp: moment,
    transaction_timestamp: moment,
    current_date: `CAST(${moment} AS DATE)`,
    today: `CAST(${moment} AS DATE)`,
    current_localtimestamp: `CAST(${moment} AS TIMESTAMP)`,
    localtimestamp: `CAST(${moment} AS TIMESTAMP)`,
  };
  return [
    ...Object.entries(clocks)
      .filter(([name]) => text.includes(name.replace('get_', '')))
      .map(([name, value]) => `CREATE MACRO ${name}() AS ${value}`),
    ...used.flatMap(({ name }) => {
      const kind = tables.get(name);
      if (kind?.kind !== 'file') return [];
      const types = kind.texts.map((column) => `${quoteText(column)}: 'VARCHAR'`);
      const typed = types.length > 0 ? `, types = {${types.join(', ')}}` : '';
      const file = `read_csv(${quoteText(kind.path)}, header = true, skip = ${kind.skip}${typed})`;
      const quoted = quoteName(name);
      return [
        `CREATE TABLE ${quoted} AS FROM ${file}`,
        `CREATE MACRO ${quoted}() AS TABLE FROM main.${quoted}`,
      ];
    }),
  ];
}
