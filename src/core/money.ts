/**
 * Exact arithmetic over decimal euros (docs/platform.md#money). Amounts are added up, never rounded; an amount without
 * VAT is never computed from the one with VAT.
 */
import { Decimal as DecimalJs } from 'decimal.js';

// With 60 digits no sum of amounts is rounded. Percentages are: halves go away from zero.
const Exact = DecimalJs.clone({
  defaults: true,
  precision: 60,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
});

/** Up to 60 digits; immutable. */
export type Decimal = DecimalJs;

export const zero: Decimal = new Exact(0);

/**
 * Reads a number, or a text that is one plainly (`12.50`, `-3`). Undefined for anything else, such as `''`, `true`,
 * `1e3`, `1.234,50` and codes such as `0031`.
 */
export function toDecimal(value: unknown): Decimal | undefined {
  return isNumeric(value) ? new Exact(value) : undefined;
}

/** Whether {@link toDecimal} gives a number. */
export function isNumeric(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && value.length <= 40 && plainNumber.test(value);
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The exact sum, fast over many values; those that are no numbers are skipped. */
export function sum(values: Iterable<unknown>): Decimal {
  let otherAmounts = zero;
  let cents = 0;
  for (const value of values) {
    if (!isNumeric(value)) continue;
    const number = Number(value);
    const added = Math.round(number * 100);
    // Doubles tell decimals of up to 15 digits apart, so whole cents can be added as such.
    const isExact = typeof value === 'number' || value.length <= 15;
    const isSmall = Math.max(Math.abs(added), Math.abs(cents)) < 1e14;
    if (isExact && isSmall && added / 100 === number) cents += added;
    else otherAmounts = otherAmounts.plus(value);
  }
  return otherAmounts.plus(new Exact(cents).div(100));
}

/** The difference as a percentage of the reference, to two decimals. Null for a reference of zero or less. */
export function percent(current: Decimal, reference: Decimal): Decimal | null {
  if (reference.lte(0)) return null;
  return current.minus(reference).div(reference).times(100).toDecimalPlaces(2);
}

/** For JSON: a number if a double holds it exactly, else its digits as text. */
export function plain(value: Decimal): number | string {
  // `|| 0` turns -0 into 0.
  const number = value.toNumber() || 0;
  return Number.isFinite(number) && value.eq(number) ? number : value.toFixed();
}

/** How many decimals a number is written with; 0 for anything else. */
export function decimalsOf(value: unknown): number {
  return isNumeric(value) ? (String(value).split('.')[1]?.length ?? 0) : 0;
}

/** For people: `4,498.18`, with more decimals if the amount has them. */
export function sayAmount(value: Decimal): string {
  const digits = value.toFixed(Math.max(2, value.decimalPlaces()));
  return digits.replace(/\d(?=(\d{3})+\.)/g, '$&,');
}
