/** What a statement may hold at all: refusals say what to write instead. */
import { isRecord } from '../../core/json.ts';
import { named, QueryError } from '../errors.ts';
import { isRefusedFunction } from './functions.ts';
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
