import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  euros,
  labelOfRate,
  lastMonth,
  lastWeek,
  named,
  ordersAt,
  perGroup,
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
