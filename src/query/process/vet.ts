/** Refuses parts, functions, tables and arguments that a statement may not have, and says what to write instead. */
import { nearest } from '../../core/nearest.ts';
import { QueryError } from '../errors.ts';
import { queryMessages } from '../messages.ts';
import type { TableKind, Tables } from '../provider.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

/** @throws {QueryError} for a part of a statement that it may not hold */
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
 * Table functions of the engine that make rows of their arguments alone. Everything else that can
 * be in FROM reads files, addresses, settings or the catalogue, and what a later version adds is
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
 * unseen; and behind this list is a process without files, addresses, secrets or environment.
 */
const refusedFunctions =
  /^(currval|current_(connection_id|query|query_id|setting|transaction_id)|getenv|getvariable|json_serialize_plan|nextval|setseed|sleep_ms|stats|txid_current|write_log)$/;

/** Whether a scalar, aggregate or window function may not be called; `name` in small letters. */
export function isRefusedFunction(name: string): boolean {
  // Names of the engine's own beginnings are not a caller's, nor is what imitates PostgreSQL's catalogue.
  const isOwn = name.startsWith('__') || /^pg_(?!(size_pretty|typeof)$)/.test(name);
  return isOwn || refusedFunctions.test(name);
}

/** The values of a call by the names of its arguments. @throws {QueryError} for arguments that the table lacks */
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
    const name = names.find((it) => isOnly || it.toLowerCase() === argument.toLowerCase());
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

/** A name in FROM that is no table, or has a schema or a catalogue before it. */
export function unknownTable(name: string, tables: Tables): QueryError {
  if (isKeptName(name)) return new QueryError(queryMessages.kept_rows_in_quotes({ id: name }));
  const names = [...tables.keys()];
  const refusal = { name, nearest: nearest(name, names), tables: names };
  return new QueryError(queryMessages.unknown_table(refusal));
}

/** Whether a word is the id of kept rows. */
export function isKeptName(word: string): boolean {
  return /^r_[0-9a-z]+$/.test(word);
}
