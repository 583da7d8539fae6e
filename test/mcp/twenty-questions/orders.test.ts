import { describe, expect } from 'vitest';
import { lastChange } from '../../../src/sandbox/world/trade/order.ts';
import { euros, perKey, sumOf } from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { part, questionsOfAFile, rowsAt } from './questions.ts';

const amsterdamHour = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Amsterdam',
  hour: '2-digit',
});

const question = questionsOfAFile();

describe('an analyst who asks about orders is told', () => {
  question(
    'the orders per hour on the Sunday when the clock went back',
    async (ask, { sandbox: { world } }) => {
      const { rows, context } = await ask('query', {
        sql: `SELECT strftime(date_created, '%H') AS hour, count(*) AS orders
          FROM list_orders(period := '2026-10-25') GROUP BY ALL ORDER BY ALL`,
      });
      const truth = new Map<string, number>();
      for (const { placedMs } of world.orders('2026-10-25').toReversed()) {
        const hour = amsterdamHour.format(placedMs);
        truth.set(hour, (truth.get(hour) ?? 0) + 1);
      }
      expect(rows.map((row) => [row.hour, row.orders])).toEqual([...truth]);
      const { length } = world.orders('2026-10-25');
      expect(rowsAt(context, 'tables')).toMatchObject([{ rows: length, complete: true }]);
      // The hour that came twice has orders of both its passes.
      const second = Date.parse('2026-10-25T02:00:00+01:00');
      const twice = world
        .orders('2026-10-25')
        .filter(({ placedMs }) => Math.abs(placedMs - second) < 3_600_000);
      expect(new Set(twice.map(({ placedMs }) => placedMs < second)).size).toBe(2);
      expect(truth.get('02')).toBe(twice.length);
    },
    { ordersPerDay: 1000 },
  );

  question(
    'the average order value per shop over 2,500 orders',
    async (ask, { sandbox: { world } }) => {
      const { rows, context } = await ask('query', {
        sql: `SELECT shop_id, round(avg(total_wt), 4) AS average, count(*) AS orders
          FROM list_orders(period := 'last_quarter') GROUP BY ALL ORDER BY average DESC`,
      });
      expect(rowsAt(context, 'tables')).toMatchObject([
        { period: { from: '2026-07-01', to: '2026-09-30' } },
      ]);
      const names = part(context, 'labels', 'shop_id');
      const told = rows.map((row) => ({
        shop: names[String(row.shop_id)],
        average: row.average,
        count: row.orders,
      }));
      const truth = world.shops.map(({ id, name }) => {
        const own = world.orders('2026-07-01', '2026-09-30', { shopIds: [id] });
        const cents = sumOf(own, 'totalWtCents');
        return {
          shop: name,
          average: Math.round((cents * 100) / own.length) / 1e4,
          count: own.length,
        };
      });
      expect(told).toEqual(truth.sort((a, b) => b.average - a.average));
      expect(sumOf(truth, 'count')).toBeGreaterThan(2500);
    },
  );

  question('the orders given away last week', async (ask, { sandbox: { world } }) => {
    const { rows, context } = await ask('list_discount_orders', {
      period: 'last_week',
      only_full: true,
    });
    const given = world
      .orders('2026-11-09', '2026-11-15')
      .filter(({ totalWtCents, discountWtCents }) => totalWtCents === 0 && discountWtCents > 0);
    expect(rows.map((row) => [row.id, row.discount_value_wt])).toEqual(
      given.map(({ id, discountWtCents }) => [id, euros(discountWtCents)]),
    );
    expect(given.length).toBeGreaterThan(0);
    expect(context.complete).toBe(true);
  });

  question('the discount given per shop last month', async (ask, { sandbox: { world } }) => {
    const { rows, context } = await ask('query', {
      sql: `SELECT shop_id, sum(discount_value_wt) AS discount
        FROM list_discount_orders(period := 'last_month') GROUP BY ALL ORDER BY discount DESC`,
    });
    const names = part(context, 'labels', 'shop_id');
    const told = rows.map((row) => [names[String(row.shop_id)], row.discount]);
    const cents = perKey(
      world.orders('2026-10-01', '2026-10-31').filter((order) => order.discountWtCents > 0),
      'shopId',
      'discountWtCents',
    );
    const truth = [...cents]
      .sort(([, a], [, b]) => b - a)
      .map(([id, sum]) => [world.shops.find((shop) => shop.id === id)?.name, euros(sum)]);
    expect(told).toEqual(truth);
  });

  question('what changed since this morning', async (ask, { sandbox: { world, control } }) => {
    const [older] = world.orders('2026-10-05');
    control.touchOrder(older?.id ?? 0);
    const { rows, body, context } = await ask('list_order_changes', { since: 'today', all: true });
    const midnight = Date.parse('2026-11-20T00:00:00+01:00');
    const changed = world
      .orders('2026-10-01', '2026-11-20', { isInternal: 'any' })
      .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= midnight);
    expect(rows.map(({ id }) => id).sort()).toEqual(changed.map(({ id }) => id).sort());
    expect(rows.at(-1)?.id).toBe(older?.id);
    expect(context.complete).toBe(true);
    expect(body.next_cursor).toEqual(expect.any(String));
  });
});
