/** What the server and the engine's process tell each other. */
import type { QueryErrorCode } from './errors.ts';
import type { Output } from './output-columns.ts';
import type { TableCall, TableKind } from './provider.ts';
import type { ColumnType } from './rows/table-text.ts';

/** The tables by name. */
export type Tables = ReadonlyMap<string, TableKind>;

/** A statement and its bounds. */
export interface OpenedStatement {
  sql: string;
  tables: Tables;
  /** What `now()` gives, in milliseconds since the epoch. */
  nowMs: number;
  memoryMb: number;
  threads: number;
  /** So many rows are answered. */
  maxRows: number;
  /** Most text of all rows as JSON; counted in UTF-16 units. */
  maxBytes: number;
}

export type EngineCommand =
  /** Opens a fresh database for a statement. Its tables follow, then `run`. */
  | ({ op: 'open' } & OpenedStatement)
  /** The calls of a table that are loaded, by the number that their rows carry. Rows follow. */
  | {
      op: 'table';
      name: string;
      calls: readonly string[];
      columns: readonly (readonly [string, ColumnType])[];
    }
  /** A JSON object with the values of some rows, a list for each column. */
  | { op: 'rows'; text: string }
  /** Runs the statement. Answered by `needs`, or by any number of `rows` and `answer`. */
  | { op: 'run' }
  /** Ends what runs. Not answered by itself. */
  | { op: 'interrupt' };

/** A column of an answer, with its type in DuckDB's words. */
export interface SqlColumn {
  name: string;
  type: string;
}

/** What is said of an answer's rows behind them. */
export interface AnswerEnd {
  columns: readonly SqlColumn[];
  /** There are more rows than were sent. */
  more: boolean;
  /** What is likely to mislead in the statement, the worst first. */
  hints: readonly string[];
  /** The statement says in which order the rows are. */
  isOrdered: boolean;
  /** What its tree says of the answer's columns. */
  output: Output;
  /** The names of the tables that it reads, through views too. */
  tables: readonly string[];
}

/** What a statement comes to: the end of its rows, or the calls without which they are not right. */
export type Outcome =
  | ({ kind: 'answer' } & AnswerEnd)
  /** `shown`: names of the answer's columns, as far as the statement writes them. */
  | { kind: 'needs'; calls: readonly TableCall[]; shown: readonly string[] };

export type EngineReply =
  | Outcome
  | { kind: 'ready' }
  /** Rows as a JSON array of arrays. */
  | { kind: 'rows'; text: string }
  | { kind: 'failed'; code: QueryErrorCode; message: string };

/** With this code the engine's process ends itself when a statement takes too much memory. */
export const outOfMemoryExit = 79;
