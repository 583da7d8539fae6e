import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/core/nearest.ts';

const known = ['from', 'to', 'id', 'period', 'shop_id', 'location_id', 'is_paid', 'limit', 'q'];

describe('nearest', () => {
  test.each([
    ['form', 'from'],
    ['shopid', 'shop_id'],
    ['Shop ID', 'shop_id'],
    ['shop-id', 'shop_id'],
    ['locationid', 'location_id'],
    ['location', 'location_id'],
    ['paid', 'is_paid'],
    ['limti', 'limit'],
    ['peroid', 'period'],
    ['limits', 'limit'],
  ])('takes %j for %s', (name, meant) => {
    expect(nearest(name, known)).toBe(meant);
  });

  test.each([
    ['colour', known],
    ['customer_reference', known],
    ['zz', known],
    ['x', known],
    ['', known],
    ['from', []],
  ])('finds nothing near %j', (name, names) => {
    expect(nearest(name, names)).toBeUndefined();
  });

  test('takes the continuation of what was typed, of three letters or more', () => {
    expect(nearest('payment', ['list_payment_methods', 'get_me'])).toBe('list_payment_methods');
    expect(nearest('pa', ['list_payment_methods', 'get_me'])).toBeUndefined();
  });

  test('compares no text that is far too long to be a slip', () => {
    expect(nearest('x'.repeat(201), ['x'.repeat(200)])).toBeUndefined();
    expect(nearest('x'.repeat(200), ['x'.repeat(200)])).toBe('x'.repeat(200));
  });
});
