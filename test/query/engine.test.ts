import { describe, expect, test } from 'vitest';
import { reasonOf } from '../reasons.ts';
import { fakeProvider, items, orders, runSql, shops } from './fake-tables.ts';

async function ask(sql: string, provider = fakeProvider()) {
  return (await runSql(sql, { provider })).rows;
}

const itemsOf = (id: number) => items.filter(({ order_id }) => order_id === id);

test.each([
  ['BIT', `SELECT repeat('1', 16000000)::BIT AS digits`],
  ['text', `SELECT repeat('1', 16000000) AS digits`],
])('sixteen million digits of %s are one value', async (_, sql) => {
  const [row] = await ask(sql);
  expect(String(row?.digits)).toHaveLength(16_000_000);
});

describe('a statement', () => {
  test.each<[sql: string, rows: unknown[]]>([
    ['SELECT count(*) AS n FROM shops', [{ n: 3 }]],
    ['SELECT count(*) AS n FROM shops()', [{ n: 3 }]],
    ['SELECT count(*) AS n FROM list_orders', [{ n: 60 }]],
    [
      "SELECT COUNT(*) AS n FROM Shops JOIN LIST_ORDERS(STATUS := 'paid') o ON o.Shop_Id = SHOPS.id",
      [{ n: 20 }],
    ],
    [
      "SELECT list_orders.id FROM list_orders(status := 'paid') ORDER BY ALL LIMIT 1",
      [{ id: 100 }],
    ],
    [
      'SELECT address.city, shops.address.zip FROM shops WHERE id = 1',
      [{ city: 'Haarlem', zip: '2011 AA' }],
    ],
    ['SELECT count(*) AS n FROM list_orders("from" := \'a\', "to" => \'b\')', [{ n: 60 }]],
    ["SELECT given FROM result('r_7f3a')", [{ given: 'r_7f3a' }]],
    ['SELECT 1 AS a, 2 AS a, 3 AS A', [{ a: 1, a_1: 2, A_2: 3 }]],
    ['SELECT count(*) AS n, max(name) AS name FROM empty', [{ n: 0, name: null }]],
    [
      'SELECT column_type FROM (DESCRIBE SELECT id, total_wt FROM list_orders()) OFFSET 1',
      [{ column_type: 'DECIMAL(18,4)' }],
    ],
    ['SELECT column_name FROM (SUMMARIZE SELECT id FROM shops)', [{ column_name: 'id' }]],
    ["SELECT CAST(TIMESTAMPTZ '2026-11-01 23:30:00Z' AS DATE) AS day", [{ day: '2026-11-02' }]],
    ['SELECT 9007199254740993 AS a', [{ a: '9007199254740993' }]],
    [
      'SELECT 1.7976931348623157e308::DOUBLE AS a, 4503599627370497.01::DECIMAL(30, 2) AS b',
      [{ a: Number.MAX_VALUE, b: '4503599627370497.01' }],
    ],
    [
      'SELECT count(DISTINCT hour(o.date_created)) AS n FROM list_orders(shop_id := (SELECT id FROM shops)) o',
      [{ n: 24 }],
    ],
    [
      'SELECT count(*) AS n FROM (SELECT unnest(o.tags) FROM list_orders(shop_id := (SELECT id FROM shops)) o)',
      [{ n: 30 }],
    ],
    ['SELECT 1 AS a; -- done', [{ a: 1 }]],
    // The hour that comes twice in October has one name and is two moments.
    [
      "SELECT count(*) AS n FROM (SELECT unnest(range(TIMESTAMPTZ '2026-10-25', TIMESTAMPTZ '2026-10-26', INTERVAL 20 MINUTE)) AS m) WHERE strftime(m, '%H') = '02'",
      [{ n: 6 }],
    ],
    [
      "SELECT count(DISTINCT date_trunc('hour', m)) AS n FROM (SELECT unnest(range(TIMESTAMPTZ '2026-10-25', TIMESTAMPTZ '2026-10-26', INTERVAL 20 MINUTE)) AS m)",
      [{ n: 25 }],
    ],
    ['SELECT 1 / 0 AS a, 1.5 / 0 AS b, 5 % 0 AS c', [{ a: null, b: null, c: null }]],
  ])('%s', async (sql, expected) => {
    expect(await ask(sql)).toEqual(expected);
  });
});

