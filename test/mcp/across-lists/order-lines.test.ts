import { describe, expect } from 'vitest';
import { isRevenue, type Order } from '../../../src/sandbox/world/trade/order.ts';
import {
  byName,
  countBy,
  euros,
  named,
  otherLines,
  revenueLines,
  sumOf,
  vatPerRate,
} from '../../sandbox/world/truth.ts';
import { questionsOfAFile } from '../questions.ts';

const question = questionsOfAFile();
const yesterday = '2026-11-19';

/** The inner ids of the products of an order, each once and ascending. */
function productsOf({ lines }: Order): number[] {
  const ids = lines.flatMap((line) => (isRevenue(line) ? (line.productId ?? []) : []));
  return [...new Set(ids)].sort((a, b) => a - b);
}

describe('over the lines of many orders, one statement tells', () => {
  question('what each kind of line brought yesterday', async ({ tell, world }) => {
    const told = await tell(`
      WITH o AS (FROM list_orders(period := 'yesterday'))
      SELECT kind, count(*) AS n, sum(i.quantity) AS pieces, sum(i.total_wt) AS total
      FROM list_order_items(order_id := (SELECT id FROM o)) i GROUP BY kind`);
    const orders = world.orders(yesterday);
    const lines = [...revenueLines(orders), ...otherLines(orders)];
    const truth = [...countBy(lines, ({ kind }) => kind)].map(([kind, n]) => {
      const own = lines.filter((line) => line.kind === kind);
      const [pieces, cents] = [sumOf(own, 'quantity'), sumOf(own, 'totalWtCents')];
      return { kind, n, pieces, total: euros(cents) };
    });
    expect(new Map(told.map((row) => [row.kind, row]))).toEqual(
      new Map(truth.map((row) => [row.kind, row])),
    );
    expect(truth.length).toBeGreaterThan(2);
  });

  question('which two products were bought together most often', async ({ tell, world }) => {
    const told = await tell(`
      WITH lines AS (
        SELECT DISTINCT i.order_id, i.product_id
        FROM list_order_items(order_id := (
          SELECT id FROM list_orders(period := '2026-11-16..2026-11-17'))) i
        WHERE i.product_id IS NOT NULL)
      SELECT a.product_id AS one, b.product_id AS other, count(*) AS times
      FROM lines a JOIN lines b ON a.order_id = b.order_id AND a.product_id < b.product_id
      GROUP BY ALL ORDER BY times DESC, one, other LIMIT 5`);
    const pairs = world.orders('2026-11-16', '2026-11-17').flatMap((order) => {
      const ids = productsOf(order);
      return ids.flatMap((one) => ids.filter((id) => id > one).map((other) => `${one} ${other}`));
    });
    const truth = [...countBy(pairs, (pair) => pair)].map(([pair, times]) => {
      const [one = 0, other = 0] = pair.split(' ').map(Number);
      return { one, other, times };
    });
    truth.sort((a, b) => b.times - a.times || a.one - b.one || a.other - b.other);
    expect(told).toEqual(truth.slice(0, 5));
    expect(truth[0]?.times).toBeGreaterThan(1);
  });

  question('the margin of each group at the purchase prices of now', async ({ tell, world }) => {
    const told = await tell(`
      SELECT g.name, sum(i.total_ex) AS sales, sum(i.quantity * p.price_ex) AS cost,
        sum(i.total_ex) - sum(i.quantity * p.price_ex) AS margin
      FROM list_order_items(order_id := (SELECT id FROM list_orders(period := 'yesterday'))) i
      JOIN list_product_prices() p
        ON p.product_id = i.product_id AND p.product_price_type_id = 2
      JOIN turnover_groups g ON g.id = i.product_group_id
      GROUP BY g.name ORDER BY g.name`);
    const lines = revenueLines(world.orders(yesterday)).filter((line) => line.productId !== null);
    const costs = new Map(world.products.map(({ id, costCents }) => [id, costCents]));
    const truth = world.turnoverGroups.flatMap(({ id, name }) => {
      const own = lines.filter(({ productGroupId }) => productGroupId === id);
      const sales = sumOf(own, 'totalExCents');
      const cost = sumOf(own, (line) => line.quantity * (costs.get(line.productId ?? 0) ?? 0));
      const row = { name, sales: euros(sales), cost: euros(cost), margin: euros(sales - cost) };
      return own.length === 0 ? [] : [row];
    });
    expect(told).toEqual(byName(truth));
    expect(truth.length).toBeGreaterThan(3);
  });

  question('how large a basket is at each shop, asked order by order', async ({ tell, world }) => {
    const told = await tell(`
      SELECT s.name, count(DISTINCT o.id) AS orders, count(i.id) AS lines
      FROM list_orders(period := 'yesterday') o, list_order_items(order_id := o.id) i, shops s
      WHERE s.id = o.shop_id GROUP BY s.name ORDER BY s.name`);
    const truth = world.shops.flatMap(({ id, name }) => {
      const own = world.orders(yesterday, yesterday, { shopIds: [id] });
      const lines = sumOf(own, (order) => order.lines.length);
      return own.length === 0 ? [] : [{ name, orders: own.length, lines }];
    });
    expect(told).toEqual(byName(truth));
  });

  question('which orders sold no product at all', async ({ tell, world }) => {
    const told = await tell(`
      WITH o AS (FROM list_orders(period := '2026-11-18..2026-11-19')),
        i AS (FROM list_order_items(order_id := (SELECT id FROM o)))
      SELECT o.id FROM o ANTI JOIN (FROM i WHERE kind = 'product') p ON p.order_id = o.id
      ORDER BY o.id`);
    const truth = world
      .orders('2026-11-18', yesterday)
      .filter((order) => productsOf(order).length === 0)
      .map(({ id }) => id);
    expect(told.map(({ id }) => id)).toEqual(truth.sort((a, b) => a - b));
    expect(truth.length).toBeGreaterThan(0);
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
    const vat = vatPerRate(world.orders(yesterday));
    const truth = named(world.taxRates, vat, ({ name }) => name);
    expect(told).toEqual(truth.map(([name, of]) => ({ name, of_lines: of, of_report: of })));
    expect(truth.length).toBeGreaterThan(1);
  });
});
