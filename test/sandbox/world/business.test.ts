import { describe, expect, test } from 'vitest';
import { formatMoment } from '../../../src/sandbox/world/business/calendar.ts';
import { PRODUCTS, productByShopId } from '../../../src/sandbox/world/business/products.ts';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import { World } from '../../../src/sandbox/world/world.ts';

const now = Date.parse('2026-11-20T15:00:00+01:00');
const world = new World({ seed: 1, ordersPerDay: 60 }, () => now);
const year = world.orders('2025-11-20', '2026-11-19', { isInternal: 'any' });
const share = (isCounted: (order: Order) => boolean) => year.filter(isCounted).length / year.length;
const lineKinds = new Set(year.flatMap((order) => order.lines.map(({ kind }) => kind)));

describe('the business', () => {
  test('is the same for the same seed and another for another', () => {
    const again = new World({ seed: 1, ordersPerDay: 60 }, () => now + 60_000);
    const other = new World({ seed: 2, ordersPerDay: 60 }, () => now);
    expect(again.orders('2026-10-01', '2026-10-03')).toEqual(
      world.orders('2026-10-01', '2026-10-03'),
    );
    expect(other.report('2026-10-01').turnover()).not.toEqual(
      world.report('2026-10-01').turnover(),
    );
  });

  test('trades within opening hours, by the wall clock, on daylight-saving days too', () => {
    const hours = new Map(world.shops.map((shop) => [shop.id, shop.hours]));
    const outside = year.filter(({ placedMs, shopId }) => {
      const hour = Number(formatMoment(placedMs).slice(11, 13));
      const [open, close] = hours.get(shopId) ?? [0, 0];
      return hour < open || hour >= close;
    });
    expect(outside).toEqual([]);
  });

  test('has lines of every kind', () => {
    expect([...lineKinds].sort()).toEqual([
      'discount',
      'gift_card',
      'invoice_payment',
      'payment',
      'prepayment',
      'product',
      'rounding',
      'shipping',
      'tip',
    ]);
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
    expect(share(isCounted)).toBeGreaterThan(low);
    expect(share(isCounted)).toBeLessThan(high);
  });
});

describe('its names and ids', () => {
  test('tempt to take an inner product id for a shop_product_id', () => {
    const trapped = PRODUCTS.filter(({ id, shopProductId }) => id !== shopProductId);
    expect(trapped.length).toBe(12);
    expect(trapped.every(({ id }) => productByShopId(id)?.id !== id)).toBe(true);
    expect(new Set(PRODUCTS.map(({ shopProductId }) => shopProductId)).size).toBe(PRODUCTS.length);
  });

  test('hold text to be defused', () => {
    const names = world.customers().map(({ name }) => name);
    const titles = PRODUCTS.map(({ title }) => title[0]);
    for (const pattern of [/\n/, /\u200B/, /\u202E/, /\|/, /ignore previous instructions/i]) {
      expect(names.join()).toMatch(pattern);
      expect(titles.join()).toMatch(pattern);
    }
  });
});
