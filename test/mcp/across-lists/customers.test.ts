import { describe, expect } from 'vitest';
import { lastChange, type Order } from '../../../src/sandbox/world/trade/order.ts';
import { euros, sumOf } from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { askAtOneServer, dayOf } from './questions.ts';

const question = askAtOneServer();

/** The orders of each customer, the oldest first. */
function perCustomer(orders: readonly Order[]): Map<number, Order[]> {
  const own = new Map<number, Order[]>();
  for (const order of orders.toSorted((a, b) => a.placedMs - b.placedMs || a.id - b.id))
    own.set(order.relationId, [...(own.get(order.relationId) ?? []), order]);
  return own;
}

describe('about customers, one statement tells', () => {
  question('who of Haarlem came in September and stayed away since', async ({ tell, server }) => {
    const told = await tell(`
      WITH gone AS (
        SELECT relation_data_id FROM list_orders(period := '2026-09-01..2026-09-30')
        EXCEPT
        SELECT relation_data_id FROM list_orders(period := '2026-10-01..2026-11-20'))
      SELECT c.id, c.email, c.address.street
      FROM get_customer(customer_id := (SELECT relation_data_id FROM gone)) c
      WHERE c.address.city = 'Haarlem' ORDER BY c.id`);
    const { world } = server.sandbox;
    const since = perCustomer(world.orders('2026-10-01', '2026-11-20'));
    const truth = [...perCustomer(world.orders('2026-09-01', '2026-09-30')).keys()]
      .filter((id) => !since.has(id))
      .flatMap((id) => world.customer(id) ?? [])
      .filter(({ address }) => address.city === 'Haarlem')
      .map(({ id, email, address }) => ({ id, email, street: address.street }))
      .sort((a, b) => a.id - b.id);
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(0);
  });

  question('how many of each month’s new customers came back', async ({ tell, server }) => {
    const told = await tell(`
      WITH o AS (
        SELECT relation_data_id AS customer, date_trunc('month', CAST(date_created AS DATE)) AS month
        FROM list_orders(period := '2026-08-01..2026-10-31')),
      firsts AS (SELECT customer, min(month) AS cohort FROM o GROUP BY customer)
      SELECT strftime(cohort, '%Y-%m') AS cohort,
        date_diff('month', cohort, month) AS later, count(DISTINCT customer) AS customers
      FROM firsts JOIN o USING (customer) GROUP BY ALL ORDER BY ALL`);
    const counts = new Map<string, number>();
    for (const orders of perCustomer(
      server.sandbox.world.orders('2026-08-01', '2026-10-31'),
    ).values()) {
      const months = [...new Set(orders.map(({ placedMs }) => dayOf(placedMs).slice(0, 7)))];
      const [cohort = ''] = months;
      for (const month of months) {
        const key = `${cohort} ${Number(month.slice(5)) - Number(cohort.slice(5))}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    const truth = [...counts].sort().map(([key, customers]) => {
      const [cohort, later] = key.split(' ');
      return { cohort, later: Number(later), customers };
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBe(6);
  });

  question('the longest pause between two orders of a customer', async ({ tell, server }) => {
    const told = await tell(`
      WITH days AS (
        SELECT DISTINCT relation_data_id AS customer, CAST(date_created AS DATE) AS day
        FROM list_orders(period := 'last_quarter')),
      gaps AS (
        SELECT customer, day - lag(day) OVER (PARTITION BY customer ORDER BY day) AS gap FROM days)
      SELECT count(gap) AS gaps, max(gap) AS longest, quantile_disc(gap, 0.5) AS middle,
        sum(gap) AS together FROM gaps`);
    const gaps: number[] = [];
    for (const orders of perCustomer(
      server.sandbox.world.orders('2026-07-01', '2026-09-30'),
    ).values()) {
      const days = [...new Set(orders.map(({ placedMs }) => dayOf(placedMs)))].map(Date.parse);
      days.slice(1).forEach((day, index) => {
        gaps.push((day - (days[index] ?? 0)) / 86_400_000);
      });
    }
    gaps.sort((a, b) => a - b);
    expect(told).toEqual([
      {
        gaps: gaps.length,
        longest: gaps.at(-1),
        middle: gaps[Math.ceil(gaps.length / 2) - 1],
        together: sumOf(gaps, (gap) => gap),
      },
    ]);
    expect(gaps.length).toBeGreaterThan(500);
  });

  question('whose orders changed today, and how they can be reached', async ({ tell, server }) => {
    const { world, control } = server.sandbox;
    const [older] = world.orders('2026-10-06').filter(({ relationId }) => relationId !== 20_000);
    control.touchOrder(older?.id ?? 0);
    const told = await tell(`
      SELECT ch.id, c.name, c.email
      FROM list_order_changes(since := 'today') ch
      JOIN search_customers() c ON c.id = ch.relation_data_id
      WHERE NOT ch.is_internal ORDER BY ch.id`);
    const midnight = Date.parse('2026-11-20T00:00:00+01:00');
    const truth = world
      .orders('2026-10-01', '2026-11-20')
      .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= midnight)
      .sort((a, b) => a.id - b.id)
      .map(({ id, relationId }) => {
        const customer = world.customer(relationId);
        return { id, name: customer?.name, email: customer?.email };
      });
    expect(told.map(({ id, email }) => ({ id, email }))).toEqual(
      truth.map(({ id, email }) => ({ id, email })),
    );
    expect(truth.map(({ id }) => id)).toContain(older?.id);
    expect(told.find(({ id }) => id === older?.id)?.name).toBe(
      world.customer(older?.relationId ?? 0)?.name,
    );
  });

  question('what each segment spent, by the size of the segment', async ({ tell, server }) => {
    const told = await tell(`
      SELECT coalesce(s.name, 'none') AS segment, s.customer_count AS members,
        count(*) AS orders, sum(o.total_wt) AS spent
      FROM list_orders(period := 'last_month') o
      LEFT JOIN customer_segments s ON s.id = o.segment_id
      GROUP BY ALL ORDER BY segment`);
    const { world } = server.sandbox;
    const orders = world.orders('2026-10-01', '2026-10-31');
    const truth = [{ id: null, name: 'none' }, ...world.segments]
      .map(({ id, name }) => {
        const own = orders.filter(({ segmentId }) => segmentId === id);
        return {
          segment: name,
          members: id === null ? null : world.memberCounts().get(id),
          orders: own.length,
          spent: euros(sumOf(own, 'totalWtCents')),
        };
      })
      .filter((row) => row.orders > 0)
      .sort((a, b) => (a.segment < b.segment ? -1 : 1));
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(3);
  });

  question('the best customer of each shop', async ({ tell, server }) => {
    const told = await tell(`
      SELECT shop_id, relation_data_id, sum(total_wt) AS spent
      FROM list_orders(period := 'this_month') WHERE relation_data_id <> 20000
      GROUP BY shop_id, relation_data_id
      QUALIFY row_number() OVER (PARTITION BY shop_id ORDER BY spent DESC, relation_data_id) = 1
      ORDER BY shop_id`);
    const { world } = server.sandbox;
    const truth = world.shops.flatMap(({ id }) => {
      const orders = world
        .orders('2026-11-01', '2026-11-20', { shopIds: [id] })
        .filter(({ relationId }) => relationId !== 20_000);
      const spent = [...perCustomer(orders)].map(([customer, own]) => ({
        shop_id: id,
        relation_data_id: customer,
        spent: euros(sumOf(own, 'totalWtCents')),
      }));
      return spent
        .sort((a, b) => b.spent - a.spent || a.relation_data_id - b.relation_data_id)
        .slice(0, 1);
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(2);
  });

  question('who bought both in the webshop and at a till', async ({ tell, server }) => {
    const told = await tell(`
      WITH o AS (
        SELECT o.relation_data_id AS customer, s.type
        FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
        WHERE o.segment_id IS NOT NULL)
      SELECT customer FROM o WHERE type = 'webshop'
      INTERSECT SELECT customer FROM o WHERE type = 'pos' ORDER BY customer`);
    const { world } = server.sandbox;
    const trades = new Map(world.shops.map(({ id, trade }) => [id, trade]));
    const isWeb = ({ shopId }: Order) => trades.get(shopId) === 'web';
    const known = world
      .orders('2026-10-01', '2026-10-31')
      .filter(({ segmentId }) => segmentId !== null);
    const truth = [...perCustomer(known)]
      .filter(([, orders]) => orders.some(isWeb) && !orders.every(isWeb))
      .map(([customer]) => customer);
    expect(told.map(({ customer }) => customer)).toEqual(truth.sort((a, b) => a - b));
    expect(truth.length).toBeGreaterThan(0);
  });
});
