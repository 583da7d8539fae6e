import { describe, expect } from 'vitest';
import type { Product } from '../../../src/sandbox/world/business/products.ts';
import { isKept } from '../../../src/sandbox/world/world.ts';
import { byName, euros, perKey, sumOf } from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { questionsOfAFile } from '../questions.ts';

const question = questionsOfAFile();

describe('about stock and prices, one statement tells', () => {
  question('what the stock of each location is worth', async ({ tell, world }) => {
    const told = await tell(`
      SELECT l.name, sum(k.stock) AS pieces,
        sum(k.stock * p.price_ex) FILTER (WHERE p.product_price_type_id = 1) AS at_sale_price,
        sum(k.stock * p.price_ex) FILTER (WHERE p.product_price_type_id = 2) AS at_cost
      FROM list_stock() k
      JOIN list_product_prices() p USING (product_id) JOIN locations l ON l.id = k.location_id
      GROUP BY l.name ORDER BY l.name`);
    const level = world.stockLevels();
    const truth = world.locations.map(({ id, name }) => {
      const sum = (price: (product: Product) => number) =>
        sumOf(
          world.products.filter((product) => isKept(product, id)),
          (product) => level(product, id) * price(product),
        );
      return {
        name,
        // Each product has two prices, and with each its stock comes once.
        pieces: sum(() => 2),
        at_sale_price: euros(sum(({ priceExCents }) => priceExCents)),
        at_cost: euros(sum(({ costCents }) => costCents)),
      };
    });
    expect(told).toEqual(byName(truth));
  });

  question(
    'what lies on the shelf and was not sold at all',
    async ({ tell, world, sold: linesSold }) => {
      const told = await tell(`
      SELECT p.id, p.stock FROM search_products() p
      ANTI JOIN (FROM get_product_sales(period := '2026-11-10..2026-11-12') WHERE quantity <> 0) s
        ON s.product_id = p.id
      WHERE p.stock > 0 ORDER BY p.id`);
      const lines = linesSold(world.orders('2026-11-10', '2026-11-12'));
      const sold = perKey(lines, 'productId', 'quantity');
      const level = world.stockLevels();
      const truth = world.products.flatMap((product) => {
        const stock = sumOf(world.locations, ({ id }) => level(product, id));
        return stock > 0 && !sold.get(product.id) ? [{ id: product.id, stock }] : [];
      });
      expect(told).toEqual(truth);
      expect(truth.length).toBeGreaterThan(0);
    },
  );

  question('which products go by the number of another one', async ({ tell, world }) => {
    const told = await tell(`
      SELECT a.id, a.title, b.title AS other
      FROM search_products() a JOIN search_products() b ON b.id = a.shop_product_id
      WHERE a.shop_product_id <> a.id ORDER BY a.id`);
    const titles = new Map(world.products.map(({ id, title }) => [id, title[0]]));
    const truth = world.products
      .filter(({ id, shopProductId }) => id !== shopProductId)
      .map(({ id, title, shopProductId }) => ({
        id,
        title: title[0],
        other: titles.get(shopProductId),
      }));
    expect(told).toEqual(truth);
    expect(truth).toHaveLength(12);
  });

  question('the prices of what changed since last week', async ({ tell, world }) => {
    const told = await tell(`
      SELECT c.id, p.price_wt FROM list_product_changes(since := '2026-11-13') c
      JOIN list_product_prices(product_ids := (
        SELECT id FROM list_product_changes(since := '2026-11-13'))) p
        ON p.product_id = c.id AND p.product_price_type_id = 1
      ORDER BY c.id`);
    const since = Date.parse('2026-11-13T00:00:00+01:00');
    const truth = world.products
      .filter((product) => world.revisedMs(product) >= since && world.revisedMs(product) <= now)
      .map(({ id, priceWtCents }) => ({ id, price_wt: euros(priceWtCents) }));
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(0);
  });
});
