/** Records of an account that describes nothing: lists, objects and customers in them, and what no look saw. */
import { beforeAll, describe, expect, test } from 'vitest';
import { runSql, serverOver, type TestServer } from '../../server-over.ts';
import { folderWith } from '../../setup/folder.ts';

const some = "list_orders(period := 'yesterday')";
const lines = 'list_order_items(order_id := o.id)';
const customer = 'get_customer(customer_id := o.relation_data_id)';

const statements = [
  // Over a NULL each of these conditions is NULL: no customer and no line would be read.
  `SELECT count(*) AS n, min(c.id) AS first FROM ${some} o, ${customer} c WHERE c.company ILIKE '%a%'`,
  `SELECT count(*) AS n FROM ${some} o, ${lines} i WHERE i.tax_rate_id + 1 > 2 AND i.sku IS NOT NULL`,
  `SELECT len(g.payments) AS n, list_sum([p.amount_wt FOR p IN g.payments]) AS paid FROM ${some} o, get_order(order_id := o.id) g ORDER BY ALL LIMIT 5`,
  `SELECT g.billing_address.city AS city, count(*) AS n FROM ${some} o, get_order(order_id := o.id) g GROUP BY ALL ORDER BY ALL`,
  `SELECT p.amount_wt FROM ${some} o, get_order(order_id := o.id) g, unnest(g.payments) u(p) WHERE p.amount_wt > 10 ORDER BY ALL LIMIT 5`,
  `SELECT c.first_name || ' ' || c.last_name AS who, sum(o.total_wt) AS t FROM ${some} o, ${customer} c WHERE c.company IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  `SELECT c.address.city AS city, count(*) AS n FROM ${some} o, ${customer} c WHERE c.id <> 20000 GROUP BY ALL ORDER BY ALL`,
  `SELECT address.zipcode, c.segment_id FROM ${some} o, ${customer} c WHERE c.id <> 20000 ORDER BY ALL LIMIT 3`,
];

describe('a statement', () => {
  let servers: TestServer[] = [];
  beforeAll(async () => {
    const over = (description: 'full' | 'bare') => serverOver('memory', { description });
    servers = await Promise.all([over('full'), over('bare')]);
  });

  test.each(statements)('has the same answer over both descriptions: %s', async (sql) => {
    const [full, bare] = await Promise.all(servers.map((server) => runSql(server, sql)));
    expect(bare?.rows).toEqual(full?.rows);
    expect(full?.rows.length).toBeGreaterThan(0);
    expect(bare?.body.columns).toEqual(full?.body.columns);
  });
});

describe('an account that describes nothing', () => {
  const server = () => serverOver('memory', { description: 'bare' });

  test.each([
    'list_sum(c.segment_ids)',
    'list_contains(c.segment_ids, 2)',
    'list_transform(c.segment_ids, x -> x + 1)',
    'list_append(c.segment_ids, 2)',
    '[x * 2 FOR x IN c.segment_ids]',
    "c.first_name || ', ' || upper(c.name)",
    'c.address.city',
  ])('has a customer of whom all is empty, and nothing is refused: %s', async (expression) => {
    const sql = `SELECT ${expression} AS x FROM get_customer(customer_id := 20000) c`;
    expect((await runSql(await server(), sql)).rows).toHaveLength(1);
  });

  test('has texts that no row holds', async () => {
    const { rows } = await runSql(
      await server(),
      'SELECT typeof(first_name) AS a, typeof(segment_ids) AS b FROM get_customer(customer_id := 20000)',
    );
    expect(rows).toEqual([{ a: 'VARCHAR', b: '"NULL"[]' }]);
  });

  test('has a column that one order of a thousand has', async () => {
    const sql = `SELECT count(remark) AS n, count(*) > 2500 AS many FROM list_orders(period := 'last_90_days')`;
    const { rows } = await runSql(await server(), sql);
    expect(rows[0]).toMatchObject({ many: true });
    expect(Number(rows[0]?.n)).toBeGreaterThan(0);
  });

  test.each([
    `SELECT max_by(i, i.total_wt).title AS title FROM ${some} o, ${lines} i`,
    `SELECT i.title FROM (SELECT i FROM ${some} o, ${lines} i) ORDER BY ALL LIMIT 3`,
    `SELECT "billing_address.city" FROM ${some} o, get_order(order_id := o.id) ORDER BY ALL LIMIT 3`,
  ])('is looked at for what only rows show: %s', async (sql) => {
    const [bare, full] = await Promise.all([server(), serverOver('memory')]);
    expect((await runSql(bare, sql)).rows).toEqual((await runSql(full, sql)).rows);
  });

  test('is looked at for what a view reads', async () => {
    const view = `SELECT i.* FROM ${some} o, ${lines} i`;
    const folder = folderWith({ 'views/sold.sql': view });
    const settings = { COMMERCE_DEFINITIONS: folder };
    const [bare, full] = await Promise.all([
      serverOver('memory', { description: 'bare', settings }),
      serverOver('memory', { settings }),
    ]);
    const sql = 'SELECT max_by(s, s.total_wt).title AS title FROM sold s';
    expect((await runSql(bare, sql)).rows).toEqual((await runSql(full, sql)).rows);
  });

  test('refuses a column that none of the rows has', async () => {
    const { ask } = await server();
    const { isError, text } = await ask('query', {
      sql: `SELECT i.colour FROM ${some} o, ${lines} i`,
    });
    expect(isError).toBe(true);
    expect(text).toContain('There is no column "colour" in sight.');
    expect(text).toContain('list_order_items has order_id, id, kind');
  });

  test('gives a key what it may see, though its newest order cannot be read by id', async () => {
    const bound = await serverOver('memory', { description: 'bare', role: 'manager' });
    const ordersOfKey = "list_orders(period := 'today')";
    const { rows: listed } = await runSql(bound, `SELECT max(id) AS id FROM ${ordersOfKey}`);
    const reply = await bound.ask('list_order_items', { order_id: listed[0]?.id });
    expect(reply.isError).toBe(true);
    const sql = `SELECT i.kind, sum(i.total_wt) AS t FROM ${ordersOfKey} o, ${lines} i GROUP BY ALL`;
    expect((await runSql(bound, sql)).rows.length).toBeGreaterThan(1);
  });
});
