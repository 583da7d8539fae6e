import { afterAll, expect, test } from 'vitest';
import { createQueryEngine } from '../../../src/query/engine.ts';
import { fakeProvider } from '../fake-tables.ts';

const engine = createQueryEngine({ atOnce: 1 });
afterAll(() => engine.close());

test.each<[string, string[]]>([
  ['SELECT shop_id, count(*) AS n FROM list_orders GROUP BY ALL', ['shop_id', 'n']],
  ['SELECT o.shop_id, o.id AS order_id FROM list_orders o', ['shop_id', 'order_id']],
  ['WITH o AS (FROM list_orders) SELECT shop_id FROM o ORDER BY 1', ['shop_id']],
  ['SELECT shop_id FROM list_orders UNION SELECT id FROM shops', ['shop_id']],
  ['SELECT shop_id FROM (SELECT id, shop_id FROM list_orders)', ['shop_id']],
  ['SELECT max(total_wt) FROM list_orders WHERE shop_id = 3', ['']],
  ['FROM list_orders', ['']],
])('%s: tables are asked for with word of %j', async (sql, expected) => {
  const heard: (readonly string[])[] = [];
  const tables = fakeProvider();
  const provider = {
    ...tables,
    load: (...[requests, signal, shown]: Parameters<typeof tables.load>) => {
      heard.push(shown);
      return tables.load(requests, signal, shown);
    },
  };
  await engine.run({ sql, caller: 'a', provider, maxRows: 1, signal: AbortSignal.timeout(20_000) });
  expect(heard).toEqual([expected]);
});
