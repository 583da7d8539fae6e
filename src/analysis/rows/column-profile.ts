import { isIdentifier } from '../../core/column-name.ts';
import { plain, sum } from '../../core/money.ts';
import { type ColumnType, columnType, isOfNumbers, isOfTimes, orderOf } from './column-type.ts';
import { type Columns, cellText, isEmptyCell } from './rows.ts';

/** What a column holds, in few words; a key that says nothing about this column is left out. */
export interface ColumnProfile {
  /** Dotted where the column is nested. */
  name: string;
  type: ColumnType;
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
  const type = columnType(filled);
  if (type === 'empty') return { name, type };
  const empty = cells.length - filled.length;
  const isAmount = isOfNumbers(type) && !isIdentifier(name);
  // Whole numbers may be flags or grades: few of them are worth counting as well.
  const counts = isAmount && type === 'decimal' ? undefined : countTexts(filled);
  const values = counts && type !== 'nested' ? listed(counts, filled.length) : undefined;
  return {
    name,
    type,
    ...(isAmount && { sum: plain(sum(filled)) }),
    ...((isAmount || isOfTimes(type)) && range(filled, orderOf(type))),
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
function range(cells: readonly unknown[], keyOf: ReturnType<typeof orderOf>) {
  const isScalar = (cell: unknown) => typeof cell === 'number' || typeof cell === 'string';
  const keyed = cells.filter(isScalar).map((cell) => ({ cell, key: keyOf(cell) }));
  const { cell: min } = keyed.reduce((least, it) => (it.key < least.key ? it : least));
  const { cell: max } = keyed.reduce((most, it) => (it.key > most.key ? it : most));
  return { min, max };
}
