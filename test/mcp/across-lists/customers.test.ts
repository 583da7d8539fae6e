import { describe, expect, test } from 'vitest';
import { lastChange, type Order } from '../../../src/sandbox/world/trade/order.ts';
import {
  byName,
  countBy,
  dayOf,
  euros,
  lastMonth,
  perCustomer,
  sumOf,
} from '../../sandbox/world/truth.ts';
import { now, serverOver } from '../../server-over.ts';
import { questionsOfAFile } from '../questions.ts';

const question = questionsOfAFile();

test('a customer is found by the name that orders have for its id', async () => {
  const { ask } = await serverOver('memory');
  for (const relation_data_id of [20_001, '20001'])
    expect((await ask('get_customer', { relation_data_id })).body.id).toBe(20_001);
});

describe('about customers, one statement tells', () => {
  question('who of Haarlem came in September and stayed away since', async ({ tell, world }) => {
    const told = await tell(`
      WITH gone AS (
        SELECT relation_data_id FROM list_orders(period := '2026-09-01..2026-09-30')
        EXCEPT
        SELECT relation_data_id FROM list_orders(period := '2026-10-01..2026-11-20'))
      SELECT c.id, c.email, c.address.street
      FROM get_customer(customer_id := (SELECT relation_data_id FROM gone)) c
      WHERE c.address.city = 'Haarlem' ORDER BY c.id`);
    const since = perCustomer(world.orders('2026-10-01', '2026-11-20'));
    const truth = [...perCustomer(world.orders('2026-09-01', '2026-09-30')).keys()]
      .filter((id) => !since.has(id))
      .flatMap((id) => world.customer(id) ?? [])
      .filter(({ address }) => address.city === 'Haarlem')
      .map(({ id, email, address }) => ({ id, email, street: address.street }));
    expect(told).toEqual(truth.sort((a, b) => a.id - b.id));
    expect(truth.length).toBeGreaterThan(0);
  });

  question('how many of each month’s new customers came back', async ({ tell, world }) => {
    const told = await tell(`
      WITH o AS (
        SELECT relation_data_id AS customer, date_trunc('month', CAST(date_created AS DATE)) AS month
        FROM list_orders(period := '2026-08-01..2026-10-31')),
      firsts AS (SELECT customer, min(month) AS cohort FROM o GROUP BY customer)
      SELECT strftime(cohort, '%Y-%m') AS cohort,
        date_diff('month', cohort, month) AS later, count(DISTINCT customer) AS customers
      FROM firsts JOIN o USING (customer) GROUP BY ALL ORDER BY ALL`);
    const returns = [...perCustomer(world.orders('2026-08-01', '2026-10-31')).values()].flatMap(
      (orders) => {
        const months = [...new Set(orders.map(({ placedMs }) => dayOf(placedMs).slice(0, 7)))];
        const [cohort = ''] = months;
        return months.map(
          (month) => `${cohort} ${Number(month.slice(5)) - Number(cohort.slice(5))}`,
        );
      },
    );
    const truth = [...countBy(returns, (it) => it)].sort().map(([key, customers]) => {
      const [cohort, later] = key.split(' ');
      return { cohort, later: Number(later), customers };
    });
    expect(told).toEqual(truth);
    expect(truth).toHaveLength(6);
  });

  question('the longest pause between two orders of a customer', async ({ tell, world }) => {
    const told = await tell(`
      WITH days AS (
        SELECT DISTINCT relation_data_id AS customer, CAST(date_created AS DATE) AS day
        FROM list_orders(period := 'last_quarter')),
      gaps AS (
        SELECT customer, day - lag(day) OVER (PARTITION BY customer ORDER BY day) AS gap FROM days)
      SELECT count(gap) AS gaps, max(gap) AS longest, quantile_disc(gap, 0.5) AS middle,
        sum(gap) AS together FROM gaps`);
    const gaps = [...perCustomer(world.orders('2026-07-01', '2026-09-30')).values()]
      .flatMap((orders) => {
        const days = [...new Set(orders.map(({ placedMs }) => dayOf(placedMs)))].map(Date.parse);
        return days.slice(1).map((day, at) => (day - (days[at] ?? 0)) / 86_400_000);
      })
      .sort((a, b) => a - b);
    const middle = gaps[Math.ceil(gaps.length / 2) - 1];
    const together = sumOf(gaps, (gap) => gap);
    expect(told).toEqual([{ gaps: gaps.length, longest: gaps.at(-1), middle, together }]);
    expect(gaps.length).toBeGreaterThan(500);
  });

  question('whose orders changed today', async ({ tell, world, control }) => {
    const [older] = world.orders('2026-10-06').filter(({ relationId }) => relationId !== 20_000);
    control.touchOrder(older?.id ?? 0);
    const told = await tell(`
      SELECT ch.id, c.email
      FROM list_order_changes(since := 'today') ch
      JOIN search_customers() c ON c.id = ch.relation_data_id
      WHERE NOT ch.is_internal AND c.id <> 20000 ORDER BY ch.id`);
    const midnight = Date.parse('2026-11-20T00:00:00+01:00');
    const truth = world
      .orders('2026-10-01', '2026-11-20')
      .filter((order) => (lastChange(order, now)?.atMs ?? 0) >= midnight)
      .filter(({ relationId }) => relationId !== 20_000)
      .map(({ id, relationId }) => ({ id, email: world.customer(relationId)?.email }));
    expect(told).toEqual(truth.sort((a, b) => a.id - b.id));
    expect(truth.map(({ id }) => id)).toContain(older?.id);
  });

  question('what each segment spent, by the size of the segment', async ({ tell, world }) => {
    const told = await tell(`
      SELECT coalesce(s."name", 'none') AS name, s.customer_count AS members,
        count(*) AS orders, sum(o.total_wt) AS spent
      FROM list_orders(period := 'last_month') o
      LEFT JOIN customer_segments s ON s.id = o.segment_id
      GROUP BY ALL ORDER BY name`);
    const orders = world.orders(...lastMonth);
    const truth = [{ id: null, name: 'none' }, ...world.segments].flatMap(({ id, name }) => {
      const own = orders.filter(({ segmentId }) => segmentId === id);
      const members =
        id === null ? null : world.customers().filter((it) => it.segment_id === id).length;
      const spent = euros(sumOf(own, 'totalWtCents'));
      return own.length === 0 ? [] : [{ name, members, orders: own.length, spent }];
    });
    expect(told).toEqual(byName(truth));
    expect(truth.length).toBeGreaterThan(3);
  });

  question('who bought both in the webshop and at a till', async ({ tell, world }) => {
    const told = await tell(`
      WITH o AS (
        SELECT o.relation_data_id AS customer, s.type
        FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
        WHERE o.segment_id IS NOT NULL)
      SELECT customer FROM o WHERE type = 'webshop'
      INTERSECT SELECT customer FROM o WHERE type = 'pos' ORDER BY customer`);
    const trades = new Map(world.shops.map(({ id, trade }) => [id, trade]));
    const isWeb = ({ shopId }: Order) => trades.get(shopId) === 'web';
    const known = world.orders(...lastMonth).filter(({ segmentId }) => segmentId !== null);
    const truth = [...perCustomer(known)]
      .filter(([, orders]) => orders.some(isWeb) && !orders.every(isWeb))
      .map(([customer]) => customer);
    expect(told.map(({ customer }) => customer)).toEqual(truth.sort((a, b) => a - b));
    expect(truth.length).toBeGreaterThan(0);
  });
});
