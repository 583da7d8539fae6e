import { describe, expect } from 'vitest';
import {
  byName,
  daysBetween,
  euros,
  lastMonth,
  lastWeek,
  ordersAt,
  perGroup,
  perMethod,
  sumOf,
  total,
  turnover,
  weekBefore,
} from '../../sandbox/world/truth.ts';
import { questionsOfAFile } from '../questions.ts';

const question = questionsOfAFile();

describe('about turnover, one statement tells', () => {
  question('whether a report and its orders agree', async ({ tell, world }) => {
    const told = await tell(`
      SELECT
        (SELECT sum(value) FROM get_financial_report(period := 'last_week')
         WHERE split = 'total' AND (path, measure) IN
           (('direct_paid', 'total_wt'), ('not_paid_now', 'turnover_wt'))) AS reported,
        (SELECT sum(total_wt) FROM list_orders(period := 'last_week')) AS ordered`);
    const truth = total(world.orders(...lastWeek));
    expect(told).toEqual([{ reported: truth, ordered: truth }]);
  });

  question('which single day does not balance, and by how much', async ({ tell, world }) => {
    const { date, differenceCents } = world.unbalancedDay;
    const around = daysBetween(date, '2026-11-19').slice(0, 4);
    const told = await tell(`
      SELECT "date" AS day, value FROM get_daily_close("date" := ['${around.join("', '")}'])
      WHERE path = 'balance_check' AND measure = 'difference_wt' AND value <> 0`);
    expect(told).toEqual([{ day: date, value: euros(differenceCents) }]);
  });

  question('what an average Monday, Tuesday ... brings', async ({ tell, world }) => {
    const told = await tell(`
      SELECT isodow("date") AS weekday, count(*) AS days, sum(value) AS turnover
      FROM get_daily_close("date" := (
        SELECT CAST(d AS DATE) FROM range(DATE '2026-11-02', DATE '2026-11-16', INTERVAL 1 DAY) t(d)))
      WHERE path = '' AND measure = 'turnover_wt' GROUP BY weekday ORDER BY weekday`);
    const truth = daysBetween(...weekBefore).map((day, at) => {
      const days = [day, daysBetween(...lastWeek)[at] ?? ''];
      return {
        weekday: at + 1,
        days: days.length,
        turnover: turnover(days.flatMap((it) => world.orders(it))).wt,
      };
    });
    expect(told).toEqual(truth);
  });

  question('the share of each payment method, week by week', async ({ tell, world }) => {
    const weeks = [weekBefore, lastWeek];
    const periods = weeks.map((week) => week.join('..'));
    const told = await tell(`
      SELECT period, m.name, r.value AS received,
        round(100 * r.value / sum(r.value) OVER (PARTITION BY period), 2) AS percent
      FROM get_payment_report(period := ['${periods.join("', '")}']) r
      JOIN payment_methods m USING (provider_method_type_id)
      WHERE r.split = 'payment_method' ORDER BY period, m.provider_method_type_id`);
    const truth = weeks.flatMap(([from, to]) => {
      const cents = perMethod(world.orders(from, to));
      const all = sumOf([...cents.values()], (own) => own);
      return world.paymentMethods
        .filter(({ id }) => cents.has(id))
        .sort((a, b) => a.id - b.id)
        .map(({ id, name }) => {
          const own = cents.get(id) ?? 0;
          const percent = Math.round((own / all) * 10_000) / 100;
          return { period: `${from}..${to}`, name, received: euros(own), percent };
        });
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(6);
  });

  question('the best day of each shop', async ({ tell, world }) => {
    const told = await tell(`
      SELECT s.name, CAST(o.date_created AS DATE) AS day, sum(o.total_wt) AS total
      FROM list_orders(period := 'last_month') o JOIN shops s ON s.id = o.shop_id
      GROUP BY s.name, day
      QUALIFY row_number() OVER (PARTITION BY s.name ORDER BY total DESC, day) = 1
      ORDER BY s.name`);
    const truth = world.shops.map(({ id, name }) => {
      const days = daysBetween(...lastMonth).map((day) => ({
        name,
        day,
        total: total(world.orders(day, day, { shopIds: [id] })),
      }));
      return (
        days.sort((a, b) => b.total - a.total || (a.day < b.day ? -1 : 1))[0] ??
        expect.unreachable()
      );
    });
    expect(told).toEqual(byName(truth));
  });

  question('the growth of each location, from its shops', async ({ tell, world }) => {
    const told = await tell(`
      SELECT l.name, sum(c.current) AS this_week, sum(c.reference) AS week_before
      FROM compare_turnover(period := 'last_week', by := 'shop') c
      JOIN shops s ON s.id = c.id JOIN locations l ON l.id = s.location_id
      WHERE c.measure LIKE '%turnover_wt' GROUP BY l.name ORDER BY l.name`);
    const truth = world.locations.map(({ id, name }) => ({
      name,
      this_week: turnover(ordersAt(world, id, ...lastWeek)).wt,
      week_before: turnover(ordersAt(world, id, ...weekBefore)).wt,
    }));
    expect(told).toEqual(byName(truth));
  });

  question('the largest group of each shop, by name', async ({ tell, world }) => {
    const told = await tell(`
      SELECT s.name, g.name AS turnover_group, f.value AS turnover
      FROM get_financial_report(period := 'last_month') f
      JOIN shops s ON s.id = f.shop_id JOIN turnover_groups g ON g.id = f.product_group_id
      WHERE f.split = 'shop, turnover_group' AND f.measure = 'turnover_wt'
      QUALIFY row_number() OVER (PARTITION BY s.id ORDER BY f.value DESC) = 1 ORDER BY s.name`);
    const truth = world.shops.map(({ id, name }) => {
      const cents = perGroup(world.orders(...lastMonth, { shopIds: [id] }));
      const [group, best = 0] = [...cents].sort(([, a], [, b]) => b - a)[0] ?? [];
      const found = world.turnoverGroups.find((it) => it.id === group);
      return { name, turnover_group: found?.name, turnover: euros(best) };
    });
    expect(told).toEqual(byName(truth));
  });

  question('the median order of each shop, and the ninth decile', async ({ tell, world }) => {
    const told = await tell(`
      SELECT shop_id, quantile_disc(total_wt, 0.5) AS middle, quantile_disc(total_wt, 0.9) AS high
      FROM list_orders(period := 'last_month') GROUP BY shop_id ORDER BY shop_id`);
    const truth = world.shops.map(({ id }) => {
      const totals = world
        .orders(...lastMonth, { shopIds: [id] })
        .map((order) => total([order]))
        .sort((a, b) => a - b);
      const at = (share: number) => totals[Math.ceil(totals.length * share) - 1];
      return { shop_id: id, middle: at(0.5), high: at(0.9) };
    });
    expect(told).toEqual(truth.sort((a, b) => a.shop_id - b.shop_id));
  });
});
