import { isNumeric } from '../../core/money.ts';
import type { Moment } from '../../core/timestamps.ts';

/** What the cells of a column are; `mixed` when of several kinds, `nested` for lists and objects. */
export type ColumnType =
  | 'integer'
  | 'decimal'
  | 'text'
  | 'boolean'
  | 'timestamp'
  | 'day'
  | 'mixed'
  | 'empty'
  | 'nested';

/**
 * The type of a column from the cells that hold something. `readTime` reads a timestamp or a day.
 * Texts of several looks are text; only with numbers, objects or true and false is a column mixed.
 */
export function columnType(
  filled: readonly unknown[],
  readTime: (text: string) => Moment | undefined,
): ColumnType {
  const types = new Set<CellType>();
  for (const cell of filled) {
    // One plain text makes texts of all the others: what they look like no longer matters.
    if (typeof cell !== 'string' || !types.has('text')) types.add(typeOfCell(cell, readTime));
  }
  const hasDigits = types.delete('digits');
  const isOnly = (...allowed: CellType[]) => [...types].every((type) => allowed.includes(type));
  if (types.size === 0) return hasDigits ? 'text' : 'empty';
  if (isOnly('integer')) return 'integer';
  if (isOnly('integer', 'decimal')) return 'decimal';
  if (!hasDigits && isOnly('day')) return 'day';
  if (!hasDigits && isOnly('day', 'timestamp')) return 'timestamp';
  if (filled.every((cell) => typeof cell === 'string')) return 'text';
  if (!hasDigits && isOnly('boolean')) return 'boolean';
  return !hasDigits && isOnly('nested') ? 'nested' : 'mixed';
}

/** Text of digits alone is an amount beside true numbers, and else a code. */
type CellType = ColumnType | 'digits';

function typeOfCell(cell: unknown, readTime: (text: string) => Moment | undefined): CellType {
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'integer' : 'decimal';
  if (typeof cell === 'boolean') return 'boolean';
  if (typeof cell !== 'string') return 'nested';
  if (isNumeric(cell)) return cell.includes('.') ? 'decimal' : 'digits';
  const moment = readTime(cell);
  if (!moment) return 'text';
  return moment.hasTime ? 'timestamp' : 'day';
}
