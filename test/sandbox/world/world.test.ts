import fc from 'fast-check';
import { expect, test } from 'vitest';
import { totalOf } from '../../../src/sandbox/world/books/tally.ts';
import { excludeVat } from '../../../src/sandbox/world/business/account.ts';
import { dayOf, formatDay } from '../../../src/sandbox/world/business/calendar.ts';
import { isRevenue, type Order } from '../../../src/sandbox/world/trade/order.ts';
import { type ReportScope, World } from '../../../src/sandbox/world/world.ts';
import { runs } from '../../property-runs.ts';
import { now } from '../../server-over.ts';
import { otherLines, perKey, revenueLines, sumOf } from './truth.ts';

const open = (seed: number) => new World({ seed, ordersPerDay: 60 }, () => now);
const world = open(3);
const year = world.orders('2025-11-20', '2026-11-19', { isInternal: 'any' });
const today = dayOf(now);

const periods = fc
  .tuple(fc.integer({ min: 0, max: 780 }), fc.integer({ min: 0, max: 12 }))
  .map(([back, length]) => [formatDay(today - back), formatDay(today - back + length)] as const);
const scopes = fc.constantFrom<ReportScope[]>(
  {},
  ...world.locations.map(({ id }) => ({ locationId: id })),
  ...world.shops.map(({ id }) => ({ shopId: id })),
);

const nothing = { wtCents: 0, exCents: 0, costCents: 0, quantity: 0 };

test('any period and scope has a report that is the sum of its orders, to the cent', () => {
  fc.assert(
    fc.property(periods, scopes, ([from, to], { shopId, locationId }) => {
      const shopIds = world.shops
        .filter((shop) => shop.id === (shopId ?? shop.id))
        .filter((shop) => shop.locationId === (locationId ?? shop.locationId))
        .map(({ id }) => id);
      const orders = world.orders(from, to, { shopIds });
      const lines = revenueLines(orders);
      const payments = orders.flatMap((order) => order.payments);
      const unpaid = revenueLines(orders.filter(({ isPaid }) => !isPaid));
      const tally = world.report(from, to, { shopId, locationId });

      expect(tally.orderCount).toBe(orders.length);
      expect(tally.turnover).toEqual({
        wtCents: sumOf(lines, 'totalWtCents'),
        exCents: sumOf(lines, 'totalExCents'),
        costCents: sumOf(lines, 'costCents'),
        quantity: sumOf(lines, 'quantity'),
      });
      expect(tally.nonRevenueCents).toBe(sumOf(otherLines(orders), 'totalWtCents'));
      expect(tally.payments).toEqual(perKey(payments, 'methodId', 'amountCents'));
      const unpaidCents = totalOf(tally.unpaidByRate.values()).wtCents;
      expect(unpaidCents).toBe(sumOf(unpaid, 'totalWtCents'));

      // What was received is what was due, but for the shortage of the unbalanced day.
      const { date, shopId: short, differenceCents } = world.unbalancedDay;
      const isShort = shopIds.includes(short) && from <= date && date <= to;
      expect(tally.paymentCents - tally.directPaidCents).toBe(isShort ? differenceCents : 0);
    }),
    { numRuns: runs(50) },
  );
});

test('any period splits its turnover over groups, products, rates, shops and locations without a cent lost', () => {
  fc.assert(
    fc.property(periods, ([from, to]) => {
      const tally = world.report(from, to);
      const whole = tally.turnover;
      const rates = [...tally.paidByRate.values(), ...tally.unpaidByRate.values()];
      const shops = [...world.reportPerShop(from, to).values()];
      const locations = world.locations.map(({ id }) => world.report(from, to, { locationId: id }));
      expect(totalOf(tally.byGroup.values())).toEqual(whole);
      expect(totalOf(rates)).toEqual(whole);
      expect(totalOf(shops.map((shop) => shop.turnover))).toEqual(whole);
      expect(totalOf(locations.map((each) => each.turnover))).toEqual(whole);
      for (const group of new Set(world.products.map((product) => product.productGroupId))) {
        const ids = world.products.filter((p) => p.productGroupId === group).map(({ id }) => id);
        const sold = ids.flatMap((id) => tally.products.get(id) ?? []);
        expect(totalOf(sold)).toEqual(tally.byGroup.get(group) ?? nothing);
      }
    }),
    { numRuns: runs(20) },
  );
});

test('every order is the sum of its lines, is paid to the cent or not at all, and is found by its id', () => {
  const short: unknown[] = [];
  for (const order of world.orders('2026-10-20', '2026-11-20', { isInternal: 'any' })) {
    const { totalWtCents, totalExCents, discountWtCents, lines, shopId, day } = order;
    expect(totalWtCents).toBe(sumOf(lines, 'totalWtCents'));
    expect(totalExCents).toBe(sumOf(lines, 'totalExCents'));
    for (const line of lines.filter(isRevenue))
      expect(line.totalExCents).toBe(excludeVat(line.totalWtCents, line.taxRateId));
    const discounts = lines.filter(({ kind }) => kind === 'discount');
    expect(discountWtCents).toBe(0 - sumOf(discounts, 'totalWtCents'));
    const due = order.isPaid && !order.isInternal ? totalWtCents : 0;
    if (sumOf(order.payments, 'amountCents') !== due) short.push([shopId, formatDay(day)]);
    expect(world.ledger.order(order.id)).toEqual(order);
  }
  expect(short).toEqual([[world.unbalancedDay.shopId, world.unbalancedDay.date]]);
});

test('a seed has its own business, each time the same', () => {
  const ordersOf = (seed: number) => open(seed).orders('2026-10-01', '2026-10-03');
  expect(ordersOf(3)).toEqual(world.orders('2026-10-01', '2026-10-03'));
  expect(ordersOf(2)).not.toEqual(ordersOf(3));
});

test('the business has lines of every kind', () => {
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
])('the business has %s', (_, isOne) => {
  expect(year.some(isOne)).toBe(true);
});
