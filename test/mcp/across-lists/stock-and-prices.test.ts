import { describe, expect } from 'vitest';
import type { Product } from '../../../src/sandbox/world/business/products.ts';
import type { World } from '../../../src/sandbox/world/world.ts';
import { isKept } from '../../../src/sandbox/world/world.ts';
import { euros, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { now } from '../../server-over.ts';
import { askAtOneServer } from './questions.ts';

const question = askAtOneServer();

/** Pieces of a product at all locations together. */
function stockEverywhere(world: World): (product: Product) => number {
  const level = world.stockLevels();
  return (product) => sumOf(world.locations, ({ id }) => level(product, id));
}

describe('about stock and prices, one statement tells', () => {
  question('what the stock of each location is worth', async ({ tell, server }) => {
    const told = await tell(`
      SELECT l.name, sum(k.stock) AS pieces,
        sum(k.stock * p.price_ex) FILTER (WHERE p.product_price_type_id = 1) AS at_sale_price,
        sum(k.stock * p.price_ex) FILTER (WHERE p.product_price_type_id = 2) AS at_cost
      FROM list_stock() k
      JOIN list_product_prices() p USING (product_id) JOIN locations l ON l.id = k.location_id
      GROUP BY l.name ORDER BY l.name`);
    const { world } = server.sandbox;
    const level = world.stockLevels();
    const truth = world.locations
      .map(({ id, name }) => {
        const kept = world.products.filter((product) => isKept(product, id));
        const worth = (cents: 'priceExCents' | 'costCents') =>
          euros(sumOf(kept, (product) => level(product, id) * product[cents]));
        return {
          name,
          // Each product has two prices, and with each its stock comes once.
          pieces: 2 * sumOf(kept, (product) => level(product, id)),
          at_sale_price: worth('priceExCents'),
          at_cost: worth('costCents'),
        };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(told).toEqual(truth);
  });

  question('what lies on the shelf and was not sold at all', async ({ tell, server }) => {
    const told = await tell(`
      SELECT p.id, p.stock FROM search_products() p
      ANTI JOIN (FROM get_product_sales(period := '2026-11-10..2026-11-12') WHERE quantity <> 0) s
        ON s.product_id = p.id
      WHERE p.stock > 0 ORDER BY p.id`);
    const { world } = server.sandbox;
    const stockOf = stockEverywhere(world);
    const lines = revenueLines(world.orders('2026-11-10', '2026-11-12'));
    const truth = world.products
      .filter(({ id }) => {
        const own = lines.filter(({ productId }) => productId === id);
        return sumOf(own, 'quantity') === 0;
      })
      .map((product) => ({ id: product.id, stock: stockOf(product) }))
      .filter(({ stock }) => stock > 0);
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(0);
  });

  question('which products are gone within a week as they sell now', async ({ tell, server }) => {
    const told = await tell(`
      SELECT p.id, p.stock, s.quantity AS sold
      FROM search_products() p JOIN get_product_sales(period := 'last_week') s ON s.product_id = p.id
      WHERE s.quantity > 0 AND p.stock <= s.quantity ORDER BY p.id`);
    const { world } = server.sandbox;
    const stockOf = stockEverywhere(world);
    const lines = revenueLines(world.orders('2026-11-09', '2026-11-15'));
    const truth = world.products
      .map((product) => {
        const own = lines.filter(({ productId }) => productId === product.id);
        return {
          id: product.id,
          stock: stockOf(product),
          sold: sumOf(own, 'quantity'),
        };
      })
      .filter(({ stock, sold }) => sold > 0 && stock <= sold);
    expect(told).toEqual(truth);
  });

  question('which products go by the number of another one', async ({ tell, server }) => {
    const told = await tell(`
      SELECT a.id, a.title, b.title AS other
      FROM search_products() a JOIN search_products() b ON b.id = a.shop_product_id
      WHERE a.shop_product_id <> a.id ORDER BY a.id`);
    const { products } = server.sandbox.world;
    const truth = products
      .filter(({ id, shopProductId }) => id !== shopProductId)
      .map(({ id, title, shopProductId }) => {
        const other = products.find((product) => product.id === shopProductId);
        return { id, title: title[0], other: other?.title[0] };
      });
    expect(told).toEqual(truth);
    expect(truth.length).toBe(12);
  });

  question('the prices of what changed since last week', async ({ tell, server }) => {
    const told = await tell(`
      SELECT c.id, p.price_wt FROM list_product_changes(since := '2026-11-13') c
      JOIN list_product_prices(product_ids := (
        SELECT id FROM list_product_changes(since := '2026-11-13'))) p
        ON p.product_id = c.id AND p.product_price_type_id = 1
      ORDER BY c.id`);
    const { world } = server.sandbox;
    const since = Date.parse('2026-11-13T00:00:00+01:00');
    const truth = world.products
      .filter((product) => world.revisedMs(product) >= since && world.revisedMs(product) <= now)
      .map(({ id, priceWtCents }) => ({ id, price_wt: euros(priceWtCents) }));
    expect(told).toEqual(truth);
    expect(truth.length).toBeGreaterThan(0);
  });
});
