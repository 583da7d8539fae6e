import type { ColumnType } from '../rows/column-type.ts';
import type { KnownColumn } from './column-knowledge.ts';

/** DuckDB's words for what a column holds. */
const words: Readonly<Record<ColumnType, string>> = {
  integer: 'BIGINT',
  decimal: 'DECIMAL(18,2)',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMPTZ',
  day: 'DATE',
  mixed: 'VARCHAR',
  empty: 'VARCHAR',
  nested: 'JSON',
};

type Fields = Map<string, ColumnType | Fields>;

/**
 * Types by column for a table that came without rows or without values: dotted names become the
 * objects that they came from, `address STRUCT("city" VARCHAR)`.
 */
export function columnTypes(columns: readonly KnownColumn[]): Record<string, string> {
  const fields: Fields = new Map();
  for (const { name, type } of columns) place(fields, name.split('.'), type);
  return Object.fromEntries([...fields].map(([name, inner]) => [name, typeOf(inner)]));
}

function place(fields: Fields, [name = '', ...rest]: string[], type: ColumnType): void {
  if (rest.length === 0) {
    if (!fields.has(name)) fields.set(name, type);
    return;
  }
  const known = fields.get(name);
  const inner: Fields = known instanceof Map ? known : new Map();
  fields.set(name, inner);
  place(inner, rest, type);
}

function typeOf(field: ColumnType | Fields): string {
  if (!(field instanceof Map)) return words[field];
  const members = [...field].map(
    ([name, inner]) => `"${name.replaceAll('"', '""')}" ${typeOf(inner)}`,
  );
  return `STRUCT(${members.join(', ')})`;
}