describe('an argument', () => {
  test.each<[string, string, unknown]>([
    ['a text', "period := 'last_month'", 'last_month'],
    ['a number', 'shop_id := 3', 3],
    ['a decimal', 'shop_id := 2.50', 2.5],
    ['a truth', 'status := true', true],
    ['a day', "period := DATE '2026-11-02'", '2026-11-02'],
    ['a list', "status := ['paid', 'open']", ['open', 'paid']],
    ['an expression', "period := '2026-' || (10 + 1)", '2026-11'],
    ['a day computed', "period := DATE '2026-11-02' - 1", '2026-11-01'],
    [
      'a subquery',
      "status := (SELECT 'paid' UNION ALL SELECT 'open' UNION ALL SELECT 'paid' UNION ALL SELECT NULL)",
      ['open', 'paid'],
    ],
  ])('is %s', async (_, written, expected) => {
    const provider = fakeProvider();
    await ask(`SELECT count(*) FROM list_orders(${written})`, provider);
    const [request] = provider.rounds.flat();
    expect(Object.values(request?.args ?? {})).toEqual([expected]);
  });

  test.each([
    ['the word NULL', 'status := NULL', [{}]],
    ['a NULL of a subquery', 'status := (SELECT max(name) FROM shops WHERE id > 99)', []],
    ['an empty subquery', "status := (SELECT 'paid' WHERE false)", []],
    ['a list of nothing', 'status := (SELECT list(name) FROM shops WHERE id > 99)', []],
    ['an empty list', 'status := []', []],
    ['a NULL of a type', 'status := NULL::VARCHAR', []],
    ['a NULL that is computed', 'status := nullif(1, 1)', []],
  ])('is none as %s; only the first reads everything', async (_, written, asked) => {
    const provider = fakeProvider();
    const sql = `SELECT count(*) AS n FROM list_orders(${written})`;
    const { rows, hints } = await runSql(sql, { provider });
    const calls = provider.rounds.flat().filter(({ table }) => table === 'list_orders');
    expect(calls.map(({ args }) => args)).toEqual(asked);
    expect(rows).toEqual([{ n: asked.length * orders.length }]);
    const warning = { code: 'no_values', table: 'list_orders', argument: 'status' };
    expect(hints).toMatchObject(asked.length > 0 ? [] : [warning]);
  });

  const ofPaid = orders.filter(({ status }) => status === 'paid').map(({ id }) => id);
  const paidItems = ofPaid.flatMap(itemsOf);
  const counted = [{ n: paidItems.length }];

  test.each<[string, string]>([
    [
      'a subquery',
      "SELECT count(*) AS n FROM list_order_items(order_id := (SELECT id FROM list_orders(status := 'paid')))",
    ],
    [
      'a subquery over a CTE',
      "WITH o AS (FROM list_orders(status := 'paid')) SELECT count(*) AS n FROM o JOIN list_order_items(order_id := (SELECT id FROM o)) i ON i.order_id = o.id",
    ],
    [
      'a subquery over a CTE over a CTE, in a CTE',
      "WITH a AS (FROM list_orders()), o AS (SELECT id FROM a WHERE status = 'paid'), i AS (FROM list_order_items(order_id := (FROM o))) SELECT count(*) AS n FROM i",
    ],
    [
      'a column before a comma',
      "SELECT count(*) AS n FROM list_orders(status := 'paid') o, list_order_items(order_id := o.id) i",
    ],
    [
      'a column before JOIN ON',
      "SELECT count(*) AS n FROM list_orders() o JOIN list_order_items(order_id := o.id) i ON o.status = 'paid'",
    ],
    [
      'a column before LEFT JOIN LATERAL',
      "SELECT count(*) AS n FROM list_orders(status := 'paid') o LEFT JOIN LATERAL list_order_items(order_id := o.id) i ON true",
    ],
    [
      'a column of the query around',
      "SELECT sum(x) AS n FROM (SELECT (SELECT count(*) FROM list_order_items(order_id := o.id)) AS x FROM list_orders(status := 'paid') o)",
    ],
  ])('of %s is asked in one round, for its distinct values', async (_, sql) => {
    const provider = fakeProvider();
    expect(await ask(sql, provider)).toEqual(counted);
    const asked = provider.rounds.flat().filter(({ table }) => table === 'list_order_items');
    const values = asked.flatMap(({ args }) => args.order_id);
    expect(values.toSorted()).toEqual(ofPaid.toSorted());
    expect(provider.rounds).toHaveLength(2);
  });

  test('of a column leaves out values that the condition leaves out', async () => {
    const provider = fakeProvider();
    const sql =
      "SELECT count(*) AS n FROM list_orders() o, list_order_items(order_id := o.id) i WHERE o.status = 'paid'";
    expect(await ask(sql, provider)).toEqual(counted);
    expect(provider.rounds[1]?.map(({ args }) => args.order_id).toSorted()).toEqual(ofPaid);
  });

  test('of a column is asked in the order of its values, in whatever order the rows come', async () => {
    const provider = fakeProvider();
    const values = 'SELECT unnest([110, 9, 100, -1, 25]) AS id';
    await ask(`SELECT count(*) FROM (${values}) o, list_order_items(order_id := o.id)`, provider);
    const asked = provider.rounds.flat().map(({ args }) => args.order_id);
    expect(asked).toEqual([-1, 9, 25, 100, 110]);
  });

  test('may depend on a table that depends on another', async () => {
    const provider = fakeProvider();
    const rows = await ask(
      `SELECT count(*) AS n FROM list_orders(status := 'paid') o, list_order_items(order_id := o.id) i,
       search_products(id := i.product_id) p`,
      provider,
    );
    expect(rows).toEqual(counted);
    expect(provider.rounds.map(([first]) => first?.table)).toEqual([
      'list_orders',
      'list_order_items',
      'list_order_items',
      'search_products',
    ]);
  });

  test('of the same value makes the same table, read once in one round with all others', async () => {
    const provider = fakeProvider();
    await ask(
      `SELECT (SELECT count(*) FROM list_orders(status := 'pa' || 'id')), (SELECT count(*) FROM shops)
       FROM list_orders(status := 'paid') a JOIN list_orders(status => 'paid') b USING (id)`,
      provider,
    );
    expect(provider.rounds.map((round) => round.map(({ table }) => table))).toEqual([
      ['list_orders', 'shops'],
    ]);
  });
});

