/** What the engine asks of the room above: which tables there are, and their rows. */

/** A single value of an argument, as JSON holds it; days as `YYYY-MM-DD`. */
export type Scalar = string | number | boolean | null;

/**
 * An argument of a table. `value`: written as a constant or a constant expression, a list included.
 * `values`: computed from other tables, by a subquery or by a column of a table before it in FROM;
 * distinct, not null and in order, and perhaps none. The rows that come back carry the value they
 * belong to in a column with the argument's name.
 */
export type Argument =
  | { value: Scalar | readonly Scalar[] }
  | { values: readonly Scalar[]; from: 'subquery' | 'lateral' };

/** One table that a statement needs, however often it occurs there. */
export interface TableRequest {
  /** As `TableProvider.names` has it. */
  name: string;
  /** By the names of `TableKind.arguments`. */
  args: Readonly<Record<string, Argument>>;
  /** So many rows, the first ones, are all that the statement can show. */
  atMost?: number;
}

/** What a name in FROM is. */
export interface TableKind {
  /** Every argument it takes. */
  arguments: readonly string[];
  /** The argument that may stand without its name: `result('r_7f3a')`. */
  positional?: string;
}

/** Types by column: one of the engine's own, a list of one, or the fields of an object. */
export type TypeHints = { readonly [column: string]: string | TypeHints };

/** A table's rows and what is known of them beforehand. */
export interface LoadedTable {
  /**
   * Types by column, in DuckDB's words (`BIGINT`, `DECIMAL(18,2)`, `DATE`, `VARCHAR[]`; no STRUCT), for
   * columns that came without a value and for tables without rows. What came decides where there is
   * a value.
   */
  columns?: TypeHints;
  /** As JSON would hold them. Never changed; read as often as the rows are needed. */
  rows: readonly object[];
  /**
   * Names these very rows: the next statement of the same caller that gets a table with this key
   * may use the rows that the engine still holds, without reading `rows`.
   */
  key?: string;
}

/** The tables of one caller. */
export interface TableProvider {
  /** What a name (in small letters) is; undefined when this caller has no such table. */
  table(name: string): TableKind | undefined;
  /** Every name, for suggestions. */
  names(): readonly string[];
  /**
   * Answers one round: all requests that can be made now, so that their cost can be counted before
   * it is spent. One table for each request, in their order. What it throws ends the statement as
   * it is.
   * @param shown names of the answer's columns, as far as the statement writes them
   */
  load(
    requests: readonly TableRequest[],
    signal: AbortSignal,
    shown: readonly string[],
  ): Promise<readonly LoadedTable[]>;
}
