/**
 * Every way in which a statement can fail, as one class with a stable `code` and a text from which
 * its writer can correct it in one step. Never a stack, a path of the machine or an engine setting.
 */

/** Stable names to branch on; they never change once released. */
export type QueryErrorCode =
  | 'syntax' // the text is no SQL; the place is in the message
  | 'not_select' // anything but one SELECT
  | 'too_long' // the statement's text is over the bound
  | 'unknown_table' // no such table, or one that may not be read
  | 'unknown_column'
  | 'unknown_function' // no such function, or one that may not be called
  | 'bad_argument' // an argument of a table: unknown, positional, not to be computed
  | 'bad_statement' // SQL that makes no sense: types, grouping, ambiguous names
  | 'bad_value' // a value that cannot be converted or computed, met while running
  | 'out_of_memory'
  | 'out_of_time'
  | 'output_too_large' // a single value or row over the bound
  | 'overloaded' // too many statements are waiting
  | 'cancelled' // the caller cancelled
  | 'engine_failed' // the engine's process ended in the middle
  | 'engine_unavailable'; // the engine cannot be loaded on this platform

/** A statement failed: `code` to branch on, `message` for who wrote the statement. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** What to say when a statement takes more memory than it may. */
export function outOfMemory(): QueryError {
  return new QueryError(
    'out_of_memory',
    'The statement needs more memory than it may take. Read a shorter period, select fewer columns, filter before joining, and check that every join has its condition.',
  );
}

/** What a caller who cancelled is told. */
export function statementCancelled(): QueryError {
  return new QueryError('cancelled', 'The statement was cancelled.');
}
