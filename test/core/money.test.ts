import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percent, plain, sum, toDecimal } from '../../src/core/money.ts';

function decimal(value: unknown) {
  return toDecimal(value) ?? expect.unreachable(`${value} is a number`);
}

describe('toDecimal', () => {
  test.each([
    [12.5, '12.5'],
    [-0.01, '-0.01'],
    [0, '0'],
    ['12.50', '12.5'],
    ['-3', '-3'],
    ['0.10', '0.1'],
    ['12345678901234567.89', '12345678901234567.89'],
  ])('reads %j as %s', (value, digits) => {
    expect(toDecimal(value)?.toString()).toBe(digits);
  });

  test.each([
    ...['', ' ', '12,50', '1.234,50', '1e3', '0031', '0x10', '.5', '5.', '+5', '€ 5', '5 '],
    ...[true, false, null, undefined, [5], {}, Number.NaN, Number.POSITIVE_INFINITY],
  ])('takes %j for no number', (value) => {
    expect(toDecimal(value)).toBeUndefined();
  });
});

/** Amounts in whole cents and the JSON values that stand for them. */
const cents = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
function euros(amount: bigint): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

describe('sum', () => {
  test('adds amounts that no double can hold', () => {
    expect(plain(sum([1.005, 1.005]))).toBe(2.01);
    expect(plain(sum(['9007199254740993.01', 0.01]))).toBe('9007199254740993.02');
    expect(plain(sum([1e15, 0.01, -1e15]))).toBe(0.01);
    expect(plain(sum(['0.1000000000000000055']))).toBe('0.1000000000000000055');
    expect(sum([1e30, 1e-20]).toFixed()).toBe(
      '1000000000000000000000000000000.00000000000000000001',
    );
  });

  test('agrees with whole cents, whether they come as numbers or as texts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cents, fc.boolean()), { maxLength: 50 }), (amounts) => {
        const values = amounts.map(([amount, asText]) =>
          asText ? euros(amount) : Number(euros(amount)),
        );
        const total = amounts.reduce((before, [amount]) => before + amount, 0n);
        expect(sum(values).times(100).toFixed()).toBe(String(total));
      }),
    );
  });
});

describe('percent', () => {
  test.each([
    [0, 100, -100],
    [100, 100, 0],
    [-50, 100, -150],
    [100.125, 100, 0.13],
    [99.875, 100, -0.13],
  ])('of %d against %d is %d', (current, reference, expected) => {
    const found = percent(decimal(current), decimal(reference));
    expect(found && plain(found)).toBe(expected);
  });

  test.each([0, -0, -100])('of anything against %d is null', (reference) => {
    expect(percent(decimal(5), decimal(reference))).toBeNull();
  });
});

describe('plain', () => {
  test.each([
    ['12.50', 12.5],
    ['-0.01', -0.01],
    ['12345678901234567.89', '12345678901234567.89'],
    ['9007199254740993', '9007199254740993'],
    ['0.000000000000000000000000000001', 1e-30],
  ])('gives %s as %j', (digits, expected) => {
    expect(plain(decimal(digits))).toBe(expected);
  });
});
