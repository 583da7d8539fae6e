import { isNumeric, toDecimal } from '../../core/money.ts';

/** Names whose figures are no amounts, however many decimals they have. */
const isShare = /percent|ratio|share|rate$/i;

/** Measures that are no amounts either, in a column that holds figures of several measures. */
const isCount = /count$|quantity$/i;

/** Writes one figure of a column. */
export type FigureWriter = (value: number | string) => string;

/**
 * How the figures of a column are written for a reader: amounts with two decimals in every row.
 * Amounts are columns in which some figure has decimals and none more than two; undefined for
 * everything else, which stays as it came. Nothing is rounded.
 */
export function figureWriter(name: string, values: readonly unknown[]): FigureWriter | undefined {
  if (isShare.test(name)) return undefined;
  let most = 0;
  for (const value of values) {
    if (isNumeric(value)) most = Math.max(most, placesOf(value));
    if (most > 2) return undefined;
  }
  return most === 0 ? undefined : withTwoPlaces;
}

/**
 * The figures of a column as {@link figureWriter} writes them; none for what stays as it came.
 *
 * @param measures what each figure measures, in rows that say so: counts and shares are no amounts
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  measures: readonly unknown[] = [],
): (string | undefined)[] {
  const amounts = values.map((value, index) => (isOfAmounts(measures[index]) ? value : undefined));
  const write = figureWriter(name, amounts);
  return write ? amounts.map((value) => (isNumeric(value) ? write(value) : undefined)) : [];
}

function isOfAmounts(measure: unknown): boolean {
  return typeof measure !== 'string' || !(isShare.test(measure) || isCount.test(measure));
}

/** Whether a number is one of whole cents; larger ones are left to decimal arithmetic. */
function isOfCents(value: number | string): value is number {
  return (
    typeof value === 'number' && Math.abs(value) < 1e13 && Math.round(value * 100) / 100 === value
  );
}

function placesOf(value: number | string): number {
  if (isOfCents(value)) return Number.isInteger(value) ? 0 : 2;
  return toDecimal(value)?.decimalPlaces() ?? 0;
}

function withTwoPlaces(value: number | string): string {
  if (isOfCents(value)) return value.toFixed(2);
  return toDecimal(value)?.toFixed(2) ?? String(value);
}
