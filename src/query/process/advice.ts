/** The engine's failures as messages from which the statement can be corrected. */
import { messageOf } from '../../core/errors.ts';
import { isRecord, type JsonObject, parseJson } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { nearest } from '../../core/nearest.ts';
import { cutText, neutralise } from '../../core/text.ts';
import { outOfMemory, QueryError, rowTooLarge } from '../errors.ts';
import type { SqlColumn } from '../messages.ts';
import type { ArgumentCall, StatementShape, Tables } from '../provider.ts';
import { isKeptName } from './vet.ts';

declare module '../../core/message.ts' {
  interface Messages extends Record<Advice, object> {
    /** The text of a statement is no SQL, from a place on. */
    syntax_error: { words: string; place?: Place | undefined; advice?: Message | undefined };
    /** `text` is something else than one SELECT. */
    not_select: { text: string; isPivot: boolean };
    /** The statement makes no sense to the engine: types, grouping, ambiguous names. */
    engine_refuses: { words: string; advice?: Message | undefined };
    /** A value cannot be converted or computed. */
    value_refused: { words: string; advice?: Message | undefined };
    engine_failed: object;
    unknown_column: {
      column: string;
      nearest?: string | undefined;
      /** It is written as a name and may be a text. */
      isText: boolean;
      /** It is an argument of a table. */
      call?: ArgumentCall | undefined;
      /** It is the id of kept rows. */
      isKept: boolean;
      tables: readonly TableColumns[];
    };
    table_as_function: { name: string };
    unknown_function: { name: string; nearest?: string | undefined };
    /** A name is compared with a column of ids. */
    name_for_id: { column: string; name: string };
    word_as_name: { word: string };
  }
}

/** Where a text stops making sense: lines and columns count from 1. */
interface Place {
  line: number;
  column: number;
  before: string;
  after: string;
}

interface TableColumns {
  table: string;
  /** The first ones; an object that has the wanted name among its fields with its type. */
  columns: readonly { name: string; type?: string }[];
  more: number;
}

/** What the engine threw, in its own words. Its errors are JSON behind some words (`errors_as_json`). */
export function engineFailureOf(error: unknown) {
  const text = messageOf(error);
  const parsed = parseJson(text.slice(Math.max(0, text.indexOf('{"exception_type"'))));
  const held: JsonObject = isRecord(parsed) ? parsed : {};
  return {
    /** Such as `Binder`, `Out of Memory`; `Engine` for what is no statement's fault. */
    type: String(held.exception_type ?? 'Engine'),
    // It may hold a value of any length.
    message: cutText(String(held.exception_message ?? text), 4000),
    /** Such as `COLUMN_NOT_FOUND`, and the name that was not found. */
    subtype: String(held.error_subtype ?? ''),
    name: cutText(String(held.name ?? ''), 4000),
  };
}

type EngineFailure = ReturnType<typeof engineFailureOf>;

/** Tables that a statement uses, with their columns as far as they are known. */
export type UsedTables = ReadonlyMap<string, readonly SqlColumn[]>;

function missingColumn({ type, subtype, name, message }: EngineFailure): string | undefined {
  if (type !== 'Binder') return undefined;
  if (subtype === 'COLUMN_NOT_FOUND' && name !== '') return name;
  const form = /(?:have a column named|^Could not find key|^Column) "(.+?)"(?:$| in | does )/m;
  return (form.exec(message) ??
    /Referenced column ['"]?([^\s'"]+)['"]? not found/.exec(message))?.[1];
}

/** What to do where the engine says only what is wrong, by its words. The first that fits counts. */
const adviceByWords = {
  aggregates_in_a_step: /^Cannot mix aggregates|^Cannot group on a window/,
  compare_intervals: /^Cannot compare values of type INTERVAL/,
  nested_too_deeply: /^Max.*(depth|call stack)|^memory exhausted/,
  alias_alone: /^Referenced table/,
  stands_in_from: /is a table function/,
  having_or_qualify:
    /clause cannot contain|calls cannot (be nested|contain)|the expression has a subquery|QUALIFY with GROUP BY/,
  group_by_all: /^column .* must appear in the GROUP BY/i,
  days_as_texts: /^(invalid|date|timestamp).*field (format|value)/,
  cast_it:
    /^No function matches|^Could not (choose a best candidate|convert|parse)|^Cannot (compare|mix)|^Unimplemented type for cast/,
  several_rows: /^More than one row returned/,
  inner_or_left_join:
    /^Non-inner join on correlated columns|^The combining JOIN type must be INNER or LEFT/,
  limit_offset: /NOT IMPLEMENTED/,
  no_top: /\btop$/i,
  words_in_quotes: /at or near "(from|to|order|group|end|all)"/i,
} as const;

type Advice = keyof typeof adviceByWords;

function adviceFor(...words: readonly string[]): Message | undefined {
  for (const [code, says] of Object.entries(adviceByWords))
    if (words.some((it) => says.test(it))) return { code: code as Advice };
  return undefined;
}

