/** Tables of the provider where they stand in a statement. */

import { nearest } from '../../core/nearest.ts';
import { quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { TableKind, TableProvider } from '../provider.ts';
import { pureTableFunctions } from './functions.ts';
import { loadedSchema, type Node, nodeOf, nodesOf, textOf } from './tree/tree.ts';
import { findCte, type Scope } from './tree/walk.ts';

/** What the reading of names needs of the provider. */
export type Names = Pick<TableProvider, 'table' | 'names'>;

/** A place in the statement where a table of the provider is to be put in. */
export interface TableReference {
  node: Node;
  scope: Scope;
  name: string;
  kind: TableKind;
  args: readonly NamedArgument[];
}

export interface NamedArgument {
  name: string;
  value: Node;
}

/**
 * The provider's table that a table node names; undefined for what is none: CTEs, subqueries, joins,
 * pure functions, tables that are loaded already.
 * @throws {QueryError} when it names no table at all, or gives arguments that the table lacks
 */
export function readTable(node: Node, scope: Scope, names: Names): TableReference | undefined {
  if (node.type === 'BASE_TABLE') {
    const name = textOf(node, 'table_name').toLowerCase();
    const isKnown =
      textOf(node, 'schema_name') === loadedSchema || findCte(scope, name) !== undefined;
    if (isKnown) return undefined;
    const kind = names.table(name);
    if (kind === undefined) throw unknownTable(textOf(node, 'table_name'), names);
    return { node, scope, name, kind, args: [] };
  }
  const called = node.type === 'TABLE_FUNCTION' ? nodeOf(node, 'function') : undefined;
  if (called === undefined) return undefined;
  const name = textOf(called, 'function_name').toLowerCase();
  const kind = names.table(name);
  if (kind === undefined) {
    if (pureTableFunctions.has(name)) return undefined;
    throw unknownTable(textOf(called, 'function_name'), names);
  }
  if (node.with_ordinality === 'WITH_ORDINALITY') {
    throw new QueryError(
      'bad_statement',
      `WITH ORDINALITY does not go with ${name}. Number the rows with row_number() OVER ().`,
    );
  }
  return { node, scope, name, kind, args: readArguments(name, kind, nodesOf(called, 'children')) };
}

function readArguments(name: string, kind: TableKind, values: readonly Node[]): NamedArgument[] {
  const args: NamedArgument[] = [];
  for (const given of values) {
    const { written, value } = nameAndValue(given, kind);
    const known =
      written === '' ? positionalName(name, kind) : knownName(name, written, kind.arguments);
    if (args.some((arg) => arg.name === known)) {
      throw new QueryError('bad_argument', `${name}: ${known} is given twice.`);
    }
    args.push({ name: known, value });
  }
  return args;
}

/** `period := 'x'` and `period => 'x'` carry the name as an alias; `period = 'x'` is a comparison. */
function nameAndValue(given: Node, kind: TableKind): { written: string; value: Node } {
  const alias = textOf(given, 'alias');
  const [left, right] = [nodeOf(given, 'left'), nodeOf(given, 'right')];
  if (alias !== '' || given.type !== 'COMPARE_EQUAL' || !left || !right) {
    return { written: alias, value: given };
  }
  const names = left.column_names;
  const [name] = Array.isArray(names) && names.length === 1 ? names : [];
  const isName = typeof name === 'string' && kind.arguments.includes(name.toLowerCase());
  return isName ? { written: name, value: right } : { written: '', value: given };
}

function positionalName(name: string, kind: TableKind): string {
  if (kind.positional !== undefined) return kind.positional;
  const [first] = kind.arguments;
  if (first === undefined) {
    throw new QueryError('bad_argument', `${name} takes no arguments: write FROM ${name}.`);
  }
  throw new QueryError(
    'bad_argument',
    `${name} takes its arguments by name, such as ${name}(${first} := ...). It takes: ${kind.arguments.join(', ')}.`,
  );
}

function knownName(table: string, written: string, known: readonly string[]): string {
  const found = known.find((name) => name.toLowerCase() === written.toLowerCase());
  if (found !== undefined) return found;
  if (known.length === 0) {
    throw new QueryError('bad_argument', `${table} takes no arguments: write FROM ${table}.`);
  }
  throw new QueryError(
    'bad_argument',
    `${table} has no argument ${quoted(written)}${suggestion(written, known)} It takes: ${known.join(', ')}.`,
  );
}

function unknownTable(name: string, names: Names): QueryError {
  const known = names.names();
  const reason = /[./\\:*]/.test(name)
    ? ': files and addresses cannot be read.'
    : suggestion(name, known);
  return new QueryError(
    'unknown_table',
    `There is no table ${quoted(name)}${reason} The tables: ${known.join(', ')}.`,
  );
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '.' : `; did you mean ${near}?`;
}
