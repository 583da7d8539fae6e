/** Turns failures of the engine into messages from which a model can correct its statement. */
import { fieldOf, isNameColumn } from '../../core/column-name.ts';
import { isFields } from '../../core/column-type.ts';
import { messageOf } from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { cutText, neutralise, quote, quoteText, singular, wordOrQuoted } from '../../core/text.ts';
import { outOfMemory, QueryError, queryMessages, rowTooLarge } from '../messages.ts';
import type { StatementShape, Tables } from '../provider.ts';
import type { SqlType } from '../sql-type.ts';
import { isKeptName } from './vet.ts';

/** Reads an error of the engine: some words, then JSON (`errors_as_json`). */
export function engineFailureOf(error: unknown) {
  const text = messageOf(error);
  const parsed = parseJson(text.slice(Math.max(0, text.indexOf('{"exception_type"'))));
  const facts: JsonObject = isRecord(parsed) ? parsed : {};
  return {
    /** Such as `Binder` or `Out of Memory`; `Engine` for failures that no statement causes. */
    type: String(facts.exception_type ?? 'Engine'),
    // It may quote a value of any length.
    message: cutText(String(facts.exception_message ?? text), 4000),
    /** Such as `COLUMN_NOT_FOUND`, for the column `name`. */
    subtype: String(facts.error_subtype ?? ''),
    name: cutText(String(facts.name ?? ''), 4000),
  };
}

type EngineFailure = ReturnType<typeof engineFailureOf>;

/** The column that no table has; undefined for any other failure. */
export function missingColumn({ type, subtype, name, message }: EngineFailure): string | undefined {
  if (type !== 'Binder') return undefined;
  if (subtype === 'COLUMN_NOT_FOUND' && name !== '') return name;
  const form = /(?:have a column named|^Could not find key|^Column) "(.+?)"(?:$| in | does )/m;
  return (form.exec(message) ??
    /Referenced column ['"]?([^\s'"]+)['"]? not found/.exec(message))?.[1];
}

/** Advice by the engine's words, where these do not say what to write instead. */
export const adviceByWords = {
  aggregates_in_a_step: {
    words: /^Cannot mix aggregates|^Cannot group on a window/,
    text: 'Beside GROUP BY ALL, an aggregate does not share an expression with a column or a window: compute the aggregates in a step, WITH t AS (SELECT ... GROUP BY ALL), and the rest over t.',
  },
  nested_too_deeply: {
    words: /^Max.*(depth|call stack)|^memory exhausted/,
    text: 'The statement is nested too deeply. Use IN (...) for long lists of conditions, and WITH for its steps.',
  },
  days_as_texts: {
    words: /^invalid (date|timestamp) field format/,
    text: "Days are written '2026-11-02', moments '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only.",
  },
  inner_or_left_join: {
    words: /^Non-inner join on correlated columns|^The combining JOIN type must be INNER or LEFT/,
    text: 'An argument that is a column of another table goes with JOIN and LEFT JOIN only, and with ON: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ..., with JOIN in place of a comma. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...).',
  },
} satisfies Record<string, { words: RegExp; text: string }>;

function adviceFor(message: string): string | undefined {
  return Object.values(adviceByWords).find(({ words }) => words.test(message))?.text;
}

/** The error of a statement that the engine refused or could not finish. */
export function explainFailure(
  sql: string,
  error: unknown,
  usedTables: ReadTables,
  tables: Tables,
  shape?: StatementShape,
): QueryError {
  if (error instanceof QueryError) return error;
  const failure = engineFailureOf(error);
  const { type, subtype, message } = failure;
  if (message.startsWith('Cannot create a string longer')) return rowTooLarge();
  const advice = nameForId(message, shape?.comparedWith) ?? adviceFor(message);
  if (type === 'Out of Memory' || (error instanceof RangeError && !advice)) return outOfMemory();
  const column = missingColumn(failure);
  if (column !== undefined)
    return unknownColumn(column, sql, usedTables, tables, shape?.comparedWith);
  if (subtype === 'MISSING_ENTRY')
    return new QueryError(queryMessages.unknown_function({ name: failure.name }));
  if (advice === undefined && /^(engine|fatal|internal|interrupt|io|permission)$/i.test(type))
    return new QueryError(queryMessages.engine_failed(), 'upstream_failed');
  const words = plainWords(message);
  if (type === 'Parser') return new QueryError(queryMessages.syntax_error({ words, advice }));
  const isOfValue = /^(Conversion|Invalid Input|Out of Range|Divide by Zero)$/.test(type);
  const refusal = isOfValue ? queryMessages.value_refused : queryMessages.engine_refuses;
  return new QueryError(refusal({ words, advice }));
}

