import { listFirst } from '../../core/text.ts';
import type { Warning } from '../../core/warning.ts';
import type { Row } from './rows.ts';

/** Columns of a row with whole numbers that JSON's readers round: their last digits are not the platform's. */
export function inexactColumns(row: Row): string[] {
  const isInexact = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);
  return Object.keys(row).filter((column) => isInexact(row[column]));
}

/** What to know of such columns; nothing where there are none. */
export function sayInexact(columns: readonly string[], where = ''): Warning[] {
  if (columns.length === 0) return [];
  const text = `${where}${listFirst(columns, 5)} holds whole numbers beyond 9007199254740991, whose last digits may differ from the platform's.`;
  return [{ code: 'inexact_numbers', text }];
}
