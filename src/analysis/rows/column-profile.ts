import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { isIdentifier } from '../../core/column-name.ts';
import {
  type ColumnType,
  cellText,
  columnType,
  isEmptyCell,
  isNumberType,
  isTimeType,
  orderOf,
} from '../../core/column-type.ts';
import { plain, sum } from '../../core/money.ts';
import { type Columns, columnReader, type Row } from './rows.ts';

const number = z.union([z.number(), z.string()]).exactOptional();

export const columnProfile = z.object({
  /** Dotted where the column is nested. */
  name: z.string(),
  /** Open, since a later version may have others. */
  type: z.string() as z.ZodType<ColumnType>,
  /** The exact sum of amounts and quantities; a text where no JSON number holds it. */
  sum: number,
  /** For amounts, quantities and times. */
  min: number,
  max: number,
  /** How often each value occurs, most frequent first (numbers sorted), where there are few. */
  values: z.record(z.string(), z.int()).exactOptional(),
  distinct: z.int().exactOptional(),
  empty: z.int().exactOptional(),
});

/** Keys that do not apply to the column are left out. */
export type ColumnProfile = z.output<typeof columnProfile>;

export const maxProfiles = 80;
const maxListedValues = 12;
const maxListedLength = 40;
const listBudget = 3000;

/** Profiles the first 80 columns (docs/answers.md), one at a time, since a long column takes a while. */
export function* profileColumns(columns: Columns): Generator<ColumnProfile, void> {
  let budget = listBudget;
  for (const [name, cells] of [...columns].slice(0, maxProfiles)) {
    const profile = profileColumn(name, cells);
    const { values, ...others } = profile;
    if (values !== undefined) budget -= JSON.stringify(values).length;
    const isListed = values === undefined || budget >= 0;
    yield isListed ? profile : { ...others, distinct: Object.keys(values).length };
  }
}

function profileColumn(name: string, cells: readonly unknown[]): ColumnProfile {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  const type = columnType(filled, name);
  if (type === 'empty') return { name, type };
  const empty = cells.length - filled.length;
  const isAmount = isNumberType(type) && !isIdentifier(name);
  // Whole numbers may be flags or grades, so their values are counted too.
  const counts = isAmount && type === 'decimal' ? undefined : countTexts(filled);
  const values = counts && type !== 'nested' ? listCounts(counts, filled.length) : undefined;
  // Moments without an offset sort as texts, which is much faster than reading each.
  const isOfOneClock = type === 'timestamp' && !filled.some((cell) => zone.test(cellText(cell)));
  const keyOf = isOfOneClock ? cellText : orderOf(type);
  return {
    name,
    type,
    ...(isAmount && { sum: plain(sum(filled)) }),
    ...((isAmount || isTimeType(type)) && rangeOf(filled, keyOf)),
    ...(values ? { values } : counts && !isAmount && { distinct: counts.size }),
    ...(empty > 0 && { empty }),
  };
}

const zone = /(Z|[+-]\d\d(:?\d\d)?)$/i;

function countTexts(filled: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of filled.map(cellText)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function listCounts(
  counts: Map<string, number>,
  cells: number,
): Record<string, number> | undefined {
  if (counts.size > maxListedValues || counts.size === cells) return undefined;
  const entries = [...counts].sort(([, a], [, b]) => b - a);
  const isShort = entries.every(([text]) => text.length <= maxListedLength);
  return isShort ? Object.fromEntries(entries) : undefined;
}

function rangeOf(cells: readonly unknown[], keyOf: ReturnType<typeof orderOf>) {
  let [min, max]: (number | string)[] = [];
  let [minKey, maxKey]: (number | string)[] = [];
  for (const cell of cells) {
    if (typeof cell !== 'number' && typeof cell !== 'string') continue;
    const key = keyOf(cell);
    if (minKey === undefined || key < minKey) [min, minKey] = [cell, key];
    if (maxKey === undefined || key > maxKey) [max, maxKey] = [cell, key];
  }
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

/** The columns of rows; others are served while it reads. @param max as in {@link columnReader} */
export async function readColumnsInTurns(rows: readonly Row[], max?: number): Promise<Columns> {
  const reading = columnReader(rows, max);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await setImmediate();
  }
}
