import type { SqlColumn } from '../query/messages.ts';
import type { Output } from '../query/output-columns.ts';
import type { Call, TableUse } from './answer.ts';
import type { Row } from './rows/rows.ts';

/** What a statement gave. */
export interface StatementResult {
  /** With their types in DuckDB's words. */
  columns: readonly SqlColumn[];
  rows: readonly Row[];
  /** False when the statement has more rows than these. */
  complete: boolean;
  /** True when the statement says in which order they stand. */
  isOrdered: boolean;
  /** What its tree says of the columns. */
  output: Output;
  tables: readonly TableUse[];
  /** Of every table that was read. */
  warnings: readonly string[];
}

/** Runs SQL over what a caller may see. */
export interface Statements {
  /**
   * One SELECT.
   * @param maxCalls most requests to the platform that it may need
   * @throws CommerceError whose message says what to change
   */
  run(sql: string, maxCalls: number | undefined, call: Call): Promise<StatementResult>;
  /** The tables themselves, each with its arguments and columns. */
  tables(call: Call): Promise<readonly Row[]>;
}
