/** The names of tables and of their arguments where they stand in FROM. */
import { nearest } from '../../core/nearest.ts';
import { quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

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
    : `${table} has no argument ${quoted(written)}${suggestion(written, known)} ${takes}`;
}

/** A name in FROM that is no table, or has a schema or a catalogue before it. */
export function unknownTable(name: string, tables: Tables): QueryError {
  const known = [...tables.keys()];
  const reason = /[./\\:*]/.test(name)
    ? ': tables stand in FROM by their names alone; files and addresses cannot be read.'
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
