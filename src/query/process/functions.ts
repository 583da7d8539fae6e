/** What a statement may call. */

/**
 * Table functions of the engine that make rows of their arguments alone. Everything else that can
 * stand in FROM reads files, addresses, settings or the catalogue, and what a later version adds is
 * refused until it is listed here.
 */
export const pureTableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'unnest',
]);

/**
 * Scalar functions that read or change something outside of the statement: settings, variables, the
 * catalogue, the log, the random seed, the clock by waiting. The rest of some 800 names computes
 * from its arguments. A test asks the engine for every function with side effects, so none can join
 * unseen; and behind this list stands a process without files, addresses, secrets or environment.
 */
export const refusedFunctions: ReadonlySet<string> = new Set([
  'currval',
  'current_connection_id',
  'current_query',
  'current_query_id',
  'current_setting',
  'current_transaction_id',
  'getenv',
  'getvariable',
  'json_serialize_plan',
  'nextval',
  'setseed',
  'sleep_ms',
  'stats',
  'txid_current',
  'write_log',
]);

/** Of the functions that imitate PostgreSQL's catalogue, these compute from their arguments. */
const pureCatalogueFunctions: ReadonlySet<string> = new Set(['pg_size_pretty', 'pg_typeof']);

/** Whether a scalar, aggregate or window function may not be called; `name` in small letters. */
export function isRefusedFunction(name: string): boolean {
  // Names of the engine's own beginnings are not a caller's.
  if (refusedFunctions.has(name) || name.startsWith('__')) return true;
  return name.startsWith('pg_') && !pureCatalogueFunctions.has(name);
}
