import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  byName,
  euros,
  labelOfRate,
  lastMonth,
  lastWeek,
  named,
  ordersAt,
  perGroup,
  perMethod,
  sumOf,
  turnover,
  vatPerRate,
  weekBefore,
} from '../../sandbox/world/truth.ts';
import { part, questionsOfAFile, rowsAt } from '../questions.ts';

const question = questionsOfAFile();
const asRegional = questionsOfAFile({ role: 'regional' });
const yesterday = '2026-11-19';

/** The rows of one measure: those whose path ends so. */
function ofMeasure(rows: readonly JsonObject[], end: string): JsonObject[] {
  return rows.filter(({ measure }) => String(measure).endsWith(end));
}

describe('an analyst who asks about turnover is told', () => {
  question('yesterday’s turnover per shop, with names', async ({ ask, world }) => {
    const report = await ask('get_financial_report', { period: 'yesterday' });
    expect(report.context.period).toMatchObject({ from: yesterday, to: yesterday });
    const names = part(report.context, 'labels', 'shop_id');
    const told = rowsAt(report.body, 'turnover_by_group', 'shop_totals');
    expect(told.map((row) => [names[String(row.shop_id)], row.turnover_wt, row.turnover])).toEqual(
      world.shops.map(({ id, name }) => {
        const { wt, ex } = turnover(world.orders(yesterday, yesterday, { shopIds: [id] }));
        return [name, wt, ex];
      }),
    );
    expect(report.text).toContain('1 Webshop');
  });

  question('last week against the week before, per group', async ({ ask, world }) => {
    const asked = { period: 'last_week', by: 'turnover_group' };
    const { rows, context } = await ask('compare_turnover', asked);
    expect(context.reference_period).toMatchObject({ from: '2026-11-02', to: '2026-11-08' });
    const now = perGroup(world.orders(...lastWeek));
    const then = perGroup(world.orders(...weekBefore));
    const told = ofMeasure(rows, 'turnover_wt');
    expect(told.map((it) => [it.name, it.current, it.reference, it.difference])).toEqual(
      world.turnoverGroups.map(({ id, name }) => {
        const [current = 0, reference = 0] = [now.get(id), then.get(id)];
        return [name, euros(current), euros(reference), euros(current - reference)];
      }),
    );
  });

  question('the VAT per rate last month, paid and unpaid', async ({ ask, world }) => {
    const report = await ask('get_financial_report', { period: 'last_month' });
    const names = part(report.context, 'labels', 'tax_rate_id');
    for (const [section, isPaid] of [
      ['direct_paid', true],
      ['not_paid_now', false],
    ] as const) {
      const told = rowsAt(report.body, section, 'rates').map(({ tax_rate_id, vat }) => [
        names[String(tax_rate_id)],
        vat,
      ]);
      const cents = vatPerRate(world.orders(...lastMonth, { isPaid }));
      expect(told, section).toEqual(named(world.taxRates, cents, labelOfRate));
      expect(told.length, section).toBeGreaterThan(1);
    }
  });

  question('how the same Saturday of last year went', async ({ ask, world }) => {
    const asked = { from: '2026-11-14', against: 'year_earlier_same_weekdays' };
    const { rows, context } = await ask('compare_turnover', asked);
    expect(context.reference_period).toMatchObject({ from: '2025-11-15', to: '2025-11-15' });
    const current = turnover(world.orders('2026-11-14')).wt;
    const reference = turnover(world.orders('2025-11-15')).wt;
    const cents = Math.round(current * 100) - Math.round(reference * 100);
    const measure = 'revenue.total_turnover_wt';
    const percent = Math.round((cents / reference) * 100) / 100;
    const difference = euros(cents);
    expect(ofMeasure(rows, measure)).toEqual([
      { measure, current, reference, difference, percent },
    ]);
  });

  question('the turnover of each location last month', async ({ ask, world }) => {
    const { rows } = await ask('compare_turnover', { period: 'last_month', by: 'location' });
    const told = ofMeasure(rows, 'revenue.total_turnover');
    expect(told.map(({ name, current }) => [name, current])).toEqual(
      world.locations.map(({ id, name }) => [name, turnover(ordersAt(world, id, ...lastMonth)).ex]),
    );
  });

  question('the turnover of each shop by its documented word', async ({ ask, world }) => {
    const asked = { period: 'last_month', by: 'shop', measures: ['total_turnover_wt'] };
    const { rows } = await ask('compare_turnover', asked);
    const shops = rows.filter(({ id }) => id !== undefined);
    expect(shops.map(({ name, current }) => [name, current])).toEqual(
      world.shops.map(({ id, name }) => [
        name,
        turnover(world.orders(...lastMonth, { shopIds: [id] })).wt,
      ]),
    );
  });

  question('the trend by day, a closed day being zero', async ({ ask, world }) => {
    expect(world.closedDay).toBe('2026-11-03');
    const { rows } = await ask('turnover_trend', { from: '2026-11-01', to: '2026-11-05' });
    const days = ['01', '02', '03', '04', '05'].map((day) => `2026-11-${day}`);
    const told = rows.map((row) => [row.bucket, row['revenue.total_turnover_wt']]);
    expect(told).toEqual(days.map((day) => [day, turnover(world.orders(day)).wt]));
    expect(told).toContainEqual(['2026-11-03', 0]);
  });
});

