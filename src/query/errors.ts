/** Every way in which a statement can fail: never a stack, a path of the machine or an engine setting. */
import { neutralise, quoted } from '../core/text.ts';

/** Stable names to branch on; they never change once released. */
export type QueryErrorCode =
  | 'syntax' // the text is no SQL; the place is in the message
  | 'not_select' // anything but one SELECT
  | 'unknown_table' // no such table, or one that may not be read
  | 'broken_table' // a file of a business's own cannot be read; the message shows nothing of it
  | 'unknown_column'
  | 'unknown_function' // no such function, or one that may not be called
  | 'bad_argument' // an argument of a table: unknown, without its name, not to be computed
  | 'bad_statement' // SQL that makes no sense: types, grouping, ambiguous names
  | 'bad_value' // a value that cannot be converted or computed, met while running
  | 'out_of_memory'
  | 'out_of_time'
  | 'output_too_large' // a single value or row over the bound
  | 'overloaded' // too many statements are waiting
  | 'cancelled' // the caller cancelled
  | 'engine_failed' // the engine's process ended in the middle
  | 'engine_unavailable'; // the engine cannot be loaded on this platform

/** The messages of failures that are the same for every statement. */
const fixed: Partial<Record<QueryErrorCode, string>> = {
  cancelled: 'The statement was cancelled.',
  out_of_memory:
    'The statement needs more memory than it may take. Read a shorter period, select fewer columns, filter before joining, and check that every join has its condition.',
  output_too_large:
    'A single row of the answer is larger than an answer may be. Select fewer columns, and cut long texts and lists.',
  engine_failed: 'The query engine was stopped while it worked on this statement. Ask again.',
  engine_unavailable:
    'The query engine cannot be loaded on this platform. Use the tools that read lists and reports instead.',
};

/** Longest message; the tool's name comes before it. */
const mostCharacters = 1950;

/** A statement failed. The message says what to change, on one line with nothing in it that acts. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message = fixed[code] ?? '', options: ErrorOptions = {}) {
    const line = neutralise(message.slice(0, mostCharacters));
    super(line.length < mostCharacters ? line : `${line.slice(0, mostCharacters)}…`, options);
    this.code = code;
  }
}

/** A name from outside: as it is where it is a plain word, in quotes otherwise. */
export function quoteUnlessWord(name: string): string {
  return /^[\p{L}\p{N}_.]{1,80}$/u.test(name) ? name : quoted(name);
}
