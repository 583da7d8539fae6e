import { describe, expect } from 'vitest';
import { statusAt } from '../../../src/sandbox/world/trade/order.ts';
import { euros, perKey, sumOf } from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { part, profile, questionsOfAFile, rowsAt } from './questions.ts';

const thisMonth = ['2026-11-01', '2026-11-20'] as const;

const question = questionsOfAFile();

describe('an analyst who asks about payments is told', () => {
  // docs/platform.md#reports.
  question('how a day was paid that does not balance, and by how much', async (ask, server) => {
    const { world } = server.sandbox;
    const { date, differenceCents } = world.unbalancedDay;
    const report = await ask('get_payment_report', { from: date });
    const payments = world.orders(date).flatMap((order) => order.payments);
    const cents = perKey(payments, 'methodId', 'amountCents');
    const names = part(report.context, 'labels', 'provider_method_type_id');
    const told = rowsAt(report.body, 'payments').map((row) => [
      names[String(row.provider_method_type_id)],
      row.amount_wt,
    ]);
    const truth = world.paymentMethods
      .filter(({ id }) => cents.has(id))
      .map(({ id, name }) => [name, euros(cents.get(id) ?? 0)]);
    expect(told).toEqual(truth);
    expect(report.context.warnings).toEqual([
      expect.stringContaining(euros(differenceCents).toFixed(2)),
    ]);
    expect(report.text).toContain('do not balance');
  });

  question(
    'that a day does not balance where payments are shown, and only there',
    async (ask, server) => {
      const days = { from: server.sandbox.world.unbalancedDay.date, against: 'none' };
      const warnings = async (measures?: string[]) =>
        (await ask('compare_turnover', { ...days, ...(measures && { measures }) })).context
          .warnings;
      expect(await warnings()).toBeUndefined();
      expect(await warnings(['direct_paid.total_wt'])).toEqual([
        expect.stringContaining('do not balance'),
      ]);
    },
  );

  question('which orders of this month are unpaid, and their total', async (ask, server) => {
    const { world } = server.sandbox;
    const unpaid = world.orders(...thisMonth, { isPaid: false });
    const orders = await ask('list_orders', { period: 'this_month', is_paid: false, all: true });
    expect(orders.context.complete).toBe(true);
    expect(orders.rows.map(({ id }) => id)).toEqual(unpaid.map(({ id }) => id));
    const totalCents = sumOf(unpaid, 'totalWtCents');
    expect(profile(orders, 'total_wt').sum).toBe(euros(totalCents));
    expect(orders.context.warnings).toEqual([expect.stringContaining('is not over')]);
  });

  question('the share of each status in what is unpaid', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('query', {
      sql: `SELECT status, count(*) AS orders, round(100 * count(*) / sum(count(*)) OVER (), 2) AS percent
        FROM list_orders(period := 'this_month', is_paid := false) GROUP BY status`,
    });
    const unpaid = world.orders(...thisMonth, { isPaid: false });
    const counts = new Map<unknown, number>();
    for (const order of unpaid) {
      const status = statusAt(order, now);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    const told = rows.map((row) => [row.status, [row.orders, row.percent]]);
    const truth = [...counts].map(([status, count]) => [
      status,
      [count, Math.round((count / unpaid.length) * 1e4) / 100],
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(truth));
    expect(counts.size).toBeGreaterThan(2);
  });
});
