/** The one file that opens the engine: in memory, without extensions, and locked. */
import { DuckDBInstance } from '@duckdb/node-api';

const settings = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  temp_directory: '',
};

/**
 * A database that loads nothing, reaches no file and no address but what `last` allows, and changes no setting after it.
 * @param more settings for its start
 * @param last statements that are run before it is locked
 */
export async function openDatabase(
  more: Readonly<Record<string, string>>,
  last: readonly string[],
) {
  const instance = await DuckDBInstance.create(':memory:', { ...settings, ...more });
  const connection = await instance.connect();
  const lock = ['SET enable_external_access = false', 'SET lock_configuration = true'];
  await connection.run([...last, ...lock].join(';\n'));
  return { instance, connection };
}
