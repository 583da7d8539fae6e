/** The one file that knows the engine's binding: a locked database in memory, its answers as JSON. */
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import type { ValueType } from './value-type.ts';

/** Bounds of a database. */
export interface DatabaseLimits {
  memoryMb: number;
  threads: number;
}

/** A column of an answer. */
export interface EngineColumn {
  name: string;
  type: ValueType;
}

/** An answer that is read piece by piece, so that nobody has to hold the whole of it. */
export interface ResultStream {
  columns: readonly EngineColumn[];
  /** The next rows, or undefined after the last. */
  next(): Promise<ResultChunk | undefined>;
}

export interface ResultChunk {
  rows: number;
  /** One value as JSON: numbers beyond 32 bits, decimals, days and instants as text. */
  value(row: number, column: number): unknown;
}

export interface Database {
  /** Runs one statement; `$1`, `$2` stand for `values`, which are VARCHAR and BLOB. */
  run(sql: string, ...values: (string | Uint8Array)[]): Promise<ResultStream>;
  /** The first column of all rows, which are text. */
  texts(sql: string, ...texts: string[]): Promise<string[]>;
  /** Ends what runs, with an error of its own. */
  interrupt(): void;
  close(): void;
}

/** Set in this order; the last locks the rest. Temporary files go with the access to files. */
const settings = [
  `SET TimeZone = 'Europe/Amsterdam'`,
  `SET errors_as_json = true`,
  // A share of nothing is empty, as everywhere in answers, not Infinity in a column of numbers.
  `SET ieee_floating_point_ops = false`,
  `SET temp_directory = ''`,
  `SET max_temp_directory_size = '0KB'`,
  `SET enable_external_access = false`,
  `SET lock_configuration = true`,
];

/** A fresh, empty, locked database. @throws what the binding throws when it cannot start */
export async function openDatabase({ memoryMb, threads }: DatabaseLimits): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MiB`,
    threads: String(threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_unsigned_extensions: 'false',
  });
  const connection = await instance.connect();
  await connection.run('CREATE SCHEMA loaded');
  for (const setting of settings) await connection.run(setting);

  const run = async (sql: string, ...values: (string | Uint8Array)[]) =>
    streamOf(await runOn(connection, sql, values));

  return {
    run,
    async texts(sql, ...texts) {
      const answer = await run(sql, ...texts);
      const found: string[] = [];
      for (let chunk = await answer.next(); chunk !== undefined; chunk = await answer.next()) {
        for (let row = 0; row < chunk.rows; row++) found.push(String(chunk.value(row, 0)));
      }
      return found;
    },
    interrupt: () => connection.interrupt(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function runOn(
  connection: DuckDBConnection,
  sql: string,
  values: readonly (string | Uint8Array)[],
): Promise<DuckDBResult> {
  const prepared = await connection.prepare(sql);
  try {
    values.forEach((value, index) => {
      if (typeof value === 'string') prepared.bindVarchar(index + 1, value);
      else prepared.bindBlob(index + 1, value);
    });
    return await prepared.stream();
  } finally {
    prepared.destroySync();
  }
}

function streamOf(result: DuckDBResult): ResultStream {
  const types = result.columnTypes();
  const names = result.columnNames();
  return {
    columns: types.map((type, index) => ({ name: names[index] ?? '', type: describe(type) })),
    async next() {
      const chunk = await result.fetchChunk();
      return chunk === null || chunk.rowCount === 0 ? undefined : readable(chunk, types);
    },
  };
}

function readable(chunk: DuckDBDataChunk, types: readonly DuckDBType[]): ResultChunk {
  const columns = types.map((type, index) => ({ type, vector: chunk.getColumnVector(index) }));
  return {
    rows: chunk.rowCount,
    value(row, column) {
      const found = columns[column];
      if (found === undefined) return null;
      const { type, vector } = found;
      return JsonDuckDBValueConverter(vector.getItem(row), type, JsonDuckDBValueConverter);
    },
  };
}

function describe(type: DuckDBType): ValueType {
  const name = type.alias ?? DuckDBTypeId[type.typeId];
  const text = type.alias ?? type.toString();
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return { name: 'LIST', text, of: describe(type.valueType) };
    case DuckDBTypeId.MAP:
      return { name, text, of: describe(type.valueType), key: describe(type.keyType) };
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type;
      return { name, text, fields: entryNames.map((field, at) => [field, of(entryTypes, at)]) };
    }
    case DuckDBTypeId.UNION: {
      const { memberTags, memberTypes } = type;
      return { name, text, fields: memberTags.map((tag, at) => [tag, of(memberTypes, at)]) };
    }
    default:
      return { name, text };
  }
}

function of(types: readonly DuckDBType[], index: number): ValueType {
  const type = types[index];
  return type === undefined ? { name: 'VARCHAR', text: 'VARCHAR' } : describe(type);
}
