/** The tables of a statement as the engine's own table macros. */
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { callColumn } from '../rows/table-text.ts';
import { callFunction, quoteName, quoteText } from './database.ts';
import type { UsedTable } from './read.ts';

/** More rows than there can be. Behind a limit, no condition keeps a call from being asked for. */
const allRows = 'LIMIT 9223372036854775807';

/**
 * A table macro that gives the loaded rows of its call, and asks for the call where it is not loaded,
 * with the same table for its name alone. An argument that is null in a row has no rows; the word NULL
 * itself is an argument that is not given.
 */
export function callMacro(name: string, kind: Extract<TableKind, { kind: 'calls' }>): string[] {
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
  const call = `SELECT ${callFunction}(${written}) AS number FROM (SELECT ${[...given, '1'].join(', ')}) given`;
  return macro(
    name,
    args.map(({ arg }) => `${arg} := NULL`),
    `SELECT loaded.* EXCLUDE (${callColumn}) FROM (${call}) call, loaded.${quoted} loaded
      WHERE loaded.${callColumn} = call.number ${allRows}`,
  );
}

/** A view as a macro of its parameters. */
export function viewMacro(
  name: string,
  sql: string,
  parameters: Readonly<Record<string, string>>,
): string[] {
  const given = Object.entries(parameters).map(
    ([parameter, standard]) => `${quoteName(parameter)} := ${standard}`,
  );
  return macro(name, given, sql);
}

function macro(name: string, parameters: readonly string[], sql: string): string[] {
  const quoted = quoteName(name);
  return [
    `CREATE OR REPLACE MACRO ${quoted}(${parameters.join(', ')}) AS TABLE\n${sql}\n`,
    `CREATE OR REPLACE VIEW ${quoted} AS FROM ${quoted}()`,
  ];
}

/** What is done before the database is locked: one moment for all rounds, and the files that are read. */
export function beginnings(nowMs: number, used: readonly UsedTable[], tables: Tables): string[] {
  const moment = `TIMESTAMPTZ ${quoteText(new Date(nowMs).toISOString())}`;
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
    ...Object.entries(clocks).map(([name, value]) => `CREATE MACRO ${name}() AS ${value}`),
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
