import { describe, expect } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { Order } from '../../../src/sandbox/world/trade/order.ts';
import type { World } from '../../../src/sandbox/world/world.ts';
import { euros, perKey, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { labelOfRate, part, questionsOfAFile, rowsAt } from './questions.ts';

/** Turnover incl. and excl. VAT of some orders in cents, from their bare lines. */
function turnoverOf(orders: readonly Order[]): { wt: number; ex: number } {
  const lines = revenueLines(orders);
  return {
    wt: sumOf(lines, 'totalWtCents'),
    ex: sumOf(lines, 'totalExCents'),
  };
}

/** Cents incl. VAT per turnover group. */
function perGroup(world: World, from: string, to: string): Map<number, number> {
  const lines = revenueLines(world.orders(from, to));
  return perKey(lines, 'productGroupId', 'totalWtCents');
}

/** The rows of one measure: those whose path ends so. */
function ofMeasure(rows: readonly JsonObject[], end: string): JsonObject[] {
  return rows.filter(({ measure }) => String(measure).endsWith(end));
}

const question = questionsOfAFile();

describe('an analyst who asks about turnover is told', () => {
  question('yesterday’s turnover per shop, with names', async (ask, { sandbox: { world } }) => {
    const report = await ask('get_financial_report', { period: 'yesterday' });
    expect(report.context.period).toMatchObject({ from: '2026-11-19', to: '2026-11-19' });
    const names = part(report.context, 'labels', 'shop_id');
    const told = rowsAt(report.body, 'turnover_by_group', 'shop_totals').map((row) => ({
      shop: names[String(row.shop_id)],
      wt: row.turnover_wt,
      ex: row.turnover,
    }));
    const truth = world.shops.map(({ id, name }) => {
      const { wt, ex } = turnoverOf(world.orders('2026-11-19', '2026-11-19', { shopIds: [id] }));
      return { shop: name, wt: euros(wt), ex: euros(ex) };
    });
    expect(told).toEqual(truth);
    expect(report.text).toContain('1 Webshop');
  });

  question('last week against the week before, per group', async (ask, { sandbox: { world } }) => {
    const { rows, context } = await ask('compare_turnover', {
      period: 'last_week',
      by: 'turnover_group',
    });
    expect(context.reference_period).toMatchObject({ from: '2026-11-02', to: '2026-11-08' });
    const now = perGroup(world, '2026-11-09', '2026-11-15');
    const then = perGroup(world, '2026-11-02', '2026-11-08');
    const told = ofMeasure(rows, 'turnover_wt').map(({ name, current, reference, difference }) => ({
      name,
      current,
      reference,
      difference,
    }));
    const truth = world.turnoverGroups.map(({ id, name }) => {
      const [current = 0, reference = 0] = [now.get(id), then.get(id)];
      return {
        name,
        current: euros(current),
        reference: euros(reference),
        difference: euros(current - reference),
      };
    });
    expect(told).toEqual(truth);
  });

  question('the VAT per rate last month, paid and unpaid', async (ask, { sandbox: { world } }) => {
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
      const lines = revenueLines(world.orders('2026-10-01', '2026-10-31', { isPaid }));
      const cents = perKey(
        lines,
        'taxRateId',
        ({ totalWtCents, totalExCents }) => totalWtCents - totalExCents,
      );
      const truth = world.taxRates
        .filter(({ id }) => cents.has(id))
        .map((rate) => [labelOfRate(rate), euros(cents.get(rate.id) ?? 0)]);
      expect(told, section).toEqual(truth);
      expect(told.length, section).toBeGreaterThan(1);
    }
  });

  question('how the same Saturday of last year went', async (ask, { sandbox: { world } }) => {
    const { rows, context } = await ask('compare_turnover', {
      from: '2026-11-14',
      against: 'year_earlier_same_weekdays',
    });
    expect(context.reference_period).toMatchObject({ from: '2025-11-15', to: '2025-11-15' });
    const [now, then] = [world.orders('2026-11-14'), world.orders('2025-11-15')].map(turnoverOf);
    expect(ofMeasure(rows, 'revenue.total_turnover_wt')).toEqual([
      {
        measure: 'revenue.total_turnover_wt',
        current: euros(now?.wt ?? 0),
        reference: euros(then?.wt ?? 0),
        difference: euros((now?.wt ?? 0) - (then?.wt ?? 0)),
        percent: Math.round((((now?.wt ?? 0) - (then?.wt ?? 0)) / (then?.wt ?? 0)) * 1e4) / 100,
      },
    ]);
  });

  question('the turnover of each location last month', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('compare_turnover', { period: 'last_month', by: 'location' });
    const told = ofMeasure(rows, 'revenue.total_turnover').map(({ name, current }) => [
      name,
      current,
    ]);
    const truth = world.locations.map(({ id, name }) => {
      const shopIds = world.shops.filter((shop) => shop.locationId === id).map((shop) => shop.id);
      const orders = world.orders('2026-10-01', '2026-10-31', { shopIds });
      return [name, euros(turnoverOf(orders).ex)];
    });
    expect(told).toEqual(truth);
  });

  question('the trend by day, a closed day being zero', async (ask, { sandbox: { world } }) => {
    expect(world.closedDay).toBe('2026-11-03');
    const { rows } = await ask('turnover_trend', { from: '2026-11-01', to: '2026-11-07' });
    const days = ['01', '02', '03', '04', '05', '06', '07'].map((day) => `2026-11-${day}`);
    const column = 'revenue.total_turnover_wt';
    const told = rows.map((row) => [row.bucket, row[column]]);
    expect(told).toEqual(days.map((day) => [day, euros(turnoverOf(world.orders(day)).wt)]));
    expect(told).toContainEqual(['2026-11-03', 0]);
  });
});
