import { describe, expect } from 'vitest';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import { euros, perKey, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { askAtOneServer, dayOf, daysBetween } from './questions.ts';

const question = askAtOneServer();

/** Turnover incl. VAT of some orders, in cents. */
function turnoverOf(orders: readonly Order[]): number {
  return sumOf(revenueLines(orders), 'totalWtCents');
}

/** All that customers owe for some orders, in cents. */
function totalOf(orders: readonly Order[]): number {
  return sumOf(orders, 'totalWtCents');
}

describe('about turnover, one statement tells', () => {
  question('whether a report and its orders agree', async ({ tell, server }) => {
    const told = await tell(`
      SELECT
        (SELECT sum(value) FROM get_financial_report(period := 'last_week')
         WHERE split = 'total' AND (path, measure) IN
           (('direct_paid', 'total_wt'), ('not_paid_now', 'turnover_wt'))) AS reported,
        (SELECT sum(total_wt) FROM list_orders(period := 'last_week')) AS ordered`);
    const cents = totalOf(server.sandbox.world.orders('2026-11-09', '2026-11-15'));
    expect(told).toEqual([{ reported: euros(cents), ordered: euros(cents) }]);
  });

  question('which single day does not balance, and by how much', async ({ tell, server }) => {
    const { date, differenceCents } = server.sandbox.world.unbalancedDay;
    const days = daysBetween('2026-11-01', '2026-11-19');
    expect(days).toContain(date);
    const told = await tell(`
      SELECT "date" AS day, value FROM get_daily_close("date" := [${days.map((day) => `'${day}'`)}])
      WHERE path = 'balance_check' AND measure = 'difference_wt' AND value <> 0`);
    expect(told).toEqual([{ day: date, value: euros(differenceCents) }]);
  });

  question('what an average Monday, Tuesday ... brings', async ({ tell, server }) => {
    const told = await tell(`
      SELECT isodow("date") AS weekday, count(*) AS days, sum(value) AS turnover
      FROM get_daily_close("date" := (
        SELECT CAST(d AS DATE) FROM range(DATE '2026-10-19', DATE '2026-11-16', INTERVAL 1 DAY) t(d)))
      WHERE path = '' AND measure = 'turnover_wt' GROUP BY weekday ORDER BY weekday`);
    const days = daysBetween('2026-10-19', '2026-11-15');
    const truth = [1, 2, 3, 4, 5, 6, 7].map((weekday) => {
      const own = days.filter((day) => (new Date(day).getUTCDay() || 7) === weekday);
      const cents = sumOf(own, (day) => turnoverOf(server.sandbox.world.orders(day)));
      return { weekday, days: own.length, turnover: euros(cents) };
    });
    expect(told).toEqual(truth);
  });

  question('the share of each payment method, week by week', async ({ tell, server }) => {
    const weeks = ['2026-11-02..2026-11-08', '2026-11-09..2026-11-15'];
    const told = await tell(`
      SELECT period, m.name, r.value AS received,
        round(100 * r.value / sum(r.value) OVER (PARTITION BY period), 2) AS percent
      FROM get_payment_report(period := ['${weeks.join("', '")}']) r
      JOIN payment_methods m USING (provider_method_type_id)
      WHERE r.split = 'payment_method' ORDER BY period, m.provider_method_type_id`);
    const { world } = server.sandbox;
    const truth = weeks.flatMap((period) => {
      const [from = '', to = ''] = period.split('..');
      const cents = perKey(
        world.orders(from, to).flatMap(({ payments }) => payments),
        'methodId',
        'amountCents',
      );
      const all = sumOf([...cents.values()], (own) => own);
      return world.paymentMethods
        .filter(({ id }) => cents.has(id))
        .sort((a, b) => a.id - b.id)
        .map(({ id, name }) => {
          const own = cents.get(id) ?? 0;
          return {
            period,
            name,
            received: euros(own),
            percent: Math.round((own / all) * 10_000) / 100,
          };
        });
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(6);
  });

  question('the best day of each shop', async ({ tell, server }) => {
    const told = await tell(`
      SELECT s.name, CAST(o.date_created AS DATE) AS day, sum(o.total_wt) AS total
      FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
      GROUP BY s.name, day
      QUALIFY row_number() OVER (PARTITION BY s.name ORDER BY total DESC, day) = 1
      ORDER BY s.name`);
    const { world } = server.sandbox;
    const days = daysBetween('2026-10-01', '2026-10-31');
    const truth = world.shops
      .map(({ id, name }) => {
        const totals = days.map((day) => ({
          name,
          day,
          total: euros(totalOf(world.orders(day, day, { shopIds: [id] }))),
        }));
        return totals.sort((a, b) => b.total - a.total || (a.day < b.day ? -1 : 1))[0];
      })
      .sort((a, b) => ((a?.name ?? '') < (b?.name ?? '') ? -1 : 1));
    expect(told).toEqual(truth);
  });

  question('the growth of each location, from its shops', async ({ tell, server }) => {
    const told = await tell(`
      SELECT l.name, sum(c.current) AS this_week, sum(c.reference) AS week_before
      FROM compare_turnover(period := 'last_week', by := 'shop') c
      JOIN shops s ON s.id = c.id JOIN locations l ON l.id = s.location_id
      WHERE c.measure LIKE '%turnover_wt' GROUP BY l.name ORDER BY l.name`);
    const { world } = server.sandbox;
    const truth = world.locations
      .map(({ id, name }) => {
        const shopIds = world.shops.flatMap((shop) => (shop.locationId === id ? [shop.id] : []));
        const [current, before] = (
          [
            ['2026-11-09', '2026-11-15'],
            ['2026-11-02', '2026-11-08'],
          ] as const
        ).map(([from, to]) => euros(turnoverOf(world.orders(from, to, { shopIds }))));
        return { name, this_week: current, week_before: before };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(told).toEqual(truth);
  });

  question('how the turnover of a month adds up day by day', async ({ tell, server }) => {
    const told = await tell(`
      SELECT bucket AS day, sum(revenue.total_turnover_wt) OVER (ORDER BY bucket) AS so_far
      FROM turnover_trend(period := '2026-11-01..2026-11-19') ORDER BY day`);
    let cents = 0;
    const truth = daysBetween('2026-11-01', '2026-11-19').map((day) => {
      cents += turnoverOf(server.sandbox.world.orders(day));
      return { day, so_far: euros(cents) };
    });
    expect(told).toEqual(truth);
  });

  question('the largest group of each shop, by name', async ({ tell, server }) => {
    const told = await tell(`
      SELECT s.name AS shop, g.name AS turnover_group, f.value AS turnover
      FROM get_financial_report(period := 'last_month') f
      JOIN shops s ON s.id = f.shop_id JOIN turnover_groups g ON g.id = f.product_group_id
      WHERE f.split = 'shop, turnover_group' AND f.measure = 'turnover_wt'
      QUALIFY row_number() OVER (PARTITION BY s.id ORDER BY f.value DESC) = 1 ORDER BY s.name`);
    const { world } = server.sandbox;
    const truth = world.shops
      .map(({ id, name }) => {
        const lines = revenueLines(world.orders('2026-10-01', '2026-10-31', { shopIds: [id] }));
        const cents = perKey(lines, 'productGroupId', 'totalWtCents');
        const [group, best = 0] = [...cents].sort(([, a], [, b]) => b - a)[0] ?? [];
        const found = world.turnoverGroups.find((it) => it.id === group);
        return { shop: name, turnover_group: found?.name, turnover: euros(best) };
      })
      .sort((a, b) => (a.shop < b.shop ? -1 : 1));
    expect(told).toEqual(truth);
  });
});

describe('about the size of orders, one statement tells', () => {
  question('the median and the ninth decile at each shop', async ({ tell, server }) => {
    const told = await tell(`
      SELECT shop_id, quantile_disc(total_wt, 0.5) AS middle, quantile_disc(total_wt, 0.9) AS high
      FROM list_orders(period := 'last_month') GROUP BY shop_id ORDER BY shop_id`);
    const { world } = server.sandbox;
    const truth = world.shops.map(({ id }) => {
      const cents = world
        .orders('2026-10-01', '2026-10-31', { shopIds: [id] })
        .map(({ totalWtCents }) => totalWtCents)
        .sort((a, b) => a - b);
      const at = (share: number) => euros(cents[Math.ceil(cents.length * share) - 1] ?? 0);
      return { shop_id: id, middle: at(0.5), high: at(0.9) };
    });
    expect(told).toEqual(truth.sort((a, b) => a.shop_id - b.shop_id));
  });

  question('what lies between the quarters, to the half cent', async ({ tell, server }) => {
    const told = await tell(`
      SELECT median(CAST(total_wt AS DOUBLE)) AS middle
      FROM list_orders(period := '2026-10-01..2026-10-10')`);
    const cents = server.sandbox.world
      .orders('2026-10-01', '2026-10-10')
      .map(({ totalWtCents }) => totalWtCents)
      .sort((a, b) => a - b);
    const half = cents.length / 2;
    const pair = [cents[Math.ceil(half) - 1] ?? 0, cents[Math.floor(half)] ?? 0];
    expect(told[0]?.middle).toBeCloseTo(sumOf(pair, (it) => it) / 200, 10);
  });

  question('the orders of each hour of a Sunday with 25', async ({ tell, server }) => {
    const told = await tell(`
      SELECT CAST(date_created AS DATE) AS day, hour(date_created) AS hour, count(*) AS orders
      FROM list_orders(period := '2026-10-24..2026-10-26') GROUP BY ALL ORDER BY ALL`);
    const hours = new Map<string, number>();
    const hourOf = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Amsterdam',
      hour: '2-digit',
    });
    for (const { placedMs } of server.sandbox.world.orders('2026-10-24', '2026-10-26')) {
      const key = `${dayOf(placedMs)} ${hourOf.format(placedMs)}`;
      hours.set(key, (hours.get(key) ?? 0) + 1);
    }
    const truth = [...hours].sort().map(([key, orders]) => {
      const [day, hour] = key.split(' ');
      return { day, hour: Number(hour), orders };
    });
    expect(told).toEqual(truth);
  });
});
