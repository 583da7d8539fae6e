import { describe, expect } from 'vitest';
import { isRevenue, type Order } from '../../../src/sandbox/world/trade/order.ts';
import { euros, otherLines, perKey, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { askAtOneServer } from './questions.ts';

const question = askAtOneServer();

/** The inner ids of the products of an order, each once and ascending. */
function productsOf({ lines }: Order): number[] {
  const ids = lines.flatMap((line) => (isRevenue(line) ? (line.productId ?? []) : []));
  return [...new Set(ids)].sort((a, b) => a - b);
}

describe('over the lines of many orders, one statement tells', () => {
  question('what each kind of line brought yesterday', async ({ tell, server }) => {
    const told = await tell(`
      WITH o AS (FROM list_orders(period := 'yesterday'))
      SELECT kind, count(*) AS n, sum(i.quantity) AS pieces, sum(i.total_wt) AS total
      FROM list_order_items(order_id := (SELECT id FROM o)) i GROUP BY kind ORDER BY kind`);
    const orders = server.sandbox.world.orders('2026-11-19');
    const lines = [...revenueLines(orders), ...otherLines(orders)];
    const truth = [...new Set(lines.map(({ kind }) => kind))].sort().map((kind) => {
      const own = lines.filter((line) => line.kind === kind);
      return {
        kind,
        n: own.length,
        pieces: sumOf(own, 'quantity'),
        total: euros(sumOf(own, 'totalWtCents')),
      };
    });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(2);
  });

  question('which two products were bought together most often', async ({ tell, server }) => {
    const told = await tell(`
      WITH lines AS (
        SELECT DISTINCT i.order_id, i.product_id
        FROM list_order_items(order_id := (
          SELECT id FROM list_orders(period := '2026-11-16..2026-11-18'))) i
        WHERE i.product_id IS NOT NULL)
      SELECT a.product_id AS one, b.product_id AS other, count(*) AS times
      FROM lines a JOIN lines b ON a.order_id = b.order_id AND a.product_id < b.product_id
      GROUP BY ALL ORDER BY times DESC, one, other LIMIT 5`);
    const times = new Map<string, { one: number; other: number; times: number }>();
    for (const order of server.sandbox.world.orders('2026-11-16', '2026-11-18')) {
      const ids = productsOf(order);
      for (const one of ids)
        for (const other of ids.filter((id) => id > one)) {
          const pair = times.get(`${one} ${other}`) ?? { one, other, times: 0 };
          pair.times++;
          times.set(`${one} ${other}`, pair);
        }
    }
    const truth = [...times.values()].sort(
      (a, b) => b.times - a.times || a.one - b.one || a.other - b.other,
    );
    expect(told).toEqual(truth.slice(0, 5));
    expect(truth[0]?.times).toBeGreaterThan(1);
  });

  question('the margin of each group at the purchase prices of now', async ({ tell, server }) => {
    const told = await tell(`
      SELECT g.name, sum(i.total_ex) AS sales, sum(i.quantity * p.price_ex) AS cost,
        sum(i.total_ex) - sum(i.quantity * p.price_ex) AS margin
      FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday'))) i
      JOIN list_product_prices() p
        ON p.product_id = i.product_id AND p.product_price_type_id = 2
      JOIN turnover_groups g ON g.id = i.product_group_id
      GROUP BY g.name ORDER BY g.name`);
    const { world } = server.sandbox;
    const lines = revenueLines(world.orders('2026-11-19')).filter(
      ({ productId }) => productId !== null,
    );
    const costs = new Map(world.products.map(({ id, costCents }) => [id, costCents]));
    const truth = world.turnoverGroups
      .map(({ id, name }) => {
        const own = lines.filter(({ productGroupId }) => productGroupId === id);
        const sales = sumOf(own, 'totalExCents');
        const cost = sumOf(own, (line) => line.quantity * (costs.get(line.productId ?? 0) ?? 0));
        return {
          own,
          row: { name, sales: euros(sales), cost: euros(cost), margin: euros(sales - cost) },
        };
      })
      .flatMap(({ own, row }) => (own.length > 0 ? [row] : []))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(3);
  });

  question('how large a basket is at each shop, asked order by order', async ({ tell, server }) => {
    const told = await tell(`
      SELECT s.name, count(DISTINCT o.id) AS orders, count(i.id) AS lines
      FROM list_orders(period := 'yesterday') o, list_order_items(order_id := o.id) i, shops s
      WHERE s.id = o.shop_id GROUP BY s.name ORDER BY s.name`);
    const { world } = server.sandbox;
    const truth = world.shops
      .map(({ id, name }) => {
        const own = world.orders('2026-11-19', '2026-11-19', { shopIds: [id] });
        return { name, orders: own.length, lines: sumOf(own, ({ lines }) => lines.length) };
      })
      .filter(({ orders }) => orders > 0)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(told).toEqual(truth);
  });

  question('which orders sold no product at all', async ({ tell, server }) => {
    const told = await tell(`
      WITH o AS (FROM list_orders(period := '2026-11-18..2026-11-19')),
        i AS (FROM list_order_items(order_id := (SELECT id FROM o)))
      SELECT o.id FROM o ANTI JOIN (FROM i WHERE kind = 'product') p ON p.order_id = o.id
      ORDER BY o.id`);
    const truth = server.sandbox.world
      .orders('2026-11-18', '2026-11-19')
      .filter((order) => productsOf(order).length === 0)
      .map(({ id }) => id);
    expect(told.map(({ id }) => id)).toEqual(truth.sort((a, b) => a - b));
    expect(truth.length).toBeGreaterThan(0);
  });

  question('the VAT of the lines by rate beside what the report says', async ({ tell, server }) => {
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
    const { world } = server.sandbox;
    const cents = perKey(
      revenueLines(world.orders('2026-11-19')),
      'taxRateId',
      ({ totalWtCents, totalExCents }) => totalWtCents - totalExCents,
    );
    const truth = world.taxRates
      .filter(({ id }) => cents.has(id))
      .map(({ id, name }) => {
        const vat = euros(cents.get(id) ?? 0);
        return { name, of_lines: vat, of_report: vat };
      });
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(1);
  });
});
