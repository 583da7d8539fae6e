import type { TypeHints } from '../../../query/provider.ts';
import type { ColumnType } from '../../rows/column-profile.ts';
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

type Fields = { [name: string]: string | Fields };

/**
 * Types by column for a table that came without rows or without values: dotted names become the
 * fields of the objects that they came from.
 */
export function columnTypes(columns: readonly KnownColumn[]): TypeHints {
  const fields: Fields = {};
  for (const { name, type } of columns) place(fields, name.split('.'), words[type]);
  return fields;
}

function place(fields: Fields, [name = '', ...rest]: string[], type: string): void {
  const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (rest.length === 0) {
    fields[name] = known ?? type;
    return;
  }
  const inner: Fields = typeof known === 'object' ? known : {};
  fields[name] = inner;
  place(inner, rest, type);
}
