/** The only file of this room that opens the engine: in memory, and reaching one folder. */
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

export class FolderDatabase {
  readonly #connection: DuckDBConnection;

  private constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** @param folder an absolute path, without a slash at its end */
  static async open(folder: string): Promise<FolderDatabase> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: '512MiB',
      threads: '2',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      // What is folded must fit: parts are read and written in pieces.
      preserve_insertion_order: 'false',
      temp_directory: '',
    });
    const connection = await instance.connect();
    await connection.run(
      [
        `SET TimeZone = 'UTC'`,
        `SET allowed_directories = [${quoteText(`${folder}/`)}]`,
        'SET enable_external_access = false',
        'SET lock_configuration = true',
      ].join(';\n'),
    );
    return new FolderDatabase(connection);
  }

  async run(sql: string, ...values: string[]): Promise<void> {
    await this.#connection.run(sql, values);
  }

  /** A few thousand rows at a time, as a list of values for each column. */
  async *columns(sql: string): AsyncGenerator<readonly (readonly DuckDBValue[])[]> {
    const result = await this.#connection.stream(sql);
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk.getColumns();
    }
  }

  async rows(sql: string): Promise<DuckDBValue[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRows();
  }
}

/** A text in single quotes. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
