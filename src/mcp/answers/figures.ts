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
  let most = 0;
  for (const value of values) {
    if (isNumeric(value)) most = Math.max(most, placesOf(value));
    if (most > 2) return undefined;
  }
  return most === 0 ? undefined : withTwoPlaces;
}

/** The sign, the digits and those behind the point, of a number that is written without exponent. */
const written = /^(-?)(\d+)(?:\.(\d*?)0*)?$/;

/** Whether a number is one of whole cents; not told of one that is too large to tell. */
function isOfCents(value: number | string): value is number {
  return (
    typeof value === 'number' && Math.abs(value) < 1e13 && Math.round(value * 100) / 100 === value
  );
}

/** Decimals that are not zeros at the end, 2 for one of them. Read off its digits where they are all there. */
function placesOf(value: number | string): number {
  if (isOfCents(value)) return Number.isInteger(value) ? 0 : 2;
  const [isWritten, , , decimals = ''] = written.exec(String(value)) ?? [];
  return isWritten === undefined ? (toDecimal(value)?.decimalPlaces() ?? 0) : decimals.length;
}

function withTwoPlaces(value: number | string): string {
  if (isOfCents(value)) return value.toFixed(2);
  const [isWritten, sign = '', whole = '', decimals = ''] = written.exec(String(value)) ?? [];
  if (isWritten === undefined) return toDecimal(value)?.toFixed(2) ?? String(value);
  const digits = `${whole}.${decimals.padEnd(2, '0')}`;
  return /[1-9]/.test(digits) ? sign + digits : digits;
}

/**
 * The figures of a column as {@link figureWriter} writes them; none for what stays as it came. In
 * rows that name their `measure`, counts and shares are not written like the amounts around them.
 */
export function writeFigures(
  name: string,
  values: readonly unknown[],
  rows: readonly Row[],
): (string | undefined)[] {
  const amounts = rows.some(({ measure }) => (measure ?? '') !== '')
    ? values.map((value, index) => (isOfAmounts(rows[index]) ? value : undefined))
    : values;
  const write = figureWriter(name, amounts);
  return write ? amounts.map((value) => (isNumeric(value) ? write(value) : undefined)) : [];
}

function isOfAmounts(row: Row | undefined): boolean {
  const measure = String(row?.measure ?? '');
  return !isShare.test(measure) && !isCount.test(measure);
}
