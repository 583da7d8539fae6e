import { CommerceError, type ErrorCode } from '../core/errors.ts';
import { type Message, messagesOf } from '../core/message.ts';
import { suggestion } from '../core/nearest.ts';
import {
  countNoun,
  cutText,
  listFirst,
  quote,
  quoted,
  quoteText,
  sayCount,
  sentences,
  wordOrQuoted,
} from '../core/text.ts';
import type { ArgumentCall } from './provider.ts';

/** Bounds for quotations of the engine and for lists of columns, in characters. */
const maxQuotation = 400;
const maxColumnsText = 1900;

interface SyntaxError {
  words: string;
  /** The position of the error: lines and columns count from 1. */
  place?: { line: number; column: number; before: string; after: string } | undefined;
  advice?: string | undefined;
}

interface Refused {
  words: string;
  advice?: string | undefined;
}

interface UnknownTable {
  name: string;
  nearest?: string | undefined;
  tables: readonly string[];
}

interface UnknownColumn {
  column: string;
  /** SQL for its most likely meaning. */
  nearest?: string | undefined;
  /** It may have been meant as a text: it stands in double quotes, or is the id of kept rows. */
  isText: boolean;
  /** Set where it is an argument of a table. */
  call?: ArgumentCall | undefined;
  tables: readonly TableColumns[];
}

interface TableColumns {
  table: string;
  /** The first ones. */
  columns: readonly string[];
  more: number;
}

interface NoSuchArgument {
  table: string;
  /** Empty for a value without a name. */
  argument: string;
  nearest?: string | undefined;
  arguments: readonly string[];
  /** A shop was given to a report that takes locations: `compare_turnover` is suggested. */
  isOfShop?: boolean;
}

/** A figure that is no number, in a row or in a report over some days. */
export interface UnreadFigure {
  name: string;
  /** Its JSON. */
  value: string;
  /** Counts from 1. */
  row?: number;
  id?: string | undefined;
  days?: string | undefined;
}

interface UnreadFigures {
  table: string;
  count: number;
  /** The first ones. */
  figures: readonly UnreadFigure[];
}