test('a join against the same table, both without a name, after another join', async () => {
  const buyers = new Set(
    orders.filter(({ status }) => status === 'open').map((order) => order.customer_id),
  );
  const stayedAway = orders.filter(
    ({ status, customer_id: id }) => status === 'paid' && (id === null || !buyers.has(id)),
  );
  const sql = `SELECT count(*) AS n FROM list_orders(status := 'paid') JOIN shops ON shops.id = shop_id
      ANTI JOIN list_orders(status := 'open') USING (customer_id)`;
  expect(await ask(sql)).toEqual([{ n: stayedAway.length }]);
});

test('a table is looked at in a step of WITH too that nothing uses', async () => {
  await expect(ask('WITH a AS (FROM list_orderz()) SELECT 1')).rejects.toThrow(
    reasonOf({ code: 'unknown_table', nearest: 'list_orders' }),
  );
});

test('values of columns that no statement can see are not sent, and none is missed', async () => {
  expect(await ask('SELECT s FROM shops s WHERE s.id = 1')).toEqual([{ s: shops[0] }]);
  expect(await ask('SELECT name FROM (FROM shops) ORDER BY id LIMIT 1')).toEqual([
    { name: 'Haarlem' },
  ]);
  expect(await ask('SELECT a FROM shops AS t(a, b) ORDER BY b LIMIT 1')).toEqual([{ a: 1 }]);
  expect(await ask('SELECT count(*) AS n FROM shops NATURAL JOIN shops t')).toEqual([{ n: 2 }]);
  expect(await ask('SELECT #2 AS b FROM shops ORDER BY 1 LIMIT 1')).toEqual([{ b: 'Haarlem' }]);
});

test('a recursion may ask for the calls of each of its steps', async () => {
  const provider = fakeProvider();
  const sql = `WITH RECURSIVE r AS (
      SELECT 100 AS id UNION ALL
      SELECT i.order_id + i.quantity FROM r, list_order_items(order_id := r.id) i WHERE r.id < 104)
      SELECT max(id) AS last FROM r`;
  expect(await ask(sql, provider)).toEqual([{ last: 105 }]);
  expect(provider.rounds.length).toBeGreaterThan(1);
});

test('an argument that differs each time is refused in the end', async () => {
  await expect(
    ask('SELECT count(*) FROM list_orders(shop_id := CAST(random() * 1e6 AS INTEGER))'),
  ).rejects.toThrow(reasonOf({ code: 'too_many_rounds' }));
});

