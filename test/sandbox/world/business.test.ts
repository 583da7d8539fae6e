import { describe, expect, test } from 'vitest';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import { World } from '../../../src/sandbox/world/world.ts';
import { now } from '../../server-over.ts';

const world = new World({ seed: 1, ordersPerDay: 60 }, () => now);
const year = world.orders('2025-11-20', '2026-11-19', { isInternal: 'any' });

describe('the business', () => {
  test('is the same for the same seed and another for another', () => {
    const ordersOf = (seed: number) =>
      new World({ seed, ordersPerDay: 60 }, () => now + 60_000).orders('2026-10-01', '2026-10-03');
    expect(ordersOf(1)).toEqual(world.orders('2026-10-01', '2026-10-03'));
    expect(ordersOf(2)).not.toEqual(ordersOf(1));
  });

  test('has lines of every kind', () => {
    const kinds = new Set(year.flatMap((order) => order.lines.map(({ kind }) => kind)));
    const revenue = ['product', 'shipping', 'payment', 'discount', 'rounding'];
    const others = ['gift_card', 'tip', 'invoice_payment', 'prepayment'];
    expect(kinds).toEqual(new Set([...revenue, ...others]));
  });

  test.each<[string, number, number, (order: Order) => boolean]>([
    ['returns', 0.01, 0.05, ({ totalWtCents }) => totalWtCents < 0],
    ['unpaid orders', 0.02, 0.1, ({ isPaid }) => !isPaid],
    ['internal orders', 0.003, 0.02, ({ isInternal }) => isInternal],
    ['discounts', 0.03, 0.15, ({ discountWtCents }) => discountWtCents > 0],
    ['negative discounts', 0.001, 0.02, ({ discountWtCents }) => discountWtCents < 0],
    ['orders free altogether', 0.001, 0.02, (o) => o.discountWtCents > 0 && o.totalWtCents === 0],
    ['orders never touched', 0.05, 0.3, ({ changes }) => changes.length === 0],
    ['walk-in customers', 0.2, 0.6, ({ relationId }) => relationId === 20_000],
  ])('has a plausible share of %s', (_what, low, high, isCounted) => {
    const share = year.filter(isCounted).length / year.length;
    expect(share).toBeGreaterThan(low);
    expect(share).toBeLessThan(high);
  });
});
