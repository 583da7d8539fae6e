/** The messages between the server and the engine's process. */
import type { ErrorCode } from '../core/errors.ts';
import type { Message, Warning } from '../core/message.ts';
import type { StatementShape, TableCall, Tables } from './provider.ts';
import type { TableText } from './table-text.ts';

/** A table as it is sent; its rows carry the numbers of its calls. */
export interface SentTable extends TableText {
  calls: readonly string[];
  /** Its rows are of one value, read to show the columns. */
  isSample: boolean;
}

/** A statement, its bounds, and what is loaded for it so far. */
export interface SentStatement {
  sql: string;
  tables: Tables;
  /** The moment that `now()` gives, in milliseconds since the epoch. */
  nowMs: number;
  /** So many rows are answered. */
  maxRows: number;
  /** Most of all rows as JSON, in bytes of UTF-8. */
  maxBytes: number;
  loaded: ReadonlyMap<string, SentTable>;
}

/** A column with its type in DuckDB's words. */
export interface SqlColumn {
  name: string;
  type: string;
}

/**
 * The meaning of a column, as far as the statement's tree says. `sum` and `count` add up over rows.
 * `distinct` counts, and does not add up; neither do `percent` (100 times a quotient), `ratio` (a
 * quotient) and `other` (medians, running sums, ...). `column` is a table's own.
 */
export interface ColumnMeaning {
  kind: 'sum' | 'count' | 'distinct' | 'percent' | 'ratio' | 'column' | 'other';
  /** The table's column that is passed on or summed, with its dots. */
  column?: string;
  /** The tables that it may be of. */
  tables?: readonly string[];
  /** The unit that days are truncated to: `week`; `day` where they are not. */
  grain?: string;
}

/** A column of an answer. */
export type AnswerColumn = SqlColumn & ColumnMeaning;

/** An answer without its rows. */
export interface AboutAnswer {
  columns: readonly AnswerColumn[];
  /** There are more rows than were sent. */
  more: boolean;
  /** Warnings of values that could not be read, and of what is likely to mislead in the statement, the worst first. */
  hints: readonly Warning[];
  /** The statement says in which order the rows are. */
  isOrdered: boolean;
  /** Its LIMIT, where that is a constant. */
  limit: number | undefined;
  shape: StatementShape;
}

/** The result of a round: the answer, or the calls without whose rows it is not right. */
export type RoundResult =
  /** Rows as the texts of JSON arrays of arrays, some rows each; they leave the process before all else. */
  | ({ kind: 'answer'; rows: readonly string[] } & AboutAnswer)
  | {
      kind: 'needs';
      calls: readonly TableCall[];
      shape: StatementShape;
    };

/** The reply to a statement. */
export type EngineReply = RoundResult | { kind: 'failed'; code: ErrorCode; reason: Message };

/** Some rows of an answer. */
export interface RowsPart {
  /** The names of its columns. */
  names: readonly string[];
  /** A JSON array of arrays. */
  rows: string;
}
