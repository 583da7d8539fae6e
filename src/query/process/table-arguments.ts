/** The arguments of a table where it stands in FROM. */
import { nearest } from '../../core/nearest.ts';
import { quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

export interface NamedArgument {
  name: string;
  value: Node;
  /** Where the sign of the old form `period = 'x'` is, which needs a colon. */
  old?: number;
}

/** @throws {QueryError} for arguments that the table lacks */
export function argumentsOf(name: string, kind: TableKind, table: Node): NamedArgument[] {
  if (table.with_ordinality === 'WITH_ORDINALITY') {
    throw new QueryError(
      'bad_statement',
      `WITH ORDINALITY does not go with ${name}. Number the rows with row_number() OVER ().`,
    );
  }
  const known = knownArguments(kind);
  const args: NamedArgument[] = [];
  for (const given of nodesOf(nodeOf(table, 'function'), 'children')) {
    const { written, ...rest } = nameAndValue(given, known);
    const found =
      written === '' ? positionalName(name, kind, known) : knownName(name, written, known);
    if (args.some((arg) => arg.name === found)) {
      throw new QueryError('bad_argument', `${name}: ${found} is given twice.`);
    }
    args.push({ name: found, ...rest });
  }
  return args;
}

/** The arguments that a table takes, in their order. */
export function knownArguments(kind: TableKind): readonly string[] {
  if (kind.kind === 'view') return Object.keys(kind.parameters);
  return kind.kind === 'calls' ? kind.arguments : [];
}

/** `period := 'x'` and `period => 'x'` carry the name as an alias; `period = 'x'` is a comparison. */
function nameAndValue(
  given: Node,
  known: readonly string[],
): { written: string; value: Node; old?: number } {
  const alias = textOf(given, 'alias');
  const [left, right] = [nodeOf(given, 'left'), nodeOf(given, 'right')];
  if (alias !== '' || given.type !== 'COMPARE_EQUAL' || !left || !right) {
    return { written: alias, value: given };
  }
  const names = left.column_names;
  const [name] = Array.isArray(names) && names.length === 1 ? names : [];
  const isName = typeof name === 'string' && known.includes(name.toLowerCase());
  if (!isName) return { written: '', value: given };
  return { written: name, value: right, old: Number(given.query_location) };
}

function positionalName(name: string, kind: TableKind, known: readonly string[]): string {
  if (kind.kind === 'calls' && kind.positional !== undefined) return kind.positional;
  const [first] = known;
  if (first === undefined) throw takesNone(name);
  throw new QueryError(
    'bad_argument',
    `${name} takes its arguments by name, such as ${name}(${first} := ...). It takes: ${known.join(', ')}.`,
  );
}

function knownName(table: string, written: string, known: readonly string[]): string {
  const found = known.find((name) => name.toLowerCase() === written.toLowerCase());
  if (found !== undefined) return found;
  if (known.length === 0) throw takesNone(table);
  throw new QueryError(
    'bad_argument',
    `${table} has no argument ${quoted(written)}${suggestion(written, known)} It takes: ${known.join(', ')}.`,
  );
}

function takesNone(name: string): QueryError {
  return new QueryError('bad_argument', `${name} takes no arguments: write FROM ${name}.`);
}

/** A name in FROM that is no table. */
export function unknownTable(name: string, tables: Tables): QueryError {
  const known = [...tables.keys()];
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