describe('an analyst who asks about turnover by one statement is told', () => {
  question('which single day does not balance, and by how much', async ({ tell, world }) => {
    const { date, differenceCents } = world.unbalancedDay;
    const told = await tell(`
      SELECT "date" AS day, value FROM get_daily_close("date" := (
        SELECT CAST(d AS DATE) FROM range(DATE '${date}', DATE '${date}' + 4, INTERVAL 1 DAY) t(d)))
      WHERE path = 'balance_check' AND measure = 'difference_wt' AND value <> 0`);
    expect(told).toEqual([{ day: date, value: euros(differenceCents) }]);
  });

  question('the share of each payment method, week by week', async ({ tell, world }) => {
    const weeks = [weekBefore, lastWeek];
    const periods = weeks.map((week) => week.join('..'));
    const told = await tell(`
      SELECT period, m.name, r.value AS received,
        round(100 * r.value / sum(r.value) OVER (PARTITION BY period), 2) AS percent
      FROM get_payment_report(period := ['${periods.join("', '")}']) r
      JOIN payment_methods m USING (provider_method_type_id)
      WHERE r.split = 'payment_method' ORDER BY period, m.name`);
    const truth = weeks.flatMap(([from, to]) => {
      const cents = perMethod(world.orders(from, to));
      const all = sumOf([...cents.values()], (own) => own);
      const rows = world.paymentMethods.flatMap(({ id, name }) => {
        const own = cents.get(id);
        if (own === undefined) return [];
        const percent = Math.round((own / all) * 10_000) / 100;
        return [{ period: `${from}..${to}`, name, received: euros(own), percent }];
      });
      return byName(rows);
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(6);
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
      const [group, most = 0] = [...cents].sort(([, a], [, b]) => b - a)[0] ?? [];
      const best = world.turnoverGroups.find((one) => one.id === group);
      return { name, turnover_group: best?.name, turnover: euros(most) };
    });
    expect(told).toEqual(byName(truth));
  });

  question('the VAT of the lines by rate beside what the report says', async ({ tell, world }) => {
    const told = await tell(`
      WITH lines AS (
        SELECT tax_rate_id, sum(total_wt - total_ex) AS vat
        FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday')))
        WHERE tax_rate_id IS NOT NULL GROUP BY ALL),
      report AS (
        SELECT tax_rate_id, sum(value) AS vat FROM get_financial_report(period := 'yesterday')
        WHERE measure = 'vat' AND split = 'tax_rate' GROUP BY ALL)
      SELECT t.name, lines.vat AS of_lines, report.vat AS of_report
      FROM lines FULL JOIN report USING (tax_rate_id) JOIN tax_rates t ON t.id = tax_rate_id
      ORDER BY t.id`);
    const truth = named(world.taxRates, vatPerRate(world.orders(yesterday)), ({ name }) => name);
    expect(told).toEqual(truth.map(([name, vat]) => ({ name, of_lines: vat, of_report: vat })));
    expect(truth.length).toBeGreaterThan(1);
  });
});

describe('an analyst whose question is refused is told', () => {
  const date = 'yesterday';

  question('which location a shop belongs to', async ({ ask, world }) => {
    const refused = await ask('get_daily_close', { date, location_id: '7' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      '7 is the shop Utrecht Oost, not a location: its location_id is Utrecht Oost (3).',
    );
    const close = await ask('get_daily_close', { date, location_id: '3' });
    expect(close.body.turnover_wt).toBe(turnover(ordersAt(world, 3, yesterday)).wt);
  });

  asRegional('which of the locations of a role can be asked for', async ({ ask, world }) => {
    const refused = await ask('get_daily_close', { date });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('location_id may be Utrecht Centraal (2), Utrecht Oost (3).');
    const close = await ask('get_daily_close', { date, location_id: 'Utrecht Centraal' });
    expect(close.body.turnover_wt).toBe(turnover(ordersAt(world, 2, yesterday)).wt);
  });
});
