/**
 * What a SELECT may hold at all. The engine is locked as well; a refusal here says what to write
 * instead, and does not depend on the engine's locks.
 */
import { isRecord } from '../../core/json.ts';
import { named, QueryError } from '../errors.ts';
import { isRefusedFunction, pureTableFunctions } from './functions.ts';
import {
  loadedSchema,
  type Node,
  nodeOf,
  nodesOf,
  queryTypes,
  tableTypes,
  textOf,
} from './tree/tree.ts';
import { findCte, isRecursion, type Scope, walk } from './tree/walk.ts';

/** @throws {QueryError} at the first thing in a caller's statement that is not to be had */
export function vet(query: Node): void {
  walk(query, { query: vetShape, table: vetTable, expression: vetExpression });
}

/**
 * The last look, at what is about to run: every table is a loaded one, a CTE or a pure function.
 * @throws {QueryError} otherwise
 */
export function refuseUnloaded(tree: Node): void {
  const [statement, ...more] = nodesOf(tree, 'statements');
  const query = statement && nodeOf(statement, 'node');
  if (query === undefined || more.length > 0) throw unexpected('statement');
  walk(query, {
    query: vetShape,
    expression: vetExpression,
    table(table, scope) {
      vetParts(table);
      if (table.type === 'SHOW_REF') refuseBareShow(table);
      const called = textOf(nodeOf(table, 'function') ?? {}, 'function_name').toLowerCase();
      if (table.type === 'TABLE_FUNCTION' && !pureTableFunctions.has(called)) {
        throw unexpected(called);
      }
      const isLoaded = textOf(table, 'schema_name') === loadedSchema;
      if (table.type === 'BASE_TABLE' && !isLoaded && !isCte(table, scope)) {
        throw unexpected(textOf(table, 'table_name'));
      }
    },
  });
}

function unexpected(what: string): QueryError {
  return new QueryError('unknown_table', `${named(what)} is none of the tables that can be read.`);
}

/** Node types that a later version may add are refused until somebody has looked at them. */
function vetShape(query: Node): void {
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

function vetTable(table: Node, scope: Scope): void {
  vetParts(table);
  const type = textOf(table, 'type');
  if (type === 'SHOW_REF') refuseBareShow(table);
  if (table.at_clause !== undefined && table.at_clause !== null) {
    throw new QueryError('bad_statement', 'AT (...) cannot be used: tables have no versions here.');
  }
  const called = nodeOf(table, 'function') ?? {};
  const schemas = [table, called].flatMap((node) => qualifiersOf(node));
  if (schemas.length > 0 && !isCte(table, scope)) {
    throw new QueryError(
      'unknown_table',
      `There is no table ${named([...schemas, nameOf(table)].join('.'))}: tables stand in FROM by their names alone, and the engine's own catalogue is out of reach.`,
    );
  }
}

function refuseBareShow(table: Node): void {
  if (nodeOf(table, 'query') !== undefined) return;
  throw new QueryError(
    'not_select',
    'SHOW and a bare DESCRIBE list nothing here. For the columns of one table: DESCRIBE SELECT * FROM the table.',
  );
}

function nameOf(table: Node): string {
  const called = nodeOf(table, 'function');
  return textOf(table, 'table_name') || textOf(called ?? {}, 'function_name');
}

function qualifiersOf(node: Node): string[] {
  const qualifiers = ['catalog_name', 'schema_name', 'catalog', 'schema'];
  return qualifiers.map((key) => textOf(node, key)).filter((text) => text !== '');
}

/** A CTE by its name, or the rows of a recursive one so far: `recurring.name`. */
function isCte(table: Node, scope: Scope): boolean {
  const cte = findCte(scope, textOf(table, 'table_name'));
  const schema = textOf(table, 'schema_name');
  if (cte === undefined) return false;
  return schema === '' || (schema === 'recurring' && isRecursion(cte));
}

function vetExpression(expression: Node): void {
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
