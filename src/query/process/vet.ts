/** What a statement may hold at all: refusals say what to write instead. */
import { isRecord } from '../../core/json.ts';
import { named, QueryError } from '../errors.ts';
import { columnNames, type Node, nodeOf, queryTypes, tableTypes, textOf } from './tree.ts';

/** Node types that a later version may add are refused until they are listed here. */
export function vetQuery(query: Node): void {
  vetParts(query);
  if (!queryTypes.has(textOf(query, 'type'))) throw unknownPart(query);
}

const partKeys = ['from_table', 'left', 'right', 'source'] as const;

function vetParts(parent: Node): void {
  for (const key of partKeys) {
    const part = parent[key];
    if (!isRecord(part) || textOf(part, 'class') !== '') continue;
    const type = textOf(part, 'type');
    if (!tableTypes.has(type) && !queryTypes.has(type)) throw unknownPart(part);
  }
}

function unknownPart(part: Node): QueryError {
  return new QueryError(
    'bad_statement',
    `The statement holds a part (${textOf(part, 'type') || 'unnamed'}) that cannot be used here. Write it as a plain SELECT.`,
  );
}

/** @throws {QueryError} for a table that is none here */
export function vetTable(table: Node): void {
  vetParts(table);
  if (!tableTypes.has(textOf(table, 'type'))) throw unknownPart(table);
  if (table.type === 'SHOW_REF' && nodeOf(table, 'query') === undefined) {
    throw new QueryError(
      'not_select',
      'SHOW and a bare DESCRIBE list nothing here. For the columns of one table: DESCRIBE SELECT * FROM the table.',
    );
  }
  if (table.at_clause !== undefined && table.at_clause !== null) {
    throw new QueryError('bad_statement', 'AT (...) cannot be used: tables have no versions here.');
  }
}

/** @throws {QueryError} for a name with a schema or a catalogue */
export function refuseQualified(table: Node): void {
  const qualifiers = [table, nodeOf(table, 'function')].flatMap((node) =>
    ['catalog_name', 'schema_name', 'catalog', 'schema'].map((key) => textOf(node, key)),
  );
  const given = qualifiers.filter((text) => text !== '');
  if (given.length === 0) return;
  throw new QueryError(
    'unknown_table',
    `There is no table ${named([...given, nameOf(table)].join('.'))}: tables stand in FROM by their names alone, and the engine's own catalogue is out of reach.`,
  );
}

/** The name of a table, or of the function that makes it. */
export function nameOf(table: Node): string {
  return textOf(table, 'table_name') || textOf(nodeOf(table, 'function'), 'function_name');
}

/** Notes the tables whose columns are named. @throws {QueryError} for a call that may not be */
export function vetExpression(expression: Node, owners: Set<string>): void {
  const [first, second] = columnNames(expression);
  if (first !== undefined && second !== undefined) owners.add(first.toLowerCase());
  if (expression.class === 'PARAMETER') {
    throw new QueryError(
      'bad_statement',
      'The statement holds a parameter (? or $1). Write the value itself.',
    );
  }
  const name = textOf(expression, 'function_name').toLowerCase();
  if (isRefusedFunction(name)) {
    throw new QueryError(
      'unknown_function',
      `${named(name)}() cannot be called: functions here compute from their arguments; settings, variables, the environment and the engine's state are out of reach.`,
    );
  }
}

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
