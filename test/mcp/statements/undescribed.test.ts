/** Records of an account that describes nothing: lists, objects and customers in them, and what no look saw. */
import { describe, expect, test } from 'vitest';
import { runSql, type ServerOptions, serverOver, sharedServer } from '../../server-over.ts';
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

const full = sharedServer();
const bare = sharedServer({ description: 'bare' });

/** A server before the account that describes nothing, which has been asked nothing. */
const newServer = (options: ServerOptions = {}) =>
  serverOver('memory', { sandbox: bare().sandbox, ...options });

test.each(statements)('a statement is answered alike over both descriptions: %s', async (sql) => {
  const [described, undescribed] = await Promise.all([full(), bare()].map((it) => runSql(it, sql)));
  expect(undescribed?.rows).toEqual(described?.rows);
  expect(described?.rows.length).toBeGreaterThan(0);
  expect(undescribed?.body.columns).toEqual(described?.body.columns);
});

describe('an account that describes nothing', () => {
  test('has a customer of whom all is empty, and no use of it is refused', async () => {
    const uses = [
      'list_sum(c.segment_ids)',
      'list_contains(c.segment_ids, 2)',
      'list_transform(c.segment_ids, x -> x + 1)',
      'list_append(c.segment_ids, 2)',
      '[x * 2 FOR x IN c.segment_ids]',
      "c.first_name || ', ' || upper(c.name)",
      'c.address.city',
      'typeof(c.first_name) AS text',
      'typeof(c.segment_ids) AS list',
    ];
    const sql = `SELECT ${uses} FROM get_customer(customer_id := 20000) c`;
    const { rows } = await runSql(await newServer(), sql);
    expect(rows).toMatchObject([{ text: 'VARCHAR', list: '"NULL"[]' }]);
  });

  test('has a column that one order of a thousand has', async () => {
    const sql = `SELECT count(remark) AS n, count(*) > 2500 AS many FROM list_orders(period := 'last_90_days')`;
    const { rows } = await runSql(await newServer(), sql);
    expect(rows[0]).toMatchObject({ many: true });
    expect(Number(rows[0]?.n)).toBeGreaterThan(0);
  });

  test.each([
    `SELECT max_by(i, i.total_wt).title AS title FROM ${some} o, ${lines} i`,
    `SELECT i.title FROM (SELECT i FROM ${some} o, ${lines} i) ORDER BY ALL LIMIT 3`,
    `SELECT "billing_address.city" FROM ${some} o, get_order(order_id := o.id) ORDER BY ALL LIMIT 3`,
  ])('is looked at for what only rows show: %s', async (sql) => {
    expect((await runSql(await newServer(), sql)).rows).toEqual((await runSql(full(), sql)).rows);
  });

  test('is looked at for what a view reads', async () => {
    const sold = `SELECT i.* FROM ${some} o, ${lines} i`;
    const settings = { COMMERCE_DEFINITIONS: folderWith({ 'views/sold.sql': sold }) };
    const title = (from: string) => `SELECT max_by(s, s.total_wt).title AS title FROM ${from} s`;
    const { rows } = await runSql(await newServer({ settings }), title('sold'));
    expect(rows).toEqual((await runSql(full(), title(`(${sold})`))).rows);
  });

  test('refuses a column that none of the rows has', async () => {
    const { ask } = await newServer();
    const { isError, text } = await ask('query', {
      sql: `SELECT i.colour FROM ${some} o, ${lines} i`,
    });
    expect(isError).toBe(true);
    expect(text).toContain('There is no column "colour" in sight.');
    expect(text).toContain('list_order_items has order_id, id, kind');
  });

  test('gives a key what it may see, though its newest order cannot be read by id', async () => {
    const bound = await newServer({ role: 'manager' });
    const ordersOfKey = "list_orders(period := 'today')";
    const { rows: listed } = await runSql(bound, `SELECT max(id) AS id FROM ${ordersOfKey}`);
    const reply = await bound.ask('list_order_items', { order_id: listed[0]?.id });
    expect(reply.isError).toBe(true);
    const sql = `SELECT i.kind, sum(i.total_wt) AS t FROM ${ordersOfKey} o, ${lines} i GROUP BY ALL`;
    expect((await runSql(bound, sql)).rows.length).toBeGreaterThan(1);
  });
});
