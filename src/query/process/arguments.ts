/** The names of tables and of their arguments where they stand in FROM. */
import { nearest } from '../../core/nearest.ts';
import { quoted } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import type { Tables } from '../messages.ts';
import type { TableKind } from '../provider.ts';
import { type Node, nodeOf, nodesOf, textOf } from './tree.ts';

/** The values of a call by the names of its arguments. @throws {QueryError} for arguments that the table lacks */
export function argumentsOf(table: string, kind: TableKind, reference: Node): Map<string, Node> {
  if (reference.with_ordinality === 'WITH_ORDINALITY') {
    throw new QueryError(
      'bad_statement',
      `WITH ORDINALITY does not go with ${table}. Number the rows with row_number() OVER ().`,
    );
  }
  const known = namesOf(kind);
  const takes = `It takes: ${known.join(', ')}.`;
  const args = new Map<string, Node>();
  for (const value of nodesOf(nodeOf(reference, 'function'), 'children')) {
    const written = textOf(value, 'alias');
    const positional = kind.kind === 'calls' && written === '' ? kind.positional : undefined;
    const name = positional ?? known.find((it) => it.toLowerCase() === written.toLowerCase());
    if (name !== undefined && !args.has(name)) args.set(name, value);
    else if (name !== undefined)
      throw new QueryError('bad_argument', `${table}: ${name} is given twice.`);
    else if (known.length === 0)
      throw new QueryError('bad_argument', `${table} takes no arguments: write FROM ${table}.`);
    else if (written === '') {
      const form = `${table}(${known[0]} := ...)`;
      throw new QueryError(
        'bad_argument',
        `${table} takes its arguments by name, such as ${form}. ${takes}`,
      );
    } else {
      const said = `${table} has no argument ${quoted(written)}${suggestion(written, known)}`;
      throw new QueryError('bad_argument', `${said} ${takes}`);
    }
  }
  return args;
}

function namesOf(kind: TableKind): readonly string[] {
  if (kind.kind === 'view') return Object.keys(kind.parameters);
  return kind.kind === 'calls' ? kind.arguments : [];
}

/** A name in FROM that is no table. */
export function unknownTable(name: string, tables: Tables): QueryError {
  const known = [...tables.keys()];
  const isPlace = /[./\\:*]/.test(name);
  const reason = isPlace ? ': files and addresses cannot be read.' : suggestion(name, known);
  return new QueryError(
    'unknown_table',
    `There is no table ${quoted(name)}${reason} The tables: ${known.join(', ')}.`,
  );
}

function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '.' : `; did you mean ${near}?`;
}
