/** The interface to the room above: which tables there are, and their rows. */
import type { FieldTypes } from '../core/column-type.ts';
import type { JsonObject } from '../core/json.ts';

/** A single value of an argument, as JSON holds it; days as `YYYY-MM-DD`. */
export type Scalar = string | number | boolean | null;

/** The value of an argument; a list is distinct, in order and not empty. */
export type ArgumentValue = Scalar | readonly Scalar[];

/** Facts about columns that their values do not show, by their names. */
export interface ColumnFacts {
  /** The lists that ids are of, such as `shops.id`. */
  ids: Readonly<Record<string, string>>;
  /** Rows that only an argument brings: which they are, as SQL, and the argument. */
  leftOut: Readonly<Record<string, { condition: string; argument: string }>>;
  /** Its rows are orders, whose totals are no turnover. */
  isOfOrders: boolean;
}

/** The kind of a table. */
export type TableKind =
  /** Rows that the provider loads, call by call. */
  | {
      kind: 'calls';
      /** Every argument it takes; the only one may be given without its name: `result('r_7f3a')`. */
      arguments: readonly string[];
      /** The columns that are known before any row is. */
      columns?: FieldTypes;
      /** Those of them that are so whatever the rows hold; a look at some rows does not say that. @default all */
      documented?: FieldTypes;
      /** Rows may have other columns: only they can tell. */
      isOpen?: boolean;
      /** Nothing has shown a row of it, though that was looked for. */
      isUnseen?: boolean;
      /** So many of its rows were seen that a name which is nearly one of theirs is a mistake. */
      isShown?: true;
      /** Facts about its columns. */
      facts?: ColumnFacts;
    }
  /** A SELECT over other tables. */
  | {
      kind: 'view';
      sql: string;
      /** Its parameters with their defaults, as SQL. */
      parameters: Readonly<Record<string, string>>;
    };

/** The tables by name. */
export type Tables = ReadonlyMap<string, TableKind>;

/** A call as it would be, where a statement has the argument in a condition. */
export interface ArgumentCall {
  table: string;
  argument: string;
  /** The text or number that it is compared with. */
  value?: string | undefined;
}

/** Rows that a statement needs. */
export interface TableCall {
  /** Equal keys are equal calls. */
  key: string;
  /** A name of {@link TableProvider.tables}. */
  table: string;
  args: Readonly<Record<string, ArgumentValue>>;
  /** Arguments that differ from row to row of the statement: the rows carry their values in columns. */
  correlatedArguments: readonly string[];
  /** It is one value of several, read first to show the columns; the others follow. */
  isSample?: true;
  /** The first rows, this many, are all that the statement can show. */
  atMost?: number;
}

/** The shape of a statement and its views by their parsed trees; names are in small letters. */
export interface StatementShape {
  /** The tables that it reads. */
  tables: readonly string[];
  /** Names of the answer's columns, as far as the statement writes them. */
  shown: readonly string[];
  /** The names of columns and fields in it, and their paths (`address.city`). */
  mentioned: ReadonlySet<string>;
  /** Whether it may mean columns that it does not name, as by a star. */
  meansAll: boolean;
  /** Columns that rows are grouped by. */
  groupedBy: ReadonlySet<string>;
  /** The values that columns must have, where they are compared by `=` and `IN` alone. */
  equalTo: ReadonlyMap<string, readonly string[]>;
  /** The constants that columns are compared with. */
  comparedWith: ReadonlyMap<string, readonly string[]>;
  /** The days between which conditions keep something; both are missing where none begins with a day. */
  comparedDays: { from?: string | undefined; to?: string | undefined };
}

/** The tables of one caller. */
export interface TableProvider {
  /** Every table by its name, in small letters. */
  readonly tables: Tables;
  /** The moment of the statement, in milliseconds since the epoch: what `now()` gives. */
  readonly nowMs: number;
  /**
   * The rows of each call, in the order of the calls. All calls of a round come at once, so that
   * their cost can be counted before it is spent. What it throws ends the statement.
   */
  load(
    calls: readonly TableCall[],
    signal: AbortSignal,
    shape: StatementShape,
  ): Promise<readonly (readonly JsonObject[])[]>;
}
