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
  // A division by zero is NULL, as everywhere in answers, not Infinity.
  ieee_floating_point_ops: 'false',
  // A table is empty until its calls are loaded, so the optimizer must not cut a plan short for it.
  disabled_optimizers: 'statistics_propagation,empty_result_pullup',
};

/** The SQL function by which a table macro asks for the rows of a call. */
export const callFunction = '__call_number';

/** The locked engine. It stays open, since opening takes longer than most statements; each has its own tables. */
export class Database {
  readonly connection: DuckDBConnection;
  /** Carries out {@link callFunction}. */
  callNumber: (callText: string) => number = () => 0;
  /** False once it has failed for good. */
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
        // Otherwise the optimizer would ask for calls that no row needs.
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

  /** Drops the tables of a statement. An engine that refuses even this has failed for good, and is closed. */
  async end(): Promise<void> {
    this.callNumber = () => 0;
    await this.run(['USE memory', 'DETACH statement']).catch(() => this.close());
  }

  async run(statements: readonly string[]): Promise<void> {
    await this.connection.run(statements.join(';\n'));
  }

  /** @param values fill `$1`, `$2` */
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

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
