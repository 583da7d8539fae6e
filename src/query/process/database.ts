/** The one file that opens the engine: a locked database in memory, with a function that notes calls. */
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  DuckDBScalarFunction,
  INTEGER,
  type JS,
  VARCHAR,
} from '@duckdb/node-api';
import type { OpenedStatement } from '../messages.ts';

/** Gives the number of a call that is loaded; undefined for one that is not, which it notes. */
export type CallNumber = (key: string) => number | undefined;

/** A statement that the engine has read, with the columns of its answer. */
export type PreparedStatement = DuckDBPreparedStatement;

export interface Database {
  /** Runs one statement; `$1`, `$2` stand for `values`. */
  run(sql: string, ...values: string[]): Promise<void>;
  /** All rows of a statement. */
  rows(sql: string, ...values: string[]): Promise<(JS | null)[][]>;
  prepare(sql: string): Promise<PreparedStatement>;
  /** Runs these, and locks all that reaches outside for good. */
  lock(setUp: readonly string[]): Promise<void>;
  /** Ends what runs, with an error of its own. */
  interrupt(): void;
  close(): void;
}

const settings = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  temp_directory: '',
  max_temp_directory_size: '0KB',
  errors_as_json: 'true',
  // A share of nothing is empty, as everywhere in answers, not Infinity in a column of numbers.
  ieee_floating_point_ops: 'false',
  // What is loaded so far must not tell the optimizer that a call which is still missing has no rows.
  disabled_optimizers: 'statistics_propagation,empty_result_pullup',
};

/** Files are read before this, nothing after. */
const locks = [
  `SET TimeZone = 'Europe/Amsterdam'`,
  `SET enable_external_access = false`,
  `SET lock_configuration = true`,
  'CREATE SCHEMA loaded',
];

/** The function by which a table macro asks for the rows of a call. */
export const callFunction = '__call_number';

/** A fresh database, in which a statement may be parsed; it runs once this is locked. */
export async function openDatabase(
  { memoryMb, threads }: Pick<OpenedStatement, 'memoryMb' | 'threads'>,
  callNumber: CallNumber,
): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MiB`,
    threads: String(threads),
    ...settings,
  });
  const connection = await instance.connect();
  registerCallFunction(connection, callNumber);
  return {
    async run(sql, ...values) {
      await connection.run(sql, values);
    },
    async rows(sql, ...values) {
      return (await connection.runAndReadAll(sql, values)).getRowsJS();
    },
    prepare: (sql) => connection.prepare(sql),
    async lock(setUp) {
      await connection.run([...setUp, ...locks].join(';\n'));
    },
    interrupt: () => connection.interrupt(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** No call has this number. */
const notLoaded = -2;

function registerCallFunction(connection: DuckDBConnection, callNumber: CallNumber): void {
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: callFunction,
      parameterTypes: [VARCHAR],
      returnType: INTEGER,
      // Or the optimizer would ask for calls that no row needs.
      volatile: true,
      mainFunction(_, input, output) {
        const keys = input.getColumnVector(0);
        for (let row = 0; row < input.rowCount; row++) {
          const key = keys.getItem(row);
          output.setItem(row, typeof key === 'string' ? (callNumber(key) ?? notLoaded) : null);
        }
        output.flush();
      },
    }),
  );
}

/** A name in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text in single quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
