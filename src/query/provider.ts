import type { FieldTypes } from '../core/column-type.ts';
import type { JsonObject } from '../core/json.ts';

/** A day is `YYYY-MM-DD`. */
export type Scalar = string | number | boolean | null;

/** A list is distinct, sorted and not empty. */
export type ArgumentValue = Scalar | readonly Scalar[];

/** Facts about columns that their values do not show, by column. */
export interface ColumnFacts {
  /** The lists that ids belong to, such as `shops.id`. */
  ids: Readonly<Record<string, string>>;
  /** Rows that the platform leaves out unless an argument asks for them, as an SQL condition. */
  leftOut: Readonly<Record<string, { condition: string; argument: string }>>;
  /** Its rows are orders, whose totals are not turnover. */
  isOfOrders: boolean;
}

/** A table whose rows the provider loads call by call. */
export interface CallsKind {
  kind: 'calls';
  /** A single argument may be given without its name: `result('r_7f3a')`. */
  arguments: readonly string[];
  /** Columns known before rows are loaded. */
  columns?: FieldTypes;
  /** The columns whose types are documented; others were learnt from some rows. @default all */
  documented?: FieldTypes;
  /**
   * How many of its columns are known; with `most`, `some` and `none`, rows may have others. With `all` and `most`, a name
   * close to a column's is a mistake. `described`: a document lists them. `none`: no answer ever had a row.
   * @default 'all'
   */
  knownColumns?: 'all' | 'described' | 'most' | 'some' | 'none';
  facts?: ColumnFacts;
}

/** A SELECT over other tables. */
export interface ViewKind {
  kind: 'view';
  sql: string;
  /** Parameters with their defaults, in SQL. */
  parameters: Readonly<Record<string, string>>;
}

export type TableKind = CallsKind | ViewKind;

/** By name. */
export type Tables = ReadonlyMap<string, TableKind>;

/** The call that a condition on an argument was probably meant for. */
export interface ArgumentCall {
  table: string;
  argument: string;
  /** The constant that it is compared with. */
  value?: string | undefined;
}

/** A call whose rows a statement needs. */
export interface TableCall {
  /** The same for equal calls. */
  key: string;
  /** A name of {@link TableProvider.tables}. */
  table: string;
  args: Readonly<Record<string, ArgumentValue>>;
  /** Arguments that differ from row to row of the statement; the rows carry their values in columns. */
  correlatedArguments: readonly string[];
  /** One of several calls, to learn the columns; the others follow. */
  isSample?: true;
  /** The statement needs only so many of the first rows. */
  neededRows?: number;
}

/** Names in a statement and its views, in lower case, and their uses. */
export interface StatementShape {
  tables: readonly string[];
  /** The columns of the answer that the statement names. */
  shown: readonly string[];
  /** Columns, fields and their paths (`address.city`). */
  mentioned: ReadonlySet<string>;
  /** Whether it may use columns that it does not name, such as by a star. */
  meansAll: boolean;
  groupedBy: ReadonlySet<string>;
  /** The values of columns that are compared by `=` and `IN` alone. */
  equalTo: ReadonlyMap<string, readonly string[]>;
  /** The constants that columns are compared with. */
  comparedWith: ReadonlyMap<string, readonly string[]>;
  /** The first and last day that conditions allow; empty where no condition gives a first day. */
  comparedDays: { from?: string | undefined; to?: string | undefined };
}

/** The tables of one caller, and their rows. */
export interface TableProvider {
  /** By name in lower case. */
  readonly tables: Tables;
  /** The moment that `now()` gives, in milliseconds since the epoch. */
  readonly nowMs: number;
  /**
   * Gives the rows of each call, in the order of the calls. All calls of a round come at once, so that their cost can be
   * counted before the first request. An error ends the statement.
   */
  load(
    calls: readonly TableCall[],
    signal: AbortSignal,
    shape: StatementShape,
  ): Promise<readonly (readonly JsonObject[])[]>;
}
