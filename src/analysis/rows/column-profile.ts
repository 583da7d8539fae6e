import { createSum, isNumeric, plain, toDecimal } from '../../core/money.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { cellText, isEmptyCell, type Row, readColumns } from './rows.ts';

/** What the cells of a column are; `mixed` when of several kinds, `nested` for lists and objects. */
export type ProfileType =
  | 'integer'
  | 'decimal'
  | 'text'
  | 'boolean'
  | 'timestamp'
  | 'day'
  | 'mixed'
  | 'empty'
  | 'nested';

/** What a column holds, in few words; a key that says nothing about this column is left out. */
export interface ColumnProfile {
  /** Dotted where the column is nested. */
  name: string;
  type: ProfileType;
  /** Of amounts and quantities: exact; a text where no JSON number holds it. */
  sum?: number | string;
  /** Of amounts, quantities and times, as given. */
  min?: number | string;
  max?: number | string;
  /** How often each value occurs, most frequent first (numbers in order), where there are few. */
  values?: Record<string, number>;
  /** How many different values there are, where they are not listed. */
  distinct?: number;
  /** How many rows have no value; left out when all have one. */
  empty?: number;
}

const maxColumns = 80;
const maxListedValues = 12;
const maxListedLength = 40;
/** Characters that all listed values together may take. */
const listBudget = 3000;

/** Whether a column's numbers are names (`id`, `shop_id`, `order_number`): there is nothing to add up. */
export function isIdentifier(column: string): boolean {
  return /(^|[._])id$|_number$/.test(column);
}

/**
 * What each of the first 80 columns holds (docs/answers.md): amounts and quantities with their exact
 * sum, columns of at most 12 values that repeat with how often each occurs, the rest with how many differ.
 */
export function profileColumns(rows: readonly Row[]): ColumnProfile[] {
  let budget = listBudget;
  const columns = [...readColumns(rows)].slice(0, maxColumns);
  return columns.map(([name, cells]): ColumnProfile => {
    const { values, ...profile } = profileColumn(name, cells);
    if (!values) return profile;
    const length = JSON.stringify(values).length;
    if (length > budget) return { ...profile, distinct: Object.keys(values).length };
    budget -= length;
    return { ...profile, values };
  });
}

function profileColumn(name: string, cells: readonly unknown[]): ColumnProfile {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  const type = columnType(filled);
  if (type === 'empty') return { name, type };
  const empty = cells.length - filled.length;
  return {
    name,
    type,
    ...(/integer|decimal/.test(type) && !isIdentifier(name)
      ? amounts(filled, type)
      : occurrences(filled, type)),
    ...(/timestamp|day/.test(type) && range(filled, (cell) => readTimestamp(cell)?.ms)),
    ...(empty > 0 && { empty }),
  };
}

function amounts(filled: readonly unknown[], type: ProfileType): Partial<ColumnProfile> {
  const total = createSum();
  for (const cell of filled) total.add(cell);
  const found = { sum: plain(total.total()), ...range(filled, (cell) => cell) };
  // Whole numbers may be flags or grades: few of them are worth counting as well.
  const values =
    type === 'integer' ? listed(tally(filled, maxListedValues), filled.length) : undefined;
  return values ? { ...found, values } : found;
}

function occurrences(filled: readonly unknown[], type: ProfileType): Partial<ColumnProfile> {
  const counts = tally(filled);
  const values = type === 'nested' ? undefined : listed(counts, filled.length);
  return values ? { values } : { distinct: counts.size };
}

/** How often each value occurs; it may stop once there are more than `enough` of them. */
function tally(filled: readonly unknown[], enough = Number.POSITIVE_INFINITY): Map<string, number> {
  const counts = new Map<string, number>();
  for (const cell of filled) {
    const text = cellText(cell);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (counts.size > enough) break;
  }
  return counts;
}

/** The counts as a short list, or undefined where they are many, long, or nothing repeats. */
function listed(counts: Map<string, number>, cells: number): Record<string, number> | undefined {
  if (counts.size > maxListedValues || counts.size === cells) return undefined;
  const entries = [...counts].sort(([, a], [, b]) => b - a);
  const isShort = entries.every(([text]) => text.length <= maxListedLength);
  return isShort ? Object.fromEntries(entries) : undefined;
}

/** The least and the greatest of numbers or times, as given. */
function range(
  cells: readonly unknown[],
  keyOf: (cell: unknown) => unknown,
): Partial<Pick<ColumnProfile, 'min' | 'max'>> {
  let least: { key: number | string; cell: unknown } | undefined;
  let greatest = least;
  for (const cell of cells) {
    const key = keyOf(cell);
    if (!isNumeric(key)) continue;
    if (!least || compareNumbers(key, least.key) < 0) least = { key, cell };
    if (!greatest || compareNumbers(key, greatest.key) > 0) greatest = { key, cell };
  }
  const [min, max] = [least?.cell, greatest?.cell];
  return isGiven(min) && isGiven(max) ? { min, max } : {};
}

function isGiven(cell: unknown): cell is number | string {
  return typeof cell === 'number' || typeof cell === 'string';
}

/**
 * The type of a column from the cells that hold something. Texts of several looks are text; only with
 * numbers, objects or true and false is a column mixed.
 */
function columnType(filled: readonly unknown[]): ProfileType {
  const types = new Set<CellType>();
  for (const cell of filled) {
    // One plain text makes texts of all the others: what they look like no longer matters.
    if (typeof cell !== 'string' || !types.has('text')) types.add(typeOfCell(cell));
  }
  const hasDigits = types.delete('digits');
  const isOnly = (...allowed: CellType[]) => [...types].every((type) => allowed.includes(type));
  if (types.size === 0) return hasDigits ? 'text' : 'empty';
  if (isOnly('integer')) return 'integer';
  if (isOnly('integer', 'decimal')) return 'decimal';
  if (filled.every((cell) => typeof cell === 'string')) {
    if (hasDigits || !isOnly('day', 'timestamp')) return 'text';
    return isOnly('day') ? 'day' : 'timestamp';
  }
  if (!hasDigits && isOnly('boolean')) return 'boolean';
  return !hasDigits && isOnly('nested') ? 'nested' : 'mixed';
}

/** Text of digits alone is an amount among true numbers, and else a code. */
type CellType = ProfileType | 'digits';

function typeOfCell(cell: unknown): CellType {
  if (typeof cell === 'number') return Number.isInteger(cell) ? 'integer' : 'decimal';
  if (typeof cell === 'boolean') return 'boolean';
  if (typeof cell !== 'string') return 'nested';
  if (isNumeric(cell)) return cell.includes('.') ? 'decimal' : 'digits';
  const moment = readTimestamp(cell);
  if (!moment) return 'text';
  return moment.hasTime ? 'timestamp' : 'day';
}

/** Orders numbers, and texts that write a number, exactly: also where no double holds them. */
export function compareNumbers(a: number | string, b: number | string): number {
  const rough = Number(a) - Number(b);
  if (rough !== 0 || (typeof a === 'number' && typeof b === 'number')) return Math.sign(rough);
  const [exactA, exactB] = [toDecimal(a), toDecimal(b)];
  return exactA && exactB ? exactA.comparedTo(exactB) : 0;
}
