/** What a statement may hold: parts, functions, tables and their arguments. Refusals say what to write instead. */
import { nearest, orMeant } from '../../core/nearest.ts';
import { quoted } from '../../core/text.ts';
import { QueryError, quoteUnlessWord } from '../errors.ts';
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { isKeptName, sayKeptName } from './advice.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

/** @throws {QueryError} for a part of a statement that it may not hold */
export function vetNode(node: Node): void {
  const isBareShow = node.type === 'SHOW_REF' && nodeOf(node, 'query') === undefined;
  if (isBareShow || nodeOf(node, 'at_clause')) throw unknownPart(node);
  if (node.class === 'PARAMETER') {
    throw new QueryError(
      'bad_statement',
      'The statement holds a parameter (? or $1). Write the value itself.',
    );
  }
  const name = textOf(node, 'function_name').toLowerCase();
  if (!isRefusedFunction(name)) return;
  throw new QueryError(
    'unknown_function',
    `${quoteUnlessWord(name)}() cannot be called: functions here compute from their arguments; settings, variables, the environment and the engine's state are out of reach.`,
  );
}

export function unknownPart(part: Node): QueryError {
  return new QueryError(
    'bad_statement',
    `The statement holds a part (${textOf(part, 'type') || 'unnamed'}) that cannot be used here. Write it as a plain SELECT; columns are listed by DESCRIBE SELECT * FROM the table.`,
  );
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
export function argumentsOf(table: string, kind: TableKind, reference: Node): Map<string, Node> {
  const known =
    'arguments' in kind ? kind.arguments : Object.keys(kind.kind === 'view' ? kind.parameters : {});
  const args = new Map<string, Node>();
  for (const value of nodesOf(nodeOf(reference, 'function'), 'children')) {
    const written = textOf(value, 'alias');
    const isOnly = written === '' && known.length === 1;
    const name = known.find((it) => isOnly || it.toLowerCase() === written.toLowerCase());
    if (name === undefined || args.has(name))
      throw new QueryError('bad_argument', problemOf(table, written, name, known));
    args.set(name, value);
  }
  return args;
}

function problemOf(
  table: string,
  written: string,
  name: string | undefined,
  known: readonly string[],
): string {
  if (name !== undefined) return `${table}: ${name} is given twice.`;
  if (known.length === 0) return `${table} takes no arguments: write FROM ${table}.`;
  const takes = `It takes: ${known.join(', ')}.`;
  return written === ''
    ? `${table} takes its arguments by name, such as ${table}(${known[0]} := ...). ${takes}`
    : `${table} has no argument ${quoted(written)}${orMeant(written, known)} ${takes}`;
}

/** A name in FROM that is no table, or has a schema or a catalogue before it. */
export function unknownTable(name: string, tables: Tables): QueryError {
  if (isKeptName(name)) return new QueryError('unknown_table', sayKeptName(name));
  const known = [...tables.keys()];
  const near = nearest(name, known);
  if (near !== undefined)
    return new QueryError(
      'unknown_table',
      `There is no table ${quoted(name)}; did you mean ${near}? SELECT name FROM tables lists all.`,
    );
  const reason = /[./\\:*]/.test(name)
    ? ": tables stand in FROM by their names alone; files, addresses and the engine's own catalogue are out of reach."
    : '.';
  return new QueryError(
    'unknown_table',
    `There is no table ${quoted(name)}${reason} The tables: ${known.join(', ')}.`,
  );
}
