import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { totalOf } from '../../../src/sandbox/world/books/tally.ts';
import { dayOf, formatDay } from '../../../src/sandbox/world/business/calendar.ts';
import { excludeVat } from '../../../src/sandbox/world/business/ledgers.ts';
import { isRevenue } from '../../../src/sandbox/world/trade/order.ts';
import { type ReportScope, World } from '../../../src/sandbox/world/world.ts';
import { runs } from '../../property-runs.ts';
import { otherLines, perKey, revenueLines, sumOf } from './truth.ts';

const now = Date.parse('2026-11-20T15:00:00+01:00');
const world = new World({ seed: 3, ordersPerDay: 60 }, () => now);
const today = dayOf(now);

const periods = fc
  .tuple(fc.integer({ min: 0, max: 780 }), fc.integer({ min: 0, max: 12 }))
  .map(([back, length]) => [formatDay(today - back), formatDay(today - back + length)] as const);
const scopes: fc.Arbitrary<ReportScope> = fc.constantFrom<ReportScope[]>(
  {},
  ...world.locations.map(({ id }) => ({ locationId: id })),
  ...world.shops.map(({ id }) => ({ shopId: id })),
);

describe('any period and scope of the world', () => {
  test('has a report that is the sum of its orders, to the cent', () => {
    fc.assert(
      fc.property(periods, scopes, ([from, to], scope) => {
        const shopIds = world.shops
          .filter(({ id }) => id === (scope.shopId ?? id))
          .filter(({ locationId }) => locationId === (scope.locationId ?? locationId))
          .map(({ id }) => id);
        const orders = world.orders(from, to, { shopIds });
        const lines = revenueLines(orders);
        const tally = world.report(from, to, scope);

        expect(tally.orderCount).toBe(orders.length);
        expect(tally.turnover()).toEqual({
          wtCents: sumOf(lines, (line) => line.totalWtCents),
          exCents: sumOf(lines, (line) => line.totalExCents),
        });
        expect(tally.nonRevenueCents()).toBe(sumOf(otherLines(orders), (l) => l.totalWtCents));
        expect(tally.costCents).toBe(sumOf(lines, (line) => line.costCents));
        expect(tally.payments).toEqual(
          perKey(
            orders.flatMap((order) => order.payments),
            'methodId',
            'amountCents',
          ),
        );
        const unpaid = revenueLines(orders.filter(({ isPaid }) => !isPaid));
        expect(totalOf(tally.unpaidByRate.values()).wtCents).toBe(
          sumOf(unpaid, (l) => l.totalWtCents),
        );
      }),
      { numRuns: runs(50) },
    );
  });

  test('splits its turnover over groups, rates, shops and locations without a cent lost', () => {
    fc.assert(
      fc.property(periods, ([from, to]) => {
        const tally = world.report(from, to);
        const whole = tally.turnover();
        const rates = [...tally.paidByRate.values(), ...tally.unpaidByRate.values()];
        const shops = [...world.reportPerShop(from, to).values()];
        const locations = world.locations.map(({ id }) =>
          world.report(from, to, { locationId: id }),
        );
        expect(totalOf(tally.byGroup.values())).toEqual(whole);
        expect(totalOf(rates)).toEqual(whole);
        expect(totalOf(shops.map((shop) => shop.turnover()))).toEqual(whole);
        expect(totalOf(locations.map((each) => each.turnover()))).toEqual(whole);
      }),
      { numRuns: runs(20) },
    );
  });

  test('received what was due, but for the shortage of the unbalanced day', () => {
    fc.assert(
      fc.property(periods, scopes, ([from, to], scope) => {
        const { date, shopId, differenceCents } = world.unbalancedDay;
        const shop = world.shops.find(({ id }) => id === shopId);
        const isInScope =
          shopId === (scope.shopId ?? shopId) &&
          shop?.locationId === (scope.locationId ?? shop?.locationId);
        const isAffected = isInScope && from <= date && date <= to;
        const tally = world.report(from, to, scope);
        const difference = tally.paymentCents() - tally.directPaidCents();
        expect(difference).toBe(isAffected ? differenceCents : 0);
      }),
      { numRuns: runs(50) },
    );
  });

  test('sold per product what its groups turned over', () => {
    fc.assert(
      fc.property(periods, scopes, ([from, to], scope) => {
        const tally = world.report(from, to, scope);
        for (const group of new Set(world.products.map((product) => product.productGroupId))) {
          const ids = world.products.filter((p) => p.productGroupId === group).map(({ id }) => id);
          const sold = ids.flatMap((id) => tally.products.get(id) ?? []);
          expect(totalOf(sold)).toEqual(tally.byGroup.get(group) ?? { wtCents: 0, exCents: 0 });
        }
      }),
      { numRuns: runs(20) },
    );
  });
});

describe('every order of a month', () => {
  const orders = world.orders('2026-10-20', '2026-11-20', { isInternal: 'any' });

  test('is the sum of its lines, each of which excludes VAT once', () => {
    for (const order of orders) {
      expect(order.totalWtCents).toBe(sumOf(order.lines, (line) => line.totalWtCents));
      expect(order.totalExCents).toBe(sumOf(order.lines, (line) => line.totalExCents));
      for (const line of order.lines.filter(isRevenue)) {
        expect(line.totalExCents).toBe(excludeVat(line.totalWtCents, line.taxRateId));
      }
    }
  });

  test('has a discount that is minus its discount lines', () => {
    for (const order of orders) {
      const discounts = order.lines.filter(({ kind }) => kind === 'discount');
      expect(order.discountWtCents).toBe(0 - sumOf(discounts, (line) => line.totalWtCents));
    }
  });

  test('is paid to the cent, or not at all when it is internal or on invoice', () => {
    const off = orders.filter((order) => {
      const due = order.isPaid && !order.isInternal ? order.totalWtCents : 0;
      return sumOf(order.payments, 'amountCents') !== due;
    });
    expect(off.map(({ shopId, day }) => [shopId, formatDay(day)])).toEqual([
      [world.unbalancedDay.shopId, world.unbalancedDay.date],
    ]);
  });

  test('is found by its id', () => {
    for (const order of orders) expect(world.order(order.id)).toEqual(order);
  });
});

describe('stock', () => {
  test('falls by one for each piece sold and stands full on Monday at midnight', () => {
    let clock = Date.parse('2026-11-16T00:00:00+01:00');
    const week = new World({ seed: 3, ordersPerDay: 60 }, () => clock);
    const levelsOf = () => {
      const level = week.stockLevels();
      return week.products.map((product) => week.locations.map(({ id }) => level(product, id)));
    };
    const full = levelsOf();
    clock = Date.parse('2026-11-18T14:00:00+01:00');
    const sold = week.products.map(({ id }) =>
      week.locations.map((place) => {
        const report = week.report('2026-11-16', '2026-11-18', { locationId: place.id });
        return report.products.get(id)?.quantity ?? 0;
      }),
    );
    const expected = full.map((row, p) => row.map((pieces, l) => pieces - (sold[p]?.[l] ?? 0)));
    expect(sold.flat().some((pieces) => pieces > 0)).toBe(true);
    expect(levelsOf()).toEqual(expected);
  });
});
