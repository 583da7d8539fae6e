import { describe, expect } from 'vitest';
import {
  euros,
  lastMonth,
  perCustomer,
  perKey,
  revenueLines,
  sumOf,
  thisMonth,
  total,
} from '../../sandbox/world/truth.ts';
import { profile, questionsOfAFile } from '../questions.ts';

const question = questionsOfAFile();
const askedOfAChain = questionsOfAFile({ ordersPerDay: 150 });

describe('an analyst who asks about customers and products is told', () => {
  askedOfAChain('how many different customers a month of orders had', async ({ ask, world }) => {
    const orders = await ask('list_orders', { period: 'last_month', all: true });
    const truth = world.orders(...lastMonth);
    expect(truth.length).toBeGreaterThan(4500);
    expect(profile(orders, 'id').distinct).toBe(truth.length);
    expect(profile(orders, 'relation_data_id').distinct).toBe(perCustomer(truth).size);
  });

  // docs/platform.md#customers.
  question('the ten best customers of this month, walk-ins left out', async ({ ask, world }) => {
    const walkIn = world.customers()[0]?.id;
    const { rows } = await ask('query', {
      sql: `WITH spent AS (
          SELECT relation_data_id, customer_name, sum(total_wt) AS total
          FROM list_orders(period := 'this_month')
          WHERE relation_data_id <> ${walkIn} GROUP BY ALL)
        FROM (SELECT *, sum(total) OVER () AS of_all FROM spent) ORDER BY total DESC LIMIT 10`,
    });
    const orders = world.orders(...thisMonth).filter(({ relationId }) => relationId !== walkIn);
    const cents = perKey(orders, 'relationId', 'totalWtCents');
    const best = [...cents].sort(([, a], [, b]) => b - a).slice(0, 10);
    expect(rows.map((row) => [row.relation_data_id, row.total])).toEqual(
      best.map(([id, own]) => [id, euros(own)]),
    );
    expect(rows[0]?.of_all).toBe(total(orders));
    expect(rows[0]?.customer_name).toBe(world.customer(best[0]?.[0] ?? 0)?.name);
  });

  question('the five best-selling products of last month', async ({ ask, world }) => {
    const { rows } = await ask('query', {
      sql: `SELECT title, quantity, turnover_wt FROM get_product_sales(period := 'last_month')
        ORDER BY quantity DESC, product_id LIMIT 5`,
    });
    const lines = revenueLines(world.orders(...lastMonth));
    const truth = world.products.map(({ id, title }) => {
      const own = lines.filter(({ productId }) => productId === id);
      const turnover_wt = euros(sumOf(own, 'totalWtCents'));
      return { title: title[0], quantity: sumOf(own, 'quantity'), turnover_wt };
    });
    truth.sort((a, b) => b.quantity - a.quantity);
    expect(rows).toEqual(truth.slice(0, 5));
    expect(truth[4]?.quantity).toBeGreaterThan(truth[5]?.quantity ?? 0);
  });

  question('the stock of the teapots in Utrecht Oost', async ({ ask, world }) => {
    const asked = { q: 'theepot', location_id: 'utrecht oost' };
    const { rows, context } = await ask('search_products', asked);
    expect(context.resolved).toEqual({
      location_id: { given: 'utrecht oost', id: 3, name: 'Utrecht Oost' },
    });
    const teapots = world.products.filter(({ title }) => title[0].startsWith('Theepot'));
    const level = world.stockLevels();
    expect(rows.map(({ title, stock }) => [title, stock])).toEqual(
      teapots.map((teapot) => [teapot.title[0], level(teapot, 3)]),
    );
    expect(teapots).toHaveLength(2);
  });
});
