/** What the server and the engine's process tell each other. */
import type { QueryErrorCode } from './errors.ts';
import type { Output } from './output-columns.ts';
import type { TableCall, TableKind } from './provider.ts';
import type { ColumnTypes } from './rows/table-text.ts';

/** A statement that was read and may run. */
export interface ReadStatement {
  /** The text to run. */
  sql: string;
  /** The tables it reads, each after those that it is made of. */
  tables: readonly UsedTable[];
  /** Whether it says in which order its rows are. */
  isOrdered: boolean;
  /** What its tree says of the answer's columns. */
  output: Output;
  /** Names of the answer's columns, as far as it writes them. */
  shown: readonly string[];
}

/** A table that a statement reads. */
export interface UsedTable {
  name: string;
  /** Arguments whose values its rows carry. */
  carried: readonly string[];
  /** How many calls of other tables its own wait for. */
  level: number;
  /** Of a view: its text to run. */
  sql?: string;
}

/** The tables by name. */
export type Tables = ReadonlyMap<string, TableKind>;

/** Bounds of a database. */
export interface DatabaseLimits {
  memoryMb: number;
  threads: number;
}

/** Bounds of an answer. */
export interface AnswerLimits {
  maxRows: number;
  /** Of all rows as JSON text; counted in UTF-16 units. */
  maxBytes: number;
}

export type EngineCommand =
  /** Opens a fresh database and reads a statement; without tables it may `run` there. Answered by `read`. */
  | { op: 'read'; sql: string; tables: Tables; nowMs: number; limits: DatabaseLimits }
  /** Opens a fresh database for a statement that was read. Rows follow, then `run`. */
  | { op: 'open'; statement: ReadStatement; tables: Tables; nowMs: number; limits: DatabaseLimits }
  /** The calls of a table that are loaded, by the number that their rows carry. */
  | { op: 'table'; name: string; columns: ColumnTypes; calls: readonly string[] }
  /** A JSON object with the values of some rows, a list for each column. */
  | { op: 'rows'; text: string }
  /** Runs the statement. Answered by `needs`, or by any number of `rows` and `answer`. */
  | { op: 'run'; limits: AnswerLimits }
  /** Ends what runs. Not answered by itself. */
  | { op: 'interrupt' };

/** A column of an answer, with its type in DuckDB's words. */
export interface SqlColumn {
  name: string;
  type: string;
}

export type EngineReply =
  | { kind: 'ready' }
  | { kind: 'read'; statement: ReadStatement; calls: readonly TableCall[] }
  | { kind: 'needs'; calls: readonly TableCall[] }
  /** Rows as a JSON array of arrays. */
  | { kind: 'rows'; text: string }
  | { kind: 'answer'; columns: readonly SqlColumn[]; more: boolean; hints: readonly string[] }
  | { kind: 'failed'; code: QueryErrorCode; message: string };

/** With this code the engine's process ends itself when a statement takes too much memory. */
export const outOfMemoryExit = 79;
