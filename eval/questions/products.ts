import type { Product } from '../../src/sandbox/world/business/products.ts';
import type { World } from '../../src/sandbox/world/world.ts';
import { isSoldAt } from '../../src/sandbox/world/world.ts';
import { perKey, revenueLines, sumOf } from '../../test/sandbox/world/truth.ts';
import { daysOf, euros, largest, type Question } from './question.ts';

/** Pieces of each product sold last week, by inner id. */
function soldLastWeek(world: World): Map<number, number> {
  const lines = revenueLines(world.orders(...daysOf(world).lastWeek));
  return perKey(lines, 'productId', 'quantity');
}

/** Pieces of a product at all locations together. */
function stockEverywhere(world: World): (product: Product) => number {
  const level = world.stockLevels();
  return (product) => sumOf(world.locations, ({ id }) => level(product, id));
}

export const productQuestions: readonly Question[] = [
  {
    id: 'best-sellers',
    ask: 'Which five products sold the most pieces last month? Give pieces and turnover including VAT.',
    truth(world) {
      const lines = revenueLines(world.orders(...daysOf(world).lastMonth));
      const pieces = perKey(lines, 'productId', 'quantity');
      const cents = perKey(lines, 'productId', 'totalWtCents');
      const sold = world.products.map(({ id, title: [title] }) => ({
        title,
        pieces: pieces.get(id) ?? 0,
        cents: cents.get(id) ?? 0,
      }));
      return largest(sold, 5, ({ pieces }) => pieces).map(({ title, pieces, cents }) => [
        title,
        pieces,
        euros(cents),
      ]);
    },
    sql: `SELECT title, quantity, turnover_wt FROM get_product_sales(period := 'last_month')
      ORDER BY quantity DESC LIMIT 5`,
  },
  {
    id: 'teapots',
    ask: 'How many pieces of each teapot (theepot) are in stock at the location Utrecht Oost?',
    truth(world) {
      const home = world.locations.find(({ name }) => name === 'Utrecht Oost')?.id ?? 0;
      return world.products
        .filter(({ title: [title] }) => title.startsWith('Theepot'))
        .map((product) => [product.title[0], world.stockLevels()(product, home)]);
    },
    sql: `SELECT title, stock FROM search_products(q := 'theepot', location_id := 'Utrecht Oost')`,
  },
  {
    id: 'margin-per-group',
    ask: (world) =>
      `What was the margin of each turnover group on the products sold on ${daysOf(world).saturday}: sales excluding VAT, minus the pieces at today’s purchase price excluding VAT? Give sales, cost and margin.`,
    truth(world) {
      const costs = new Map(world.products.map(({ id, costCents }) => [id, costCents]));
      const lines = revenueLines(world.orders(daysOf(world).saturday)).filter(
        ({ productId }) => productId !== null,
      );
      return world.turnoverGroups.flatMap(({ id, name }) => {
        const own = lines.filter(({ productGroupId }) => productGroupId === id);
        const sales = sumOf(own, 'totalExCents');
        const cost = sumOf(own, (line) => line.quantity * (costs.get(line.productId ?? 0) ?? 0));
        return own.length === 0 ? [] : [[name, euros(sales), euros(cost), euros(sales - cost)]];
      });
    },
    sql: (world) => `SELECT g.name, sum(i.total_ex) AS sales, sum(i.quantity * p.price_ex) AS cost,
        sum(i.total_ex) - sum(i.quantity * p.price_ex) AS margin
      FROM list_order_items(order_id := (
        SELECT id FROM list_orders(period := '${daysOf(world).saturday}'))) i
      JOIN list_product_prices() p ON p.product_id = i.product_id AND p.product_price_type_id = 2
      JOIN turnover_groups g ON g.id = i.product_group_id GROUP BY g.name`,
  },
  {
    id: 'stock-value',
    ask: 'What is the stock at each location worth, excluding VAT: at the sale price, and at the purchase price?',
    truth(world) {
      const level = world.stockLevels();
      return world.locations.map(({ id, name }) => {
        const kept = world.products.filter((product) => isSoldAt(product, id));
        const worth = (cents: 'priceExCents' | 'costCents') =>
          euros(sumOf(kept, (product) => level(product, id) * product[cents]));
        return [name, worth('priceExCents'), worth('costCents')];
      });
    },
    sql: `SELECT l.name, sum(k.stock * p.price_ex) FILTER (p.product_price_type_id = 1) AS at_sale_price,
        sum(k.stock * p.price_ex) FILTER (p.product_price_type_id = 2) AS at_cost
      FROM list_stock() k JOIN list_product_prices() p USING (product_id)
      JOIN locations l ON l.id = k.location_id GROUP BY l.name`,
  },
  {
    id: 'not-sold',
    ask: 'How many products are in stock somewhere and were not sold at all last week, and how many pieces of them are there together?',
    truth(world) {
      const sold = soldLastWeek(world);
      const stockOf = stockEverywhere(world);
      const idle = world.products.filter(
        (product) => !sold.get(product.id) && stockOf(product) > 0,
      );
      return [[idle.length, sumOf(idle, stockOf)]];
    },
    sql: `SELECT count(*) AS products, sum(p.stock) AS pieces FROM search_products() p
      ANTI JOIN (FROM get_product_sales(period := 'last_week') WHERE quantity <> 0) s
        ON s.product_id = p.id WHERE p.stock > 0`,
  },
  {
    id: 'gone-in-a-week',
    ask: 'Which products will be gone within a week if they sell as they did last week (no more pieces in stock, over all locations, than were sold)? Give title, stock and pieces sold.',
    truth(world) {
      const sold = soldLastWeek(world);
      const stockOf = stockEverywhere(world);
      return world.products.flatMap((product) => {
        const [pieces = 0, stock] = [sold.get(product.id), stockOf(product)];
        return pieces > 0 && stock <= pieces ? [[product.title[0], stock, pieces]] : [];
      });
    },
    sql: `SELECT p.title, p.stock, s.quantity AS sold FROM search_products() p
      JOIN get_product_sales(period := 'last_week') s ON s.product_id = p.id
      WHERE s.quantity > 0 AND p.stock <= s.quantity`,
  },
  {
    id: 'swapped-numbers',
    ask: 'Which products have a shop product id that is the inner id of another product? Give each title with that of the other.',
    truth: ({ products }) =>
      products.flatMap(({ id, title, shopProductId }) => {
        const other = products.find((product) => product.id === shopProductId);
        return other === undefined || other.id === id ? [] : [[title[0], other.title[0]]];
      }),
    sql: `SELECT a.title, b.title AS other FROM search_products() a
      JOIN search_products() b ON b.id = a.shop_product_id WHERE a.shop_product_id <> a.id`,
  },
];
