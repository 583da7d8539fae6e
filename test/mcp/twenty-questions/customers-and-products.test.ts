import { describe, expect } from 'vitest';
import { euros, perKey, revenueLines, sumOf } from '../../sandbox/world/truth.ts';
import { chain, profile, questionsOfAFile } from './questions.ts';

const question = questionsOfAFile();

describe('an analyst who asks about customers and products is told', () => {
  question(
    'how many different customers a chain had last month, over 15,000 orders',
    async (ask, { sandbox: { world } }) => {
      const orders = await ask('list_orders', { period: 'last_month', all: true });
      const truth = world.orders('2026-10-01', '2026-10-31');
      expect(truth.length).toBeGreaterThan(15_000);
      expect(profile(orders, 'id').distinct).toBe(truth.length);
      const customers = new Set(truth.map(({ relationId }) => relationId));
      expect(profile(orders, 'relation_data_id').distinct).toBe(customers.size);
    },
    chain,
  );

  // docs/platform.md#customers.
  question(
    'the ten best customers of this month, walk-ins left out',
    async (ask, { sandbox: { world } }) => {
      const walkIn = String(world.customers()[0]?.id);
      const { rows } = await ask('query', {
        sql: `WITH spent AS (
            SELECT relation_data_id, customer_name, sum(total_wt) AS total
            FROM list_orders(period := 'this_month')
            WHERE relation_data_id <> ${walkIn} GROUP BY ALL)
          FROM (SELECT *, sum(total) OVER () AS of_all FROM spent) ORDER BY total DESC LIMIT 10`,
      });
      const named = world
        .orders('2026-11-01', '2026-11-20')
        .filter(({ relationId }) => String(relationId) !== walkIn);
      const cents = perKey(named, 'relationId', 'totalWtCents');
      const best = [...cents].sort(([, a], [, b]) => b - a).slice(0, 10);
      expect(rows.map((row) => [row.relation_data_id, row.total])).toEqual(
        best.map(([id, own]) => [id, euros(own)]),
      );
      expect(rows[0]?.of_all).toBe(euros(sumOf(named, 'totalWtCents')));
      expect(rows[0]?.customer_name).toBe(world.customer(best[0]?.[0] ?? 0)?.name);
    },
  );

  question('the five best-selling products of last month', async (ask, { sandbox: { world } }) => {
    const { rows } = await ask('query', {
      sql: `SELECT title, quantity, turnover_wt FROM get_product_sales(period := 'last_month')
        ORDER BY quantity DESC, product_id LIMIT 5`,
    });
    const lines = revenueLines(world.orders('2026-10-01', '2026-10-31'));
    const truth = world.products
      .map(({ id, title }) => {
        const own = lines.filter(({ productId }) => productId === id);
        return {
          title: title[0],
          quantity: sumOf(own, 'quantity'),
          turnover_wt: euros(sumOf(own, 'totalWtCents')),
        };
      })
      .sort((a, b) => b.quantity - a.quantity);
    expect(rows).toEqual(truth.slice(0, 5));
    expect(truth[4]?.quantity).toBeGreaterThan(truth[5]?.quantity ?? 0);
  });

  question('the stock of the teapots in Utrecht Oost', async (ask, { sandbox: { world } }) => {
    const { rows, context } = await ask('search_products', {
      q: 'theepot',
      location_id: 'utrecht oost',
    });
    expect(context.resolved).toEqual({
      location_id: { given: 'utrecht oost', id: 3, name: 'Utrecht Oost' },
    });
    const teapots = world.products.filter(({ title }) => title[0].startsWith('Theepot'));
    expect(rows.map(({ title, stock }) => [title, stock])).toEqual(
      teapots.map((teapot) => [teapot.title[0], world.stockLevels()(teapot, 3)]),
    );
    expect(teapots).toHaveLength(2);
  });
});
