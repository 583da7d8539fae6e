/** The only file that opens the engine: in memory, without extensions, and locked. */
import { DuckDBInstance } from '@duckdb/node-api';

const settings = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  temp_directory: '',
};

/**
 * Opens a database that reaches only the files and addresses that `preparation` allows.
 * @param extraSettings apply from its start
 * @param preparation statements that run before the settings are locked
 */
export async function openDatabase(
  extraSettings: Readonly<Record<string, string>>,
  preparation: readonly string[],
) {
  const instance = await DuckDBInstance.create(':memory:', { ...settings, ...extraSettings });
  const connection = await instance.connect();
  const lock = ['SET enable_external_access = false', 'SET lock_configuration = true'];
  await connection.run([...preparation, ...lock].join(';\n'));
  return { instance, connection };
}
