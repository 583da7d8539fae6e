/** The engine of statements: locked, with a function that notes calls. */
import {
  type DuckDBConnection,
  type DuckDBInstance,
  DuckDBScalarFunction,
  INTEGER,
  type JS,
  VARCHAR,
} from '@duckdb/node-api';
import { openDatabase } from '../../core/process/duckdb.ts';

const settings = {
  max_temp_directory_size: '0KB',
  errors_as_json: 'true',
  // A share of nothing is empty, as everywhere in answers, not Infinity in a column of numbers.
  ieee_floating_point_ops: 'false',
  // Tables that lack rows of a call must not tell the optimizer that the call has none.
  disabled_optimizers: 'statistics_propagation,empty_result_pullup',
};

/** The function by which a table macro asks for the rows of a call. */
export const callFunction = '__call_number';

/** Opened once, for that takes longer than most statements; each has tables of its own in it. */
export class Database {
  readonly connection: DuckDBConnection;
  /** Gives the number of a call that a macro writes, and notes one that is not loaded. */
  callNumber: (written: string) => number = () => 0;
  /** Until it has failed for good. */
  isOpen = true;
  readonly #instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.connection = connection;
  }

  static async open(memoryMb: number, threads: number): Promise<Database> {
    const bounds = { memory_limit: `${memoryMb}MiB`, threads: String(threads) };
    const { instance, connection } = await openDatabase({ ...settings, ...bounds }, [
      `SET TimeZone = 'Europe/Amsterdam'`,
    ]);
    const database = new Database(instance, connection);
    database.connection.registerScalarFunction(
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
            output.setItem(row, typeof key === 'string' ? database.callNumber(key) : null);
          }
          output.flush();
        },
      }),
    );
    return database;
  }

  async begin(): Promise<void> {
    await this.run([`ATTACH ':memory:' AS statement`, 'USE statement', 'CREATE SCHEMA loaded']);
  }

  /** Ends a statement with its tables. An engine that failed for good refuses this too: it is closed. */
  async end(): Promise<void> {
    this.callNumber = () => 0;
    await this.run(['USE memory', 'DETACH statement']).catch(() => this.close());
  }

  async run(statements: readonly string[]): Promise<void> {
    await this.connection.run(statements.join(';\n'));
  }

  /** All rows of a statement; `$1`, `$2` are of `values`. */
  async rows(sql: string, ...values: string[]): Promise<(JS | null)[][]> {
    return (await this.connection.runAndReadAll(sql, values)).getRowsJS();
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.connection.closeSync();
    this.#instance.closeSync();
  }
}

/** A name in double quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
