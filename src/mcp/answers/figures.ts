import { isNumeric, toDecimal } from '../../core/money.ts';

/** Names whose figures are no amounts, however many decimals they have. */
const isShare = /percent|ratio|share|rate$/i;

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
