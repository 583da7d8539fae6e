import { describe, expect } from 'vitest';
import { lastChange } from '../../../src/sandbox/world/trade/order.ts';
import {
  euros,
  lastMonth,
  lastWeek,
  named,
  perCustomer,
  perKey,
  perMethod,
  sumOf,
  thisMonth,
  total,
} from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { part, profile, questionsOfAFile, rowsAt } from '../questions.ts';

const question = questionsOfAFile();
const askedOfAChain = questionsOfAFile({ ordersPerDay: 150 });

describe('an analyst who asks about orders is told', () => {
  question('the average order value per shop over 2,500 orders', async ({ ask, world }) => {
    const { rows, context } = await ask('query', {
      sql: `SELECT shop_id, round(avg(total_wt), 4) AS average, count(*) AS orders
        FROM list_orders(period := 'last_quarter') GROUP BY ALL ORDER BY average DESC`,
    });
    const [from, to] = ['2026-07-01', '2026-09-30'];
    expect(rowsAt(context, 'tables')).toMatchObject([{ period: { from, to } }]);
    const names = part(context, 'labels', 'shop_id');
    const told = rows.map((row) => [names[String(row.shop_id)], row.average, row.orders]);
    const truth = world.shops.map(({ id, name }) => {
      const own = world.orders(from, to, { shopIds: [id] });
      const cents = sumOf(own, 'totalWtCents');
      return { name, average: Math.round((cents * 100) / own.length) / 1e4, count: own.length };
    });
    truth.sort((a, b) => b.average - a.average);
    expect(told).toEqual(truth.map(({ name, average, count }) => [name, average, count]));
    expect(sumOf(truth, 'count')).toBeGreaterThan(2500);
  });

  question('the orders given away last week', async ({ ask, world }) => {
    const asked = { period: 'last_week', only_full: true };
    const { rows, context } = await ask('list_discount_orders', asked);
    const given = world
      .orders(...lastWeek)
      .filter(({ totalWtCents, discountWtCents }) => totalWtCents === 0 && discountWtCents > 0);
    expect(rows.map((row) => [row.id, row.discount_value_wt])).toEqual(
      given.map(({ id, discountWtCents }) => [id, euros(discountWtCents)]),
    );
    expect(given.length).toBeGreaterThan(0);
    expect(context.complete).toBe(true);
  });

  question('what changed since this morning', async ({ ask, world, control }) => {
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

  question('what changed since an hour of Amsterdam’s clock', async ({ ask, world, control }) => {
    const [early, late] = world.orders('2026-11-20').toReversed();
    for (const order of [early, late]) control.touchOrder(order?.id ?? 0);
    const { rows } = await ask('list_order_changes', { since: '2026-11-20T15:00', all: true });
    const from = Date.parse('2026-11-20T15:00:00+01:00');
    const changed = world
      .orders('2026-10-01', '2026-11-20', { isInternal: 'any' })
      .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= from);
    expect(rows.map(({ id }) => id).sort()).toEqual(changed.map(({ id }) => id).sort());
    expect(changed.length).toBeGreaterThanOrEqual(2);
  });
});

describe('an analyst who asks about payments is told', () => {
  // docs/platform.md#reports.
  question('how a day was paid that does not balance, and by how much', async ({ ask, world }) => {
    const { date, differenceCents } = world.unbalancedDay;
    const report = await ask('get_payment_report', { from: date });
    const names = part(report.context, 'labels', 'provider_method_type_id');
    const told = rowsAt(report.body, 'payments').map((row) => [
      names[String(row.provider_method_type_id)],
      row.amount_wt,
    ]);
    const received = perMethod(world.orders(date));
    expect(told).toEqual(named(world.paymentMethods, received, ({ name }) => name));
    expect(report.context.warnings).toEqual([
      expect.objectContaining({
        code: 'balance_differs',
        difference: euros(differenceCents).toFixed(2),
        text: expect.stringContaining(euros(differenceCents).toFixed(2)),
      }),
    ]);
    expect(report.text).toContain(`# Warning: ${report.warnings[0]?.text}`);
  });

  question('that it does not balance only where payments are shown', async ({ ask, world }) => {
    const day = { from: world.unbalancedDay.date, against: 'none' };
    expect((await ask('compare_turnover', day)).context.warnings).toBeUndefined();
    const paid = await ask('compare_turnover', { ...day, measures: ['direct_paid.total_wt'] });
    expect(paid.warnings).toEqual([expect.objectContaining({ code: 'balance_differs' })]);
  });

  question('which orders of this month are unpaid, and their total', async ({ ask, world }) => {
    const unpaid = world.orders(...thisMonth, { isPaid: false });
    const orders = await ask('list_orders', { period: 'this_month', is_paid: false, all: true });
    expect(orders.context.complete).toBe(true);
    expect(orders.rows.map(({ id }) => id)).toEqual(unpaid.map(({ id }) => id));
    expect(profile(orders, 'total_wt').sum).toBe(total(unpaid));
    expect(orders.warnings).toEqual([expect.objectContaining({ code: 'day_not_over' })]);
  });
});

describe('an analyst who asks about customers and products is told', () => {
  question('a customer by the name that orders have for its id', async ({ ask }) => {
    for (const relation_data_id of [20_001, '20001'])
      expect((await ask('get_customer', { relation_data_id })).body.id).toBe(20_001);
  });

  askedOfAChain('how many different customers a month of orders had', async ({ ask, world }) => {
    const orders = await ask('list_orders', { period: 'last_month', all: true });
    const truth = world.orders(...lastMonth);
    expect(truth.length).toBeGreaterThan(4500);
    expect(profile(orders, 'id').distinct).toBe(truth.length);
    expect(profile(orders, 'relation_data_id').distinct).toBe(perCustomer(truth).size);
  });

  // docs/platform.md#customers.
  question('the ten best customers of this month, walk-ins left out', async ({ ask, world }) => {
    const walkIn = world.customers()[0]?.id;
    const { rows } = await ask('query', {
      sql: `WITH spent AS (
          SELECT relation_data_id, customer_name, sum(total_wt) AS total
          FROM list_orders(period := 'this_month')
          WHERE relation_data_id <> ${walkIn} GROUP BY ALL)
        FROM (SELECT *, sum(total) OVER () AS of_all FROM spent) ORDER BY total DESC LIMIT 10`,
    });
    const orders = world.orders(...thisMonth).filter(({ relationId }) => relationId !== walkIn);
    const cents = perKey(orders, 'relationId', 'totalWtCents');
    const best = [...cents].sort(([, a], [, b]) => b - a).slice(0, 10);
    expect(rows.map((row) => [row.relation_data_id, row.total])).toEqual(
      best.map(([id, own]) => [id, euros(own)]),
    );
    expect(rows[0]?.of_all).toBe(total(orders));
    expect(rows[0]?.customer_name).toBe(world.customer(best[0]?.[0] ?? 0)?.name);
  });

  question('the five best-selling products of last month', async ({ ask, world, sold }) => {
    const { rows } = await ask('query', {
      sql: `SELECT title, quantity, turnover_wt FROM get_product_sales(period := 'last_month')
        ORDER BY quantity DESC, product_id LIMIT 5`,
    });
    const lines = sold(world.orders(...lastMonth));
    const truth = world.products.map(({ id, title }) => {
      const own = lines.filter(({ productId }) => productId === id);
      const turnover_wt = euros(sumOf(own, 'totalWtCents'));
      return { title: title[0], quantity: sumOf(own, 'quantity'), turnover_wt };
    });
    truth.sort((a, b) => b.quantity - a.quantity);
    expect(rows).toEqual(truth.slice(0, 5));
    expect(truth[4]?.quantity).toBeGreaterThan(truth[5]?.quantity ?? 0);
  });

  question('the stock of the teapots in Utrecht Oost', async ({ ask, world }) => {
    const asked = { q: 'theepot', location_id: 'utrecht oost' };
    const { rows, context } = await ask('search_products', asked);
    expect(context.resolved).toEqual({
      location_id: { given: 'utrecht oost', id: 3, name: 'Utrecht Oost' },
    });
    const teapots = world.products.filter(({ title }) => title[0].startsWith('Theepot'));
    const level = world.stockLevels();
    expect(rows.map(({ title, stock }) => [title, stock])).toEqual(
      teapots.map((teapot) => [teapot.title[0], level(teapot, 3)]),
    );
    expect(teapots).toHaveLength(2);
  });
});