function nameForId(
  message: string,
  comparedWith?: StatementShape['comparedWith'],
): string | undefined {
  const [, name = ''] = /^Could not convert string '(.+?)' to (?:INT|BIGINT)/.exec(message) ?? [];
  const isOfIds = ([column, texts]: readonly [string, readonly string[]]) =>
    column.endsWith('_id') && texts.includes(name);
  const [column] = [...(comparedWith ?? [])].find(isOfIds) ?? [];
  if (column === undefined) return undefined;
  return `${column} holds numbers: give the name as an argument, ${column} := '${quote(name, 60)}', where the table takes it, or join with the list that has the names, such as shops.`;
}

/** Advice for a word of SQL in the place of a name of an argument or a column. */
function wordAsName(sql: string, message: string, before: string): string | undefined {
  const [, word] = /at or near "([a-z_]+)"/i.exec(message) ?? [];
  const isName = word && /^\s*(:=|=>|,|from\b|$)/i.test(sql.slice(before.length + word.length));
  if (!isName) return undefined;
  return `"${word}" is a word of SQL: as a name it stands in double quotes. period := '2026-11-02..2026-11-08' needs none.`;
}

/** Sentences that no caller can act on: about settings, extensions, the engine's own catalogue. */
const notForCallers =
  /\b(SET|PRAGMA|RESET|INSTALL|LOAD)\b|memory_limit|temp_directory|https?:|extension|setting|max_\w+|^Candidate (?!tables)|^LINE \d|^Possible solutions|^\*|^\^|^Did you mean/;

/** Bound for quotations of the engine, which may hold a value, in characters. */
const maxQuotation = 400;

function plainWords(message: string): string {
  const sentences = message.split(/\n|(?<=[.;!])\s/).map((sentence) => sentence.trim());
  const kept = sentences.filter((sentence) => sentence !== '' && !notForCallers.test(sentence));
  const text = kept.slice(0, 4).join(' ') || 'The engine refused the statement';
  const line = neutralise(/[.!?]$/.test(text) ? text : `${text}.`);
  return cutText(line, maxQuotation);
}

/** More names of columns would be noise. */
const maxNames = 40;

function unknownColumn(
  column: string,
  sql: string,
  usedTables: ReadTables,
  tables: Tables,
  comparedWith?: StatementShape['comparedWith'],
): QueryError {
  const argument = (column.split('.').at(-1) ?? column).toLowerCase();
  const table = [...usedTables.keys()].find((name) => {
    const kind = tables.get(name);
    return kind?.kind === 'calls' && kind.arguments.includes(argument);
  });
  const value = comparedWith?.get(argument)?.[0];
  return new QueryError(
    queryMessages.unknown_column({
      column,
      call: table === undefined ? undefined : { table, argument, value },
      nearest: suggestColumn(column, usedTables, tables),
      isText: sql.includes(`"${column}"`) || sql.includes(`:= ${column}`) || isKeptName(column),
      tables: [...usedTables].map(([table, { columns }]) => ({
        table,
        columns: columns.slice(0, maxNames).map(([name]) => name),
        more: Math.max(0, columns.length - maxNames),
      })),
    }),
  );
}

/** The error of a text that the engine cannot parse. */
export function explainParse(sql: string, { error_message, position }: JsonObject): QueryError {
  const message = String(error_message ?? 'it could not be read');
  if (message.startsWith('Only SELECT'))
    return new QueryError(queryMessages.not_select({ given: cutText(sql, 200) }));
  const words = plainWords(message);
  if (position === undefined)
    return new QueryError(queryMessages.syntax_error({ words, advice: adviceFor(message) }));
  // The engine counts characters, a string UTF-16 units.
  const characters = Array.from(sql).slice(0, Number(position));
  const before = characters.join('');
  const lines = before.split('\n');
  const place = {
    line: lines.length,
    column: (lines.at(-1) ?? '').length + 1,
    before: characters.slice(-30).join('').replaceAll(/\s+/g, ' '),
    after: cutText(sql.slice(before.length), 30).replaceAll(/\s+/g, ' '),
  };
  const advice = adviceFor(message) ?? wordAsName(sql, message, before);
  return new QueryError(queryMessages.syntax_error({ words, place, advice }));
}

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
  const factText = sayFact(name, facts);
  if (factText !== undefined) return factText;
  for (const [table, { columns }] of readTables) {
    const idText = sayId(name, table, columns, tables);
    if (idText !== undefined) return idText;
  }
  const match = nearest(name, [...fields.map(fieldOf), ...facts.map(({ measure }) => measure)]);
  if (match === undefined) return undefined;
  const field = fields.find((path) => fieldOf(path) === match);
  return field === undefined ? sayFact(match.toLowerCase(), facts) : wordOrQuoted(field);
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
    const pathCondition = others.length > 0 ? `path = ${quoteText(fact.path)} AND ` : '';
    return `value ... WHERE ${pathCondition}measure = ${quoteText(fact.measure)}`;
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