/** The error of a statement that the engine refused, or could not finish. */
export function explainFailure(
  sql: string,
  error: unknown,
  used: UsedTables,
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
  if (column !== undefined) return unknownColumn(column, sql, used, tables, shape?.comparedWith);
  if (subtype === 'MISSING_ENTRY') return unknownFunction(failure, tables);
  if (advice === undefined && /^(engine|fatal|internal|interrupt|io|permission)$/i.test(type))
    return new QueryError({ code: 'engine_failed' }, 'upstream_failed');
  const words = plainWords(message);
  if (type === 'Parser') return new QueryError({ code: 'syntax_error', words, advice });
  const isOfValue = /^(Conversion|Invalid Input|Out of Range|Divide by Zero)$/.test(type);
  return new QueryError({ code: isOfValue ? 'value_refused' : 'engine_refuses', words, advice });
}

function nameForId(
  message: string,
  comparedWith?: StatementShape['comparedWith'],
): Message | undefined {
  const [, name = ''] = /^Could not convert string '(.+?)' to (?:INT|BIGINT)/.exec(message) ?? [];
  const isOfIds = ([column, texts]: readonly [string, readonly string[]]) =>
    column.endsWith('_id') && texts.includes(name);
  const [column] = [...(comparedWith ?? [])].find(isOfIds) ?? [];
  return column === undefined ? undefined : { code: 'name_for_id', column, name };
}

function wordAsName(sql: string, message: string, before: string): Message | undefined {
  const [, word] = /at or near "([a-z_]+)"/i.exec(message) ?? [];
  if (word === undefined) return undefined;
  const rest = sql.slice(before.length + word.length);
  if (!/[\w)"']\s+$/.test(before) || !/^\s*(,|from\b|$)/i.test(rest)) return undefined;
  return { code: 'word_as_name', word };
}

/** What the engine says for itself alone: settings, extensions, its own catalogue. */
const notForCallers =
  /\b(SET|PRAGMA|RESET|INSTALL|LOAD)\b|memory_limit|temp_directory|https?:|extension|setting|max_\w+|^Candidate (?!tables)|^LINE \d|^Possible solutions|^\*|^\^|^Did you mean/;

/** Longest of what the engine says, which may quote a value. */
const mostWords = 400;

function plainWords(message: string): string {
  const sentences = message.split(/\n|(?<=[.;!])\s/).map((sentence) => sentence.trim());
  const kept = sentences.filter((sentence) => sentence !== '' && !notForCallers.test(sentence));
  const text = kept.slice(0, 4).join(' ') || 'The engine refused the statement';
  const line = neutralise(/[.!?]$/.test(text) ? text : `${text}.`);
  return cutText(line, mostWords);
}

/** So many names say what there is; more are noise. */
const mostNames = 40;

function unknownColumn(
  column: string,
  sql: string,
  used: UsedTables,
  tables: Tables,
  comparedWith?: StatementShape['comparedWith'],
): QueryError {
  const all = [...used.values()].flat().map(({ name }) => name);
  const argument = (column.split('.').at(-1) ?? column).toLowerCase();
  const table = [...used.keys()].find((name) => {
    const kind = tables.get(name);
    return kind?.kind === 'calls' && kind.arguments.includes(argument);
  });
  const value = comparedWith?.get(argument)?.[0];
  return new QueryError({
    code: 'unknown_column',
    column,
    call: table === undefined ? undefined : { table, argument, value },
    isKept: isKeptName(column),
    // A field within an object may be called as a column is.
    nearest: all.includes(column) ? undefined : nearest(column, all),
    isText: sql.includes(`"${column}"`) || sql.includes(`:= ${column}`),
    tables: [...used].map(([table, columns]) => ({
      table,
      // Objects show what is in them: the name that was looked for may be one of their fields.
      columns: columns.slice(0, mostNames).map(({ name, type }) => {
        const isWithin = type.startsWith('STRUCT(') && type.includes(column);
        return { name, ...(isWithin && { type }) };
      }),
      more: Math.max(0, columns.length - mostNames),
    })),
  });
}

function unknownFunction({ name, message }: EngineFailure, tables: Tables): QueryError {
  if (tables.has(name.toLowerCase())) return new QueryError({ code: 'table_as_function', name });
  const suggested = /Did you mean "(\w+)"/.exec(message)?.slice(1) ?? [];
  return new QueryError({ code: 'unknown_function', name, nearest: nearest(name, suggested) });
}

/** The error of a text of which there is no tree. */
export function explainParse(sql: string, { error_message, position }: JsonObject): QueryError {
  const message = String(error_message ?? 'it could not be read');
  if (message.startsWith('Only SELECT')) {
    const isPivot = /^\W*(un)?pivot\b/i.test(sql);
    return new QueryError({ code: 'not_select', text: cutText(sql, 200), isPivot });
  }
  const words = plainWords(message);
  if (position === undefined)
    return new QueryError({ code: 'syntax_error', words, advice: adviceFor(message) });
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
  const advice = adviceFor(message, place.before.trim()) ?? wordAsName(sql, message, before);
  return new QueryError({ code: 'syntax_error', words, place, advice });
}
