import type { Row } from '../../analysis/rows/rows.ts';
import { isNumeric, toDecimal } from '../../core/money.ts';

/** Names whose figures are no amounts, however many decimals they have. */
const isShare = /percent|ratio|share|rate$/i;

/** Measures that are no amounts either, in a column that holds figures of several measures. */
const isCount = /count$|quantity$/i;

/** Writes one figure of a column. */
export type FigureWriter = (value: number | string) => string;

/**
 * How the figures of a column are written for a reader: amounts with two decimals in every row, so
 * that they stand alike. Amounts are columns in which some figure has decimals and none more than two;
 * everything else stays as it came. Undefined where nothing is to be changed. Nothing is rounded.
 */
export function figureWriter(name: string, values: readonly unknown[]): FigureWriter | undefined {
  if (isShare.test(name)) return undefined;
  const places = values.filter(isNumeric).map((value) => toDecimal(value)?.decimalPlaces() ?? 0);
  const most = Math.max(0, ...places);
  if (most === 0 || most > 2) return undefined;
  return (value) => toDecimal(value)?.toFixed(2) ?? String(value);
}

/**
 * The figures of a column as {@link figureWriter} writes them; undefined for what stays as it came. In
 * rows that name their `measure`, counts and shares are not written like the amounts around them.
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  rows: readonly Row[],
): (string | undefined)[] {
  const isAmount = values.map((value, index) => {
    const measure = String(rows[index]?.measure ?? '');
    return isNumeric(value) && !isShare.test(measure) && !isCount.test(measure);
  });
  const write = figureWriter(
    name,
    values.filter((_, index) => isAmount[index]),
  );
  return values.map((value, index) =>
    write && isAmount[index] && isNumeric(value) ? write(value) : undefined,
  );
}
