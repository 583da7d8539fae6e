import { nearest } from '../../core/nearest.ts';
import { QueryError, queryMessages } from '../messages.ts';
import type { TableKind, Tables } from '../provider.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

/** @throws {QueryError} for a part or function that a statement may not have */
export function vetNode(node: Node): void {
  const isBareShow = node.type === 'SHOW_REF' && nodeOf(node, 'query') === undefined;
  if (isBareShow || nodeOf(node, 'at_clause')) throw unknownPart(node);
  if (node.class === 'PARAMETER') throw new QueryError(queryMessages.statement_parameter());
  const name = textOf(node, 'function_name').toLowerCase();
  if (isRefusedFunction(name)) throw new QueryError(queryMessages.function_refused({ name }));
}

export function unknownPart(part: Node): QueryError {
  return new QueryError(queryMessages.part_refused({ part: textOf(part, 'type') || 'unnamed' }));
}

/**
 * Table functions that compute rows from their arguments alone. All others, which read files, addresses, settings or the
 * catalogue, and those of later versions are refused.
 */
export const pureTableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'unnest',
]);

/**
 * Scalar functions that read or change something outside of the statement: settings, variables, the catalogue, the log,
 * the random seed, waiting. A test asks the engine for every function with side effects, so that a new one is noticed;
 * besides, the process has no files, addresses, secrets or environment.
 */
const refusedFunctions =
  /^(currval|current_(connection_id|query|query_id|setting|transaction_id)|getenv|getvariable|json_serialize_plan|nextval|setseed|sleep_ms|stats|txid_current|write_log)$/;

/** @param name in lower case */
export function isRefusedFunction(name: string): boolean {
  // `__` begins names of the engine's own, `pg_` those that imitate PostgreSQL's catalogue.
  const isInternal = name.startsWith('__') || /^pg_(?!(size_pretty|typeof)$)/.test(name);
  return isInternal || refusedFunctions.test(name);
}

/** The values of a call by argument. @throws {QueryError} for arguments that the table lacks */
export function argumentsOf(
  table: string,
  kind: TableKind,
  reference: Node,
  tables: Tables,
): Map<string, Node> {
  const names = kind.kind === 'calls' ? kind.arguments : Object.keys(kind.parameters);
  const args = new Map<string, Node>();
  for (const value of nodesOf(nodeOf(reference, 'function'), 'children')) {
    const argument = textOf(value, 'alias');
    const isOnly = argument === '' && names.length === 1;
    const name = names.find((arg) => isOnly || arg.toLowerCase() === argument.toLowerCase());
    if (name === undefined) {
      const isOfShop = /^shop_id$/i.test(argument) && names.includes('location_id');
      const comparison = isOfShop && tables.has('compare_turnover') && { isOfShop };
      const refusal = { table, argument, arguments: names, nearest: nearest(argument, names) };
      throw new QueryError(queryMessages.no_such_argument({ ...refusal, ...comparison }));
    }
    args.set(name, value);
  }
  return args;
}

/** The refusal of a name in FROM that is no table, or has a schema or catalogue before it. */
export function unknownTable(name: string, tables: Tables): QueryError {
  const names = [...tables.keys()];
  const meant = isKeptName(name) ? `result('${name}')` : nearest(name, names);
  return new QueryError(queryMessages.unknown_table({ name, nearest: meant, tables: names }));
}

/** Whether a word is an id of kept rows. */
export function isKeptName(word: string): boolean {
  return /^r_[0-9a-z]+$/.test(word);
}
