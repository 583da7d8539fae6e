/** The messages between the server and the engine's process. */
import type { ErrorCode } from '../core/errors.ts';
import type { Message, Warning } from '../core/message.ts';
import type { StatementShape, TableCall, Tables } from './provider.ts';
import type { TableText } from './table-text.ts';

/** A table with the keys of its loaded calls; rows carry the numbers of their calls. */
export interface SentTable extends TableText {
  calls: readonly string[];
  /** Rows of one call are loaded, to learn the columns. */
  isSample: boolean;
}

/** A statement, its bounds, and the tables loaded so far. */
export interface SentStatement {
  sql: string;
  tables: Tables;
  /** The moment that `now()` gives, in milliseconds since the epoch. */
  nowMs: number;
  maxRows: number;
  /** Bound for all rows as JSON. */
  maxBytes: number;
  loaded: ReadonlyMap<string, SentTable>;
}

/** `type` is DuckDB's. */
export interface SqlColumn {
  name: string;
  type: string;
}

/**
 * The meaning of a column by the statement's tree. `sum` and `count` add up over rows; `distinct` (a count), `percent`
 * (100 times a quotient), `ratio` (a quotient) and `other` (medians, running sums, ...) do not. `column` is passed on from a table.
 */
export interface ColumnMeaning {
  kind: 'sum' | 'count' | 'distinct' | 'percent' | 'ratio' | 'column' | 'other';
  /** The table's column that is passed on or summed; may be dotted. */
  column?: string;
  /** The tables that it may come from. */
  tables?: readonly string[];
  /** The unit that days are truncated to, such as `week`; else `day`. */
  grain?: string;
}

export type AnswerColumn = SqlColumn & ColumnMeaning;

/** An answer without its rows. */
export interface AnswerFacts {
  columns: readonly AnswerColumn[];
  /** There are more rows than were sent. */
  more: boolean;
  /** Warnings of values that could not be read, and of misleading parts of the statement, the worst first. */
  hints: readonly Warning[];
  /** The statement has an ORDER BY. */
  isOrdered: boolean;
  /** Its LIMIT, where that is a constant. */
  limit: number | undefined;
  shape: StatementShape;
}

/** The answer, or the calls whose rows are missing for it. */
export type RoundResult =
  /** `rows` are JSON arrays of arrays, some rows in each; they are sent ahead as {@link RowsPart}. */
  | ({ kind: 'answer'; rows: readonly string[] } & AnswerFacts)
  | {
      kind: 'needs';
      calls: readonly TableCall[];
      shape: StatementShape;
    };

export type EngineReply = RoundResult | { kind: 'failed'; code: ErrorCode; reason: Message };

/** Some rows of an answer. */
export interface RowsPart {
  /** The columns. */
  names: readonly string[];
  /** A JSON array of arrays. */
  rows: string;
}
