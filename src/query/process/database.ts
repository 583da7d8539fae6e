/** The one file that opens the engine: a locked database in memory, with a function that notes calls. */
import {
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBScalarFunction,
  INTEGER,
  type JS,
  VARCHAR,
} from '@duckdb/node-api';
import type { SentStatement } from '../messages.ts';

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
export class Database {
  readonly #instance: DuckDBInstance;
  readonly connection: DuckDBConnection;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.connection = connection;
  }

  /** @param callNumber gives the number of a call, and notes one that is not loaded */
  static async open(
    { memoryMb, threads }: Pick<SentStatement, 'memoryMb' | 'threads'>,
    callNumber: (key: string) => number,
  ): Promise<Database> {
    const bounds = { memory_limit: `${memoryMb}MiB`, threads: String(threads) };
    const instance = await DuckDBInstance.create(':memory:', { ...settings, ...bounds });
    const connection = await instance.connect();
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
            output.setItem(row, typeof key === 'string' ? callNumber(key) : null);
          }
          output.flush();
        },
      }),
    );
    return new Database(instance, connection);
  }

  /** Runs these, and locks all that reaches outside for good. */
  async lock(setUp: readonly string[]): Promise<void> {
    await this.connection.run([...setUp, ...locks].join(';\n'));
  }

  /** All rows of a statement; `$1`, `$2` stand for `values`. */
  async rows(sql: string, ...values: string[]): Promise<(JS | null)[][]> {
    return (await this.connection.runAndReadAll(sql, values)).getRowsJS();
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A name in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
