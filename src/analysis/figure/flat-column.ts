import { isNumeric } from '../../core/money.ts';

/** Two columns of which one cannot be seen beside the other. */
export interface FlatColumn {
  small: string;
  large: string;
  /** The largest value of each, regardless of sign. */
  smallSize: number;
  largeSize: number;
}

/** From here on the smaller one is less than two percent of the picture's height. */
const maxRatio = 50;

/**
 * The smallest and the largest column, where one scale cannot show both: orders beside euros, or
 * percentages beside either. Undefined where all of them can be seen.
 */
export function flatColumn(
  rows: readonly Readonly<Record<string, unknown>>[],
  measures: readonly string[],
): FlatColumn | undefined {
  const sizes = measures
    .map((measure) => ({ measure, size: sizeOf(rows.map((row) => row[measure])) }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => a.size - b.size);
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (!small || !large || large.size <= small.size * maxRatio) return undefined;
  return {
    small: small.measure,
    large: large.measure,
    smallSize: small.size,
    largeSize: large.size,
  };
}

function sizeOf(values: readonly unknown[]): number {
  let size = 0;
  for (const value of values) if (isNumeric(value)) size = Math.max(size, Math.abs(Number(value)));
  return size;
}
