/**
 * The API document leaves the inner field names of reports and of most rows open: other accounts may
 * name them otherwise. Nothing that is told may depend on the names that the sandbox happens to use.
 */
import { describe, expect } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { isRevenue, type Order } from '../../src/sandbox/world/trade/order.ts';
import { euros, perKey, revenueLines, sumOf } from '../sandbox/world/truth.ts';
import {
  type Answering,
  labelOfRate,
  part,
  profile,
  questionsOfAFile,
  resultId,
} from './twenty-questions/questions.ts';

/** None of these names stands in the API document. */
const renameFields = {
  turnover: 'omzet',
  turnover_wt: 'omzet_wt',
  vat: 'btw',
  rates: 'tarieven',
  groups: 'per_groep',
  shops: 'kanalen',
  shop_totals: 'winkels',
  amount_wt: 'ontvangen_wt',
  total_wt: 'bedrag_wt',
  total_ex: 'bedrag',
  payments_wt: 'betaald_wt',
  difference_wt: 'verschil_wt',
  is_balanced: 'sluit',
  name: 'omschrijving',
  customer_name: 'klant',
  date_created: 'geplaatst',
  quantity: 'aantal',
};

const question = questionsOfAFile();

function renamed(words: string, answer: Answering): void {
  question(words, answer, { renameFields });
}

const lastMonth = ['2026-10-01', '2026-10-31'] as const;

/** Turnover incl. VAT in cents. */
function turnoverOf(orders: readonly Order[]): number {
  return sumOf(revenueLines(orders), 'totalWtCents');
}

/** Name and current figure of one measure. */
function figures(rows: readonly JsonObject[], measure: string): unknown[] {
  return rows.filter((row) => row.measure === measure).map(({ name, current }) => [name, current]);
}

describe('an account with other field names is told', () => {
  renamed('its turnover per shop, with names', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('compare_turnover', { period: 'last_month', by: 'shop' });
    expect(figures(rows, 'turnover_by_group.winkels.omzet_wt')).toEqual(
      world.shops.map(({ id, name }) => [
        name,
        euros(turnoverOf(world.orders(...lastMonth, { shopIds: [id] }))),
      ]),
    );
  });

  renamed('its turnover per group, with names', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('compare_turnover', { period: 'last_month', by: 'turnover_group' });
    const cents = perKey(
      revenueLines(world.orders(...lastMonth)),
      'productGroupId',
      'totalWtCents',
    );
    expect(figures(rows, 'turnover_by_group.per_groep.omzet_wt')).toEqual(
      world.turnoverGroups.map(({ id, name }) => [name, euros(cents.get(id) ?? 0)]),
    );
  });

  renamed('its VAT per rate, with names', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('compare_turnover', { period: 'last_month', by: 'tax_rate' });
    const cents = perKey(
      revenueLines(world.orders(...lastMonth, { isPaid: true })),
      'taxRateId',
      ({ totalWtCents, totalExCents }) => totalWtCents - totalExCents,
    );
    const used = world.taxRates.filter(({ id }) => cents.has(id));
    expect(figures(rows, 'direct_paid.tarieven.btw')).toEqual(
      used.map((rate) => [labelOfRate(rate), euros(cents.get(rate.id) ?? 0)]),
    );
  });

  renamed('its turnover per location, with names', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('compare_turnover', {
      period: 'last_month',
      by: 'location',
      measures: ['omzet_wt'],
    });
    expect(figures(rows, 'turnover_by_group.omzet_wt')).toEqual(
      world.locations.map(({ id, name }) => {
        const orders = world.orders(...lastMonth).filter(({ locationId }) => locationId === id);
        return [name, euros(turnoverOf(orders))];
      }),
    );
  });

  renamed('its payments, with names and the difference', async (ask, { sandbox: { world } }) => {
    const { date, differenceCents } = world.unbalancedDay;
    const { rows, context } = await ask('compare_turnover', { from: date, by: 'payment_method' });
    const cents = perKey(
      world.orders(date).flatMap(({ payments }) => payments),
      'methodId',
      'amountCents',
    );
    const told = new Map(
      rows.filter(({ current }) => current !== null).map(({ name, current }) => [name, current]),
    );
    const used = world.paymentMethods.filter(({ id }) => cents.has(id));
    expect(told).toEqual(new Map(used.map(({ id, name }) => [name, euros(cents.get(id) ?? 0)])));
    expect(context.warnings).toContainEqual(
      expect.stringContaining(`The difference is ${euros(differenceCents).toFixed(2)} euros`),
    );
  });

  renamed('its trend by day, a closed day being zero', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('turnover_trend', {
      from: '2026-11-02',
      to: '2026-11-04',
      measures: ['omzet_wt'],
    });
    expect(rows.map((row) => [row.bucket, row['turnover_by_group.omzet_wt']])).toEqual(
      ['2026-11-02', world.closedDay, '2026-11-04'].map((day) => [
        day,
        euros(turnoverOf(world.orders(day))),
      ]),
    );
  });

  renamed('what its orders are worth, per shop', async (ask, { sandbox: { world } }) => {
    const list = await ask('list_orders', { period: 'last_month', all: true });
    const orders = world.orders(...lastMonth);
    const cents = sumOf(orders, 'totalWtCents');
    expect(profile(list, 'bedrag_wt').sum).toBe(euros(cents));
    const placed = new Set(orders.map(({ placedMs }) => placedMs));
    expect(profile(list, 'geplaatst')).toMatchObject({ type: 'timestamp', distinct: placed.size });
    const { rows, context } = await ask('query', {
      sql: `SELECT shop_id, sum(bedrag_wt) AS bedrag FROM result('${resultId(list)}') GROUP BY ALL`,
    });
    const names = part(context, 'labels', 'shop_id');
    const perShop = perKey(orders, 'shopId', 'totalWtCents');
    expect(Object.fromEntries(rows.map((row) => [names[String(row.shop_id)], row.bedrag]))).toEqual(
      Object.fromEntries(world.shops.map(({ id, name }) => [name, euros(perShop.get(id) ?? 0)])),
    );
  });

  renamed('the names of its payment methods and shops', async (ask, { sandbox: { world } }) => {
    const close = await ask('get_daily_close', { date: 'yesterday' });
    const names = part(close.context, 'labels', 'provider_method_type_id');
    const used = new Set(
      world
        .orders('2026-11-19')
        .flatMap(({ payments }) => payments.map(({ methodId }) => methodId)),
    );
    expect(names).toEqual(
      Object.fromEntries(
        world.paymentMethods.filter(({ id }) => used.has(id)).map(({ id, name }) => [id, name]),
      ),
    );
    const { context } = await ask('list_orders', { period: 'yesterday', shop_id: 'webshop' });
    expect(context.resolved).toEqual({ shop_id: { given: 'webshop', id: 1, name: 'Webshop' } });
  });

  renamed('what sold best', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('query', {
      sql: "FROM get_product_sales(period := 'last_month') ORDER BY aantal DESC LIMIT 1",
    });
    const lines = world.orders(...lastMonth).flatMap((order) => order.lines.filter(isRevenue));
    const pieces = perKey(
      lines.filter(({ productId }) => productId !== null),
      'productId',
      'quantity',
    );
    expect(rows[0]?.aantal).toBe(Math.max(...pieces.values()));
  });
});