test('all rounds of a statement share one moment', async () => {
  const sql = `SELECT now() AS a, current_date AS b, today() AS c, CAST(d AS VARCHAR) AS d
    FROM (SELECT min(current_timestamp) AS d FROM list_orders() o, list_order_items(order_id := o.id))`;
  expect(await ask(sql)).toEqual([
    {
      a: '2026-11-20T12:00:00+01:00',
      b: '2026-11-20',
      c: '2026-11-20',
      d: '2026-11-20 12:00:00+01',
    },
  ]);
});

test.each<[string, number | undefined]>([
  ['SELECT * FROM list_orders() LIMIT 3', 3],
  ['SELECT id, total_wt * 2 AS double FROM list_orders LIMIT 3 OFFSET 2', 5],
  ['FROM (SELECT * FROM list_orders() LIMIT 4)', 4],
  ['SELECT * FROM list_orders() WHERE id > 1 LIMIT 3', undefined],
  ['SELECT count(*) FROM list_orders() LIMIT 3', undefined],
  ['SELECT * FROM list_orders() ORDER BY id LIMIT 3', undefined],
  ['SELECT id, row_number() OVER () FROM list_orders() LIMIT 3', undefined],
  ['SELECT id FROM list_orders() USING SAMPLE 5 LIMIT 3', undefined],
  ['SELECT o.id FROM list_orders() o, shops LIMIT 3', undefined],
  ['SELECT * FROM (SELECT * FROM list_orders() LIMIT 3) a, list_orders() b', undefined],
])('the rows that are enough for %s', async (sql, neededRows) => {
  const provider = fakeProvider();
  await ask(sql, provider);
  expect(provider.rounds.flat().find(({ table }) => table === 'list_orders')?.neededRows).toBe(
    neededRows,
  );
});

test.each([
  [true, 'SELECT name FROM shops ORDER BY ALL LIMIT 2'],
  [true, 'WITH s AS MATERIALIZED (SELECT name FROM shops) FROM s ORDER BY 1 DESC'],
  [false, 'SELECT DISTINCT name FROM shops LIMIT 2'],
  [false, 'FROM (SELECT name FROM shops ORDER BY name)'],
  [false, 'SELECT list(name ORDER BY name) AS names FROM shops'],
])('whether the rows are in an order is %s: %s', async (isOrdered, sql) => {
  expect((await runSql(sql)).isOrdered).toBe(isOrdered);
});

describe('the answer', () => {
  test.each([true, false])('holds at most ten rows; whether there are more is %s', async (more) => {
    const sql = `SELECT range AS n FROM range(${more ? 3_000_000 : 10})`;
    const answer = await runSql(sql, { maxRows: 10 });
    expect({ count: answer.rows.length, more: answer.more }).toEqual({ count: 10, more });
    expect(answer.columns).toMatchObject([{ name: 'n', type: 'BIGINT' }]);
  });

  test('passes on what the provider throws as it is', async () => {
    await expect(ask('FROM list_orders(broken := 1)')).rejects.toThrow('the platform is down');
  });
});

