import { isNumeric, plain, sum, toDecimal } from '../../core/money.ts';
import { readTimestamp } from '../../core/timestamps.ts';
import { type Columns, cellText, isEmptyCell } from './rows.ts';

/** What a column holds, in few words; a key that says nothing about this column is left out. */
export interface ColumnProfile {
  /** Dotted where the column is nested. */
  name: string;
  /** `mixed` when cells are of several kinds, `nested` for lists and objects. */
  type: ReturnType<typeof typeOf>;
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
export function profileColumns(columns: Columns): ColumnProfile[] {
  let budget = listBudget;
  return [...columns].slice(0, maxColumns).map(([name, cells]) => {
    const profile = profileColumn(name, cells);
    const { values, ...others } = profile;
    if (values === undefined) return profile;
    budget -= JSON.stringify(values).length;
    return budget >= 0 ? profile : { ...others, distinct: Object.keys(values).length };
  });
}

function profileColumn(name: string, cells: readonly unknown[]): ColumnProfile {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  const type = typeOf(filled);
  if (type === 'empty') return { name, type };
  const empty = cells.length - filled.length;
  const isTime = type === 'timestamp' || type === 'day';
  const isAmount = (type === 'integer' || type === 'decimal') && !isIdentifier(name);
  // Whole numbers may be flags or grades: few of them are worth counting as well.
  const counts = isAmount && type === 'decimal' ? undefined : countTexts(filled);
  const values = counts && type !== 'nested' ? listed(counts, filled.length) : undefined;
  return {
    name,
    type,
    ...(isAmount && { sum: plain(sum(filled)), ...range(filled, (cell) => cell) }),
    ...(isTime && range(filled, (cell) => readTimestamp(cell)?.ms)),
    ...(values ? { values } : counts && !isAmount && { distinct: counts.size }),
    ...(empty > 0 && { empty }),
  };
}

function countTexts(filled: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of filled.map(cellText)) counts.set(text, (counts.get(text) ?? 0) + 1);
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
): Pick<ColumnProfile, 'min' | 'max'> {
  let [min, max]: { key: number | string; cell: number | string }[] = [];
  for (const cell of cells) {
    const key = keyOf(cell);
    if (!isNumeric(key) || (typeof cell !== 'number' && typeof cell !== 'string')) continue;
    if (!min || compareNumbers(key, min.key) < 0) min = { key, cell };
    if (!max || compareNumbers(key, max.key) > 0) max = { key, cell };
  }
  return min && max ? { min: min.cell, max: max.cell } : {};
}

/** The type of a column from its filled cells. */
function typeOf(filled: readonly unknown[]) {
  const are = (is: (cell: unknown) => boolean) => filled.every(is);
  if (filled.length === 0) return 'empty';
  if (are(isNumeric)) {
    if (!are((cell) => Number.isInteger(Number(cell)) && !String(cell).includes('.')))
      return 'decimal';
    // Texts of digits are amounts among true numbers, and else codes.
    return are(isText) ? 'text' : 'integer';
  }
  if (are(isText)) {
    if (!are((cell) => readTimestamp(cell) !== undefined)) return 'text';
    return are((cell) => readTimestamp(cell)?.hasTime === false) ? 'day' : 'timestamp';
  }
  if (are((cell) => typeof cell === 'boolean')) return 'boolean';
  return are((cell) => typeof cell === 'object') ? 'nested' : 'mixed';
}

function isText(cell: unknown): cell is string {
  return typeof cell === 'string';
}

/** Orders numbers, and texts that write a number, exactly: also where no double holds them. */
export function compareNumbers(a: number | string, b: number | string): number {
  const rough = Number(a) - Number(b);
  if (rough !== 0 || (typeof a === 'number' && typeof b === 'number')) return Math.sign(rough);
  const [exactA, exactB] = [toDecimal(a), toDecimal(b)];
  return exactA && exactB ? exactA.comparedTo(exactB) : 0;
}
