import { describe, expect, test } from 'vitest';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import { World } from '../../../src/sandbox/world/world.ts';
import { now } from '../../server-over.ts';

const open = (seed: number) => new World({ seed, ordersPerDay: 60 }, () => now);
const world = open(1);
const year = world.orders('2025-11-20', '2026-11-19', { isInternal: 'any' });

describe('the business', () => {
  test('is the same for the same seed and another for another', () => {
    const ordersOf = (seed: number) => open(seed).orders('2026-10-01', '2026-10-03');
    expect(ordersOf(1)).toEqual(world.orders('2026-10-01', '2026-10-03'));
    expect(ordersOf(2)).not.toEqual(ordersOf(1));
  });

  test('has lines of every kind', () => {
    const kinds = new Set(year.flatMap((order) => order.lines.map(({ kind }) => kind)));
    const revenue = ['product', 'shipping', 'payment', 'discount', 'rounding'];
    const others = ['gift_card', 'tip', 'invoice_payment', 'prepayment'];
    expect(kinds).toEqual(new Set([...revenue, ...others]));
  });

  test.each<[string, (order: Order) => boolean]>([
    ['returns', ({ totalWtCents }) => totalWtCents < 0],
    ['unpaid orders', ({ isPaid }) => !isPaid],
    ['internal orders', ({ isInternal }) => isInternal],
    ['discounts', ({ discountWtCents }) => discountWtCents > 0],
    ['negative discounts', ({ discountWtCents }) => discountWtCents < 0],
    ['orders free altogether', (o) => o.discountWtCents > 0 && o.totalWtCents === 0],
    ['orders never touched', ({ changes }) => changes.length === 0],
    ['walk-in customers', ({ relationId }) => relationId === 20_000],
  ])('has %s', (_, isOne) => {
    expect(year.some(isOne)).toBe(true);
  });
});
