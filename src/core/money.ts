/**
 * Exact arithmetic over amounts as the platform gives them, decimal euros (docs/platform.md#money). Values
 * are passed on or added up, never rounded; no side of VAT is ever derived from the other.
 */
import { Decimal as DecimalJs } from 'decimal.js';

// Wide enough that no sum of amounts is ever rounded; what is rounded, halves go away from zero.
const Exact = DecimalJs.clone({
  defaults: true,
  precision: 60,
  rounding: DecimalJs.ROUND_HALF_UP,
  toExpNeg: -60,
  toExpPos: 60,
});

/** A decimal number of up to 60 digits; immutable. */
export type Decimal = DecimalJs;

/** Nothing, to add to. */
export const zero: Decimal = new Exact(0);

/**
 * The number that a JSON value is: a number, or a text that writes one plainly (`12.50`, `-3`).
 * Undefined for anything else, so for `''`, `true`, `1e3`, `1.234,50` and codes such as `0031`.
 */
export function toDecimal(value: unknown): Decimal | undefined {
  return isNumeric(value) ? new Exact(value) : undefined;
}

/** Whether {@link toDecimal} finds a number in the value. */
export function isNumeric(value: unknown): value is number | string {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && value.length <= 40 && plainNumber.test(value);
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The exact sum of the values, and quick over many; what is not a number counts as nothing. */
export function sum(values: Iterable<unknown>): Decimal {
  let rest = zero;
  let cents = 0;
  for (const value of values) {
    if (!isNumeric(value)) continue;
    const number = Number(value);
    const added = Math.round(number * 100);
    // Decimals of up to 15 digits each have a double of their own: within that, cents are exact.
    const isExact = typeof value === 'number' || value.length <= 15;
    const isSmall = Math.max(Math.abs(added), Math.abs(cents)) < 1e14;
    if (isExact && isSmall && added / 100 === number) cents += added;
    else rest = rest.plus(value);
  }
  return rest.plus(new Exact(cents).div(100));
}

/**
 * The difference as a percentage of the reference, to two decimals, halves away from zero. Null where the reference is
 * zero or negative: nothing can be so many percent of that.
 */
export function percent(current: Decimal, reference: Decimal): Decimal | null {
  if (reference.lte(0)) return null;
  return current.minus(reference).div(reference).times(100).toDecimalPlaces(2);
}

/** The decimal for JSON: a number where that is exactly the decimal, else its digits as text. */
export function plain(value: Decimal): number | string {
  // `|| 0` turns -0 into 0.
  const number = value.toNumber() || 0;
  return Number.isFinite(number) && value.eq(number) ? number : value.toFixed();
}

/** How many decimals the number that a value is is written with; none of anything else. */
export function decimalsOf(value: unknown): number {
  return isNumeric(value) ? (String(value).split('.')[1]?.length ?? 0) : 0;
}

/** An amount as people read it, with two decimals or as many as it has: `4,498.18`. */
export function sayAmount(value: Decimal): string {
  const digits = value.toFixed(Math.max(2, value.decimalPlaces()));
  return digits.replace(/\d(?=(\d{3})+\.)/g, '$&,');
}