export const queryMessages = messagesOf({
  // The text of a statement
  syntax_error: ({ words, place, advice }: SyntaxError) => {
    const reason = quote(words, maxQuotation).replace(/\.$/, '');
    const where = place
      ? ` at line ${place.line}, column ${place.column}: ${place.before} >>> ${place.after || '(end)'}`
      : '';
    const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${where}`;
    return advice ? `${sentence}. ${advice}` : sentence;
  },
  not_select: ({ given }: { given: string }) =>
    `A statement is one SELECT (WITH, FROM-first, DESCRIBE SELECT and SUMMARIZE SELECT included), and nothing is ever written. This is something else: ${quoted(given)}.`,
  not_one_select: ({ count }: { count: number }) =>
    count === 0
      ? 'The statement is empty. Write one SELECT.'
      : `These are ${count} statements. Write one SELECT; WITH holds several steps.`,
  statement_parameter: 'The statement holds a parameter (? or $1). Write the value itself.',
  /** `part`: a type of node in the tree. */
  part_refused: ({ part }: { part: string }) =>
    `The statement holds a part (${part}) that cannot be used here. Write it as a plain SELECT. Tables are listed by SELECT name FROM tables, columns by DESCRIBE SELECT * FROM the table.`,
  view_reads_itself: ({ view }: { view: string }) => `The view ${view} reads itself.`,

  // Names in a statement
  unknown_table: ({ name, nearest, tables }: UnknownTable) => {
    if (nearest !== undefined)
      return `There is no table ${quoted(name)}; did you mean ${nearest}? SELECT name FROM tables lists all.`;
    return sentences(
      `There is no table ${quoted(name)}.`,
      tables.length > 0 && `The tables: ${tables.join(', ')}.`,
    );
  },
  unknown_column: ({ column, nearest, call, isText, tables }: UnknownColumn) =>
    cut(
      `There is no column ${quoted(column)} in sight${suggestion(nearest)}`,
      isText && `A text stands in single quotes: '${quote(column)}'.`,
      call !== undefined && `It is an argument: ${sayTableCall(call)}.`,
      ...tables.map(
        ({ table, columns, more }) =>
          `${table} has ${columns.map(wordOrQuoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      ),
      tables[0] !== undefined &&
        `SELECT * FROM tables WHERE name IN (${tables.map(({ table }) => quoteText(table)).join(', ')}) says what they hold.`,
    ),
  unknown_function: ({ name }: { name: string }) =>
    `There is no function or type ${wordOrQuoted(name)}. Functions are DuckDB's, such as strftime(day, '%Y-%m') and coalesce(x, y); names stand in double quotes, window functions have OVER (...), tables stand in FROM.`,
  function_refused: ({ name }: { name: string }) =>
    `${wordOrQuoted(name)}() cannot be called: functions here compute from their arguments; settings, variables, the environment and the engine's state are out of reach.`,

  // Arguments of tables
  no_such_argument: ({ table, argument, nearest, arguments: names, isOfShop }: NoSuchArgument) => {
    if (names.length === 0) return `${table} takes no arguments: write FROM ${table}.`;
    return argument === ''
      ? `${table} takes its arguments by name, such as ${table}(${names[0]} := ...). It takes: ${names.join(', ')}.`
      : sentences(
          `${table} has no argument ${quoted(argument)}${suggestion(nearest)}`,
          isOfShop && 'Turnover of a shop: compare_turnover(period := ..., shop_id := ...).',
          `It takes: ${names.join(', ')}.`,
        );
  },
  too_many_values: ({ table, argument, max }: { table: string; argument: string; max: number }) =>
    `${table}: ${argument} has more than ${max} values. Narrow its subquery.`,
  no_plain_value: ({ table, argument }: { table: string; argument: string }) =>
    `${table}: ${argument} takes plain values, not objects or lists of lists.`,
  too_many_rounds: ({ rounds }: { rounds: number }) =>
    `After ${rounds} rounds the statement still asks for other calls. Arguments must not be random, nor depend on so deep a recursion.`,

  // Refusals of the engine, and its bounds
  /** Wrong types or grouping, ambiguous names. */
  engine_refuses: sayRefused,
  /** A value cannot be converted or computed. */
  value_refused: sayRefused,
  out_of_memory:
    'The statement needs more memory than it may take. Read a shorter period, select fewer columns, filter before joining, and check that every join has its condition.',
  out_of_time: ({ seconds }: { seconds: number }) =>
    `The statement computed for ${seconds} seconds, the longest allowed, and was stopped. Read a shorter period, filter before joining, and check that every join has its condition and every recursion its end.`,
  row_too_large:
    'A single row of the answer is larger than an answer may be. Select fewer columns, and cut long texts and lists.',
  too_much_nested: ({ depth, values, names }: Record<'depth' | 'values' | 'names', number>) =>
    `Lists and objects of the answer are nested more than ${depth} deep, or hold more than ${sayCount(values)} values or ${sayCount(names)} different names. Select the parts that you need by name, aggregate them, or unnest a list (for a map its map_entries) into rows, with a LIMIT.`,

  // The engine itself
  statement_cancelled: 'The statement was cancelled.',
  engine_busy: ({ why }: { why: string }) => `The query engine is busy: ${why}`,
  engine_failed:
    'The query engine failed over this statement. Write it more plainly, in steps with WITH.',
  engine_stopped: 'The query engine was stopped while it worked on this statement. Ask again.',
  engine_not_loaded:
    'The query engine cannot be loaded on this platform. Use the tools that read lists and reports instead.',
  /** `platform` is given where only its native part is missing. */
  engine_not_installed: ({ library, platform }: { library: string; platform?: string }) =>
    platform === undefined
      ? `The query engine (${library}) is not installed: it is an optional part of this package, and was left out.`
      : `The query engine (${library}) has no native part for ${platform} here.`,

  // Warnings
  totals_as_turnover: ({ table, column }: { table: string; column: string }) =>
    `${column} of ${table} are order totals, not turnover: they hold gift cards, tips and prepayments, and internal orders if the description of ${table} says so. Turnover is revenue.total_turnover${column.endsWith('_wt') ? '_wt' : ''}: compare_turnover(period := ..., by := 'shop', against := 'none'), turnover_trend.`,
  no_values: ({ table, argument }: { table: string; argument: string }) =>
    `${argument} of ${table} got no value (NULL, an empty list or no row of its subquery), so nothing was asked and the table has no rows. Leave the argument out to ask without it.`,
  unseen_columns: ({ table }: { table: string }) =>
    `${table} has never given a row, so it is not known whether it has the columns that the statement names.`,
  columns_left_out: ({ table, columns }: { table: string; columns: readonly string[] }) => {
    const names = columns.map((name) => quoted(name));
    return `${table} lacks these fields here, whose names SQL cannot write or tell apart: ${listFirst(names, 6)}.`;
  },
  figures_unread: ({ table, count, figures }: UnreadFigures) => {
    const named = figures.map(({ name, value, row, id, days }) => {
      const place = days ?? `row ${row}${id ? ` (id ${quote(id, 40)})` : ''}`;
      return `${wordOrQuoted(name)} of ${place}: ${quote(value, 40)}`;
    });
    const more = count > figures.length ? ` and ${count - figures.length} more` : '';
    return `${countNoun(count, 'figure')} of ${table} ${count === 1 ? 'is no number and counts' : 'are no numbers and count'} as nothing (${named.join('; ')}${more}): sums lack ${count === 1 ? 'it' : 'them'}.`;
  },
});

function sayRefused({ words, advice }: Refused): string {
  return sentences(`The engine refuses it: ${quoted(words, maxQuotation)}`, advice);
}

/** `list_orders(period := 'last_week')`. */
export function sayTableCall({ table, argument, value }: ArgumentCall): string {
  return `${table}(${argument} := ${value === undefined ? '...' : quoteText(quote(value, 60))})`;
}

function cut(...parts: readonly (string | false)[]): string {
  const written = sentences(...parts);
  return written.length > maxColumnsText ? `${cutText(written, maxColumnsText)}…` : written;
}

/** Its reason never holds a stack, a path of the machine or a setting of the engine. */
export class QueryError extends CommerceError {
  override readonly name = 'QueryError';
  override readonly isExplained = true;

  constructor(reason: Message, code: ErrorCode = 'bad_input', options: ErrorOptions = {}) {
    super(code, reason, options);
  }
}

export function outOfMemory(): QueryError {
  return new QueryError(queryMessages.out_of_memory(), 'too_large');
}

export function rowTooLarge(): QueryError {
  return new QueryError(queryMessages.row_too_large(), 'too_large');
}
