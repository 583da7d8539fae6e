/**
 * The API document leaves the inner field names of reports and of most rows open: other accounts may
 * name them otherwise. Nothing that is told may depend on the names that the sandbox happens to use.
 */
import { describe, expect, test } from 'vitest';
import type { World } from '../../src/sandbox/world/world.ts';
import {
  euros,
  labelOfRate,
  lastMonth,
  named,
  ordersAt,
  perGroup,
  perKey,
  perMethod,
  revenueLines,
  total,
  turnover,
  vatPerRate,
} from '../sandbox/world/truth.ts';
import { sharedServer } from '../server-over.ts';
import { part, profile, resultId } from './questions.ts';

const server = sharedServer({
  // The other would describe the names of the sandbox.
  description: 'bare',
  settings: { COMMERCE_DEFINITIONS: 'definitions' },
  // None of these names stands in the API document.
  renameFields: {
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
  },
});
const { ask } = server;

describe('an account with other field names is told', () => {
  test.each<[by: string, measure: string, truth: (world: World) => [string, number][]]>([
    [
      'shop',
      'turnover_by_group.winkels.omzet_wt',
      (world) =>
        world.shops.map(({ id, name }) => [
          name,
          turnover(world.orders(...lastMonth, { shopIds: [id] })).wt,
        ]),
    ],
    [
      'turnover_group',
      'turnover_by_group.per_groep.omzet_wt',
      (world) =>
        named(world.turnoverGroups, perGroup(world.orders(...lastMonth)), ({ name }) => name),
    ],
    [
      'tax_rate',
      'tarieven.btw',
      (world) => named(world.taxRates, vatPerRate(world.orders(...lastMonth)), labelOfRate),
    ],
    [
      'location',
      'turnover_by_group.omzet_wt',
      (world) =>
        world.locations.map(({ id, name }) => [
          name,
          turnover(ordersAt(world, id, ...lastMonth)).wt,
        ]),
    ],
  ])('its figures by %s, with names', async (by, measure, truth) => {
    const measures = by === 'location' ? { measures: ['omzet_wt'] } : {};
    const { rows } = await ask('compare_turnover', { period: 'last_month', by, ...measures });
    const told = rows.filter((row) => row.measure === measure);
    expect(told.map(({ name, current }) => [name, current])).toEqual(truth(server().sandbox.world));
  });

  test('its payments, with names and the difference', async () => {
    const { world } = server().sandbox;
    const { date, differenceCents } = world.unbalancedDay;
    const { rows, context } = await ask('compare_turnover', { from: date, by: 'payment_method' });
    const told = rows.filter(({ current }) => current !== null);
    const received = perMethod(world.orders(date));
    expect(new Map(told.map(({ name, current }) => [name, current]))).toEqual(
      new Map(named(world.paymentMethods, received, ({ name }) => name)),
    );
    expect(context.warnings).toContainEqual(
      expect.objectContaining({
        code: 'balance_differs',
        difference: euros(differenceCents).toFixed(2),
      }),
    );
    const { labels } = (await ask('get_daily_close', { date })).context;
    expect(labels).toMatchObject({
      provider_method_type_id: Object.fromEntries(
        world.paymentMethods.filter(({ id }) => received.has(id)).map(({ id, name }) => [id, name]),
      ),
    });
  });

  test('its trend by day, a closed day being zero', async () => {
    const { world } = server().sandbox;
    const days = { from: '2026-11-02', to: '2026-11-04' };
    const { rows } = await ask('turnover_trend', { ...days, measures: ['omzet_wt'] });
    expect(rows.map((row) => [row.bucket, row['turnover_by_group.omzet_wt']])).toEqual(
      ['2026-11-02', world.closedDay, '2026-11-04'].map((day) => [
        day,
        turnover(world.orders(day)).wt,
      ]),
    );
  });

  test('what its orders are worth, per shop, and shops by name', async () => {
    const { world } = server().sandbox;
    const list = await ask('list_orders', { period: 'last_month', all: true });
    const orders = world.orders(...lastMonth);
    expect(profile(list, 'bedrag_wt').sum).toBe(total(orders));
    const placed = new Set(orders.map(({ placedMs }) => placedMs));
    expect(profile(list, 'geplaatst')).toMatchObject({ type: 'timestamp', distinct: placed.size });
    const { rows, context } = await ask('query', {
      sql: `SELECT shop_id, sum(bedrag_wt) AS bedrag FROM result('${resultId(list)}') GROUP BY ALL ORDER BY shop_id`,
    });
    const names = part(context, 'labels', 'shop_id');
    const told = rows.map((row) => [names[String(row.shop_id)], row.bedrag]);
    expect(told).toEqual(
      named(world.shops, perKey(orders, 'shopId', 'totalWtCents'), ({ name }) => name),
    );
    const { resolved } = (await ask('list_orders', { period: 'yesterday', shop_id: 'webshop' }))
      .context;
    expect(resolved).toEqual({ shop_id: { given: 'webshop', id: 1, name: 'Webshop' } });
  });

  test('what the views of the package find', async () => {
    const { world } = server().sandbox;
    const { rows } = await ask('query', { sql: "FROM net_turnover(period := 'last_month')" });
    expect(rows.map((row) => [row.shop_id, row.measure, row.net_turnover_ex])).toEqual(
      world.shops.map(({ id }) => {
        return [id, 'omzet', turnover(world.orders(...lastMonth, { shopIds: [id] })).ex];
      }),
    );
    const best = await ask('query', { sql: 'FROM regulars LIMIT 1' });
    expect(best.rows[0]).toMatchObject({ bedrag_wt: expect.any(Number) });
  });

  test('what sold best', async () => {
    const { rows } = await ask('query', {
      sql: "FROM get_product_sales(period := 'last_month') ORDER BY aantal DESC LIMIT 1",
    });
    const lines = revenueLines(server().sandbox.world.orders(...lastMonth));
    const sold = lines.filter(({ productId }) => productId !== null);
    expect(rows[0]?.aantal).toBe(Math.max(...perKey(sold, 'productId', 'quantity').values()));
  });
});