describe('columns', () => {
  const itemsOfOrder = 'list_order_items(order_id := o.id)';
  const look = async (sql: string) => {
    const provider = fakeProvider();
    return { ...(await runSql(sql, { provider })), provider };
  };

  test('of a table that waits for another are settled by one of its values, read first', async () => {
    const { rows, provider } = await look(
      `SELECT sum(i.price * 1.21) AS s FROM list_orders() o, ${itemsOfOrder} i, ${itemsOfOrder} j WHERE i.quantity > j.quantity`,
    );
    expect(rows[0]?.s).toBeGreaterThan(0);
    expect(provider.rounds.map((calls) => calls.length)).toEqual([1, 1, 59]);
  });

  test.each([
    `SELECT list_transform([1, 2], id -> id + i.quantity) AS x FROM $`,
    `SELECT i.price AS p, p * 2 AS q, count(*) AS n FROM $ GROUP BY p ORDER BY q`,
    `SELECT i.* EXCLUDE (price) REPLACE (1 AS quantity) FROM $`,
    `SELECT i.quantity FROM $ JOIN search_products() p ON p.id = product_id`,
    `SELECT value FROM $, json_each('{"a": 1}') WHERE value = 1`,
    `SELECT p, price FROM $, unnest(o.tags) u(p)`,
    `WITH s(number, cost) AS (SELECT i.id, i.price FROM $) SELECT number FROM s WHERE cost > 0`,
    `WITH s AS (SELECT * FROM $) SELECT price FROM s WHERE quantity > 0`,
    `WITH b AS (SELECT i.* FROM $) SELECT * FROM b PIVOT (sum(price) FOR product_id IN (1, 2) GROUP BY order_id)`,
    `SELECT sum(quantity) OVER w AS x FROM $ WINDOW w AS (PARTITION BY product_id)`,
    `SELECT id FROM list_orders() l JOIN (SELECT i.order_id AS id, price FROM $) USING (id) WHERE price > 0`,
  ])('are settled by the rows of one value: %s', async (form) => {
    const { rows, provider } = await look(form.replace('$', `list_orders() o, ${itemsOfOrder} i`));
    expect(rows.length).toBeGreaterThan(0);
    expect(provider.rounds.length).toBeLessThanOrEqual(3);
    const keys = provider.rounds.flat().map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test.each([
    'SELECT price AS p, p * 2 AS q, colour FROM $ GROUP BY ALL ORDER BY q',
    'SELECT list_transform([1], v -> v + price) FROM $',
    'SELECT x.address.city FROM $ x',
    "SELECT value FROM $, json_each('{}') WHERE price > 1",
    'SELECT a.id FROM $ a JOIN $ b USING (id, colour)',
  ])('of a table that has never shown a row are unknown, which is said: %s', async (form) => {
    const late = { kind: 'calls', arguments: ['id'] } as const;
    const sql = form.replaceAll('$', 'late(id := (SELECT 0 WHERE false))');
    const run = (knownColumns: 'none' | 'some') =>
      runSql(sql, { provider: fakeProvider({}, { late: { ...late, knownColumns } }) });
    const { rows, hints } = await run('none');
    expect(rows).toEqual([]);
    expect(hints).toContainEqual(
      expect.objectContaining({ code: 'unseen_columns', table: 'late' }),
    );
    await expect(run('some')).rejects.toThrow('unknown_column');
  });

  test('that never held a value are texts until all rows have come', async () => {
    const late = { kind: 'calls', arguments: ['id'], columns: { v: 'open' } } as const;
    const rows = [{ v: null }];
    const run = (expression: string, from: string) =>
      ask(`SELECT ${expression} AS x FROM ${from}`, fakeProvider({ late: rows }, { late }));
    const some = 'shops s, late(id := s.id)';
    expect(await run("count(v || 'x')", some)).toEqual([{ x: 0 }]);
    expect(await run('count(*) FILTER (v IS NULL)', `${some} WHERE v ILIKE '%a%'`)).toEqual([
      { x: 0 },
    ]);
    // These go with no text, and all values are read before that is settled.
    expect(await run('count(v.a) + sum(v * 2) + count(list_sort(v))', some)).toEqual([{ x: null }]);
  });

  test('of a table that has shown what it has are refused where they are nearly its own, before anything is read', async () => {
    const columns = { id: 'integer', total_wt: 'decimal' } as const;
    const list = {
      kind: 'calls',
      arguments: ['id'],
      columns,
      documented: {},
    } as const;
    const run = (sql: string, knownColumns: 'most' | 'some') => {
      const provider = fakeProvider(
        { late: [{ id: 1, total_wt: 2, remark: 'x' }] },
        { late: { ...list, knownColumns } },
      );
      return { provider, answer: runSql(sql, { provider }) };
    };
    const near = run('SELECT total_tw FROM late()', 'most');
    await expect(near.answer).rejects.toThrow('total_wt');
    expect(near.provider.rounds).toEqual([]);
    const young = run('SELECT total_tw FROM late()', 'some');
    await expect(young.answer).rejects.toThrow('total_wt');
    expect(young.provider.rounds).toHaveLength(1);
    const rare = run('SELECT remark FROM late()', 'most');
    expect((await rare.answer).rows).toEqual([{ remark: 'x' }]);
  });

  test.each([
    ['SELECT "address.city" FROM shops ORDER BY "address.city" DESC', 'address.city'],
    ['WITH s AS (SELECT "address.city" FROM shops) SELECT "address.city" FROM s', 'address.city'],
    ['SELECT s."address.city" AS city FROM shops s', 'city'],
    ['SELECT name AS "address.city" FROM shops', 'address.city'],
  ])('within objects are reached by a quoted dotted name: %s', async (sql, name) => {
    const { columns, rows } = await look(sql);
    expect(columns.map((it) => it.name)).toEqual([name]);
    expect(rows.map((row) => row[name])).toContain('Haarlem');
  });
});
