import { afterAll, describe, expect, test } from 'vitest';
import { QueryEngine } from '../../src/query/engine.ts';
import { fakeProvider, items, orders, shops } from './fake-tables.ts';

const engine = new QueryEngine({ atOnce: 1 });
afterAll(() => engine.close());

async function ask(sql: string, provider = fakeProvider(), maxRows = 1000) {
  const { rows } = await engine.run({
    sql,
    caller: 'analyst',
    provider,
    maxRows,
    signal: AbortSignal.timeout(20_000),
  });
  return rows;
}

const itemsOf = (id: number) => items.filter(({ order_id }) => order_id === id);

describe('a statement', () => {
  test.each<[string, string, unknown[]]>([
    ['needs no table', 'SELECT 1 + 1 AS two', [{ two: 2 }]],
    ['reads a plain name', 'SELECT count(*) AS n FROM shops', [{ n: 3 }]],
    ['reads a plain name with parentheses', 'SELECT count(*) AS n FROM shops()', [{ n: 3 }]],
    ['reads a table without its parentheses', 'SELECT count(*) AS n FROM list_orders', [{ n: 60 }]],
    [
      'reads names in any case',
      "SELECT COUNT(*) AS n FROM Shops JOIN LIST_ORDERS(STATUS := 'paid') o ON o.Shop_Id = SHOPS.id",
      [{ n: 20 }],
    ],
    ['starts with FROM', 'FROM shops SELECT name ORDER BY id LIMIT 1', [{ name: 'Haarlem' }]],
    [
      'addresses a table by its own name',
      "SELECT list_orders.id FROM list_orders(status := 'paid') ORDER BY ALL LIMIT 1",
      [{ id: 100 }],
    ],
    [
      'reaches into objects',
      'SELECT address.city, shops.address.zip FROM shops WHERE id = 1',
      [{ city: 'Haarlem', zip: '2011 AA' }],
    ],
    ['renames columns', 'SELECT nr FROM shops AS s(nr) ORDER BY nr DESC LIMIT 1', [{ nr: 3 }]],
    [
      'takes the old form of an argument',
      "SELECT count(*) AS n FROM list_orders(status = 'paid')",
      [{ n: 20 }],
    ],
    [
      'quotes from and to',
      'SELECT count(*) AS n FROM list_orders("from" := \'2026-11-01\', "to" => \'2026-11-02\')',
      [{ n: 60 }],
    ],
    ['takes a result by its id alone', "SELECT given FROM result('r_7f3a')", [{ given: 'r_7f3a' }]],
    ['names two equal columns apart', 'SELECT 1 AS a, 2 AS a, 3 AS A', [{ a: 1, a_1: 2, A_2: 3 }]],
    [
      'uses a table of no rows',
      'SELECT count(*) AS n, max(name) AS name FROM empty',
      [{ n: 0, name: null }],
    ],
    [
      'joins to one side',
      "SELECT s.name, count(o.id) AS n FROM shops s LEFT JOIN list_orders(status := 'open') o ON o.shop_id = s.id GROUP BY ALL ORDER BY ALL",
      [
        { name: 'Haarlem', n: 0 },
        { name: 'Utrecht', n: 20 },
        { name: 'Webshop', n: 0 },
      ],
    ],
    [
      'joins against',
      "SELECT s.name FROM shops s ANTI JOIN list_orders(status := 'open') o ON o.shop_id = s.id ORDER BY 1",
      [{ name: 'Haarlem' }, { name: 'Webshop' }],
    ],
    [
      'joins from the right',
      "SELECT s.name FROM list_orders(status := 'open') o RIGHT JOIN shops s ON o.shop_id = s.id WHERE o.id IS NULL ORDER BY 1",
      [{ name: 'Haarlem' }, { name: 'Webshop' }],
    ],
    [
      'looks for the last before',
      "SELECT s.name, o.id FROM shops s CROSS JOIN (SELECT DATE '2026-11-03' AS day) d ASOF JOIN list_orders() o ON s.id = o.shop_id AND d.day >= o.day ORDER BY s.id LIMIT 1",
      [{ name: 'Haarlem', id: expect.any(Number) }],
    ],
    [
      'windows',
      'SELECT id, row_number() OVER (PARTITION BY shop_id ORDER BY id) AS n FROM list_orders() QUALIFY n = 1 ORDER BY id',
      [
        { id: 100, n: 1 },
        { id: 101, n: 1 },
        { id: 102, n: 1 },
      ],
    ],
    [
      'recurses',
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) AS total FROM r',
      [{ total: 15 }],
    ],
    [
      'unnests',
      'SELECT tag, count(*) AS n FROM (SELECT unnest(tags) AS tag FROM list_orders()) GROUP BY tag ORDER BY tag',
      [
        { tag: 'gift', n: 15 },
        { tag: 'web', n: 15 },
      ],
    ],
    [
      'filters an aggregate',
      "SELECT count(*) FILTER (WHERE status = 'paid') AS paid, count(*) AS n FROM list_orders()",
      [{ paid: 20, n: 60 }],
    ],
    [
      'finds percentiles',
      'SELECT median(quantity) AS middle, quantile_cont(quantity, 0.9) AS high FROM list_order_items()',
      [{ middle: expect.any(Number), high: expect.any(Number) }],
    ],
    [
      'describes',
      'DESCRIBE SELECT id, total_wt FROM list_orders()',
      [
        expect.objectContaining({ column_name: 'id', column_type: 'BIGINT' }),
        expect.objectContaining({ column_name: 'total_wt', column_type: 'DECIMAL(18,4)' }),
      ],
    ],
    [
      'summarizes',
      'SELECT column_name FROM (SUMMARIZE SELECT id FROM shops)',
      [{ column_name: 'id' }],
    ],
    [
      'unites',
      'SELECT id FROM shops WHERE id = 1 UNION ALL SELECT id FROM shops WHERE id = 3 ORDER BY id',
      [{ id: 1 }, { id: 3 }],
    ],
    [
      'takes values',
      'SELECT v FROM (VALUES (1), (2)) AS x(v) ORDER BY v DESC',
      [{ v: 2 }, { v: 1 }],
    ],
    ['makes rows of a range', 'SELECT sum(x) AS total FROM range(4) AS r(x)', [{ total: 6 }]],
    [
      'unpivots',
      'SELECT name, value FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (value FOR name IN (a, b)) ORDER BY name',
      [
        { name: 'a', value: 1 },
        { name: 'b', value: 2 },
      ],
    ],
    [
      'pivots over named values',
      'FROM (SELECT id, 1 AS n FROM shops) PIVOT (sum(n) AS n FOR id IN (1, 2))',
      [{ '1_n': 1, '2_n': 1 }],
    ],
    [
      'rounds to the day of Amsterdam',
      "SELECT CAST(TIMESTAMPTZ '2026-11-01 23:30:00Z' AS DATE) AS day",
      [{ day: '2026-11-02' }],
    ],
    [
      'starts its weeks on Monday',
      "SELECT date_trunc('week', DATE '2026-11-08')::DATE AS week",
      [{ week: '2026-11-02' }],
    ],
    [
      'holds a large constant',
      'SELECT 9007199254740993 AS a, 170141183460469231731687303715884105727 AS b',
      [{ a: '9007199254740993', b: '170141183460469231731687303715884105727' }],
    ],
    ['may end with a semicolon and a comment', 'SELECT 1 AS a; -- done', [{ a: 1 }]],
  ])('%s', async (_, sql, expected) => {
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
  ])('is none as %s; only the first reads everything', async (_, written, asked) => {
    const provider = fakeProvider();
    const rows = await ask(`SELECT count(*) AS n FROM list_orders(${written})`, provider);
    const calls = provider.rounds.flat().filter(({ table }) => table === 'list_orders');
    expect(calls.map(({ args }) => args)).toEqual(asked);
    expect(rows).toEqual([{ n: asked.length * orders.length }]);
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
      'a column before CROSS JOIN LATERAL',
      "SELECT count(*) AS n FROM list_orders(status := 'paid') o CROSS JOIN LATERAL list_order_items(order_id := o.id) i",
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
      'a column without its table',
      "SELECT count(*) AS n FROM list_orders(status := 'paid') AS o(order_nr), list_order_items(order_id := order_nr) i",
    ],
    [
      'a column of the query around',
      "SELECT sum(x) AS n FROM (SELECT (SELECT count(*) FROM list_order_items(order_id := o.id)) AS x FROM list_orders(status := 'paid') o)",
    ],
    [
      'a column of a lateral subquery around',
      "SELECT sum(x) AS n FROM list_orders(status := 'paid') o, LATERAL (SELECT count(*) AS x FROM list_order_items(order_id := o.id) i) AS s",
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

describe('a join', () => {
  const paid = "list_orders(status := 'paid')";
  const open = "list_orders(status := 'open')";
  const buyers = (status: string) =>
    new Set(orders.filter((order) => order.status === status).map((order) => order.customer_id));
  const ofPaid = orders.filter(({ status }) => status === 'paid');
  const stayedAway = ofPaid.filter(
    ({ customer_id: id }) => id === null || !buyers('open').has(id),
  ).length;

  test.each<[string, string, number]>([
    [
      'against the same table, both without a name, after another join',
      `${paid} JOIN shops ON shops.id = shop_id ANTI JOIN ${open} USING (customer_id)`,
      stayedAway,
    ],
    [
      'with an argument of a row, USING another column',
      'shops s JOIN list_orders(shop_id := s.id) o USING (id)',
      0,
    ],
    ['that keeps the left side', 'shops s LEFT JOIN list_orders(shop_id := s.id) o USING (id)', 3],
  ])('%s', async (_, from, n) => {
    expect(await ask(`SELECT count(*) AS n FROM ${from}`)).toEqual([{ n }]);
  });
});

describe('a step of WITH that nothing speaks of', () => {
  test.each<[string, string, string[]]>([
    ['is not read', 'WITH a AS (FROM list_orders()) SELECT count(*) FROM shops', ['shops']],
    [
      'takes those with it that only it speaks of',
      'WITH a AS (FROM list_orders()), b AS (SELECT id FROM a), c AS (FROM shops) FROM c',
      ['shops'],
    ],
    [
      'is another one where an inner one has its name',
      'WITH a AS (FROM list_orders()), b AS (WITH a AS (FROM shops) FROM a) FROM b',
      ['shops'],
    ],
    [
      'is one that an argument speaks of not',
      'WITH a AS (FROM list_orders()) FROM list_order_items(order_id := (SELECT max(id) FROM a))',
      ['list_orders', 'list_order_items'],
    ],
  ])('%s', async (_, sql, names) => {
    const provider = fakeProvider();
    await ask(sql, provider);
    expect(provider.rounds.flat().map(({ table }) => table)).toEqual(names);
  });

  test.each([
    ['WITH a AS (FROM list_orderz()) SELECT 1', 'did you mean list_orders'],
    ["WITH a AS (FROM list_orders(perod := 'x')) SELECT 1", 'did you mean period'],
  ])('is looked at all the same: %s', async (sql, said) => {
    await expect(ask(sql)).rejects.toThrow(said);
  });
});

test('a share of nothing is empty', async () => {
  expect(await ask('SELECT 1 / 0 AS a, 1.5 / 0 AS b, 5 % 0 AS c')).toEqual([
    { a: null, b: null, c: null },
  ]);
});

describe('a recursion', () => {
  test('may ask for the calls of each of its steps', async () => {
    const provider = fakeProvider();
    const sql = `WITH RECURSIVE r AS (
      SELECT 100 AS id UNION ALL
      SELECT i.order_id + i.quantity FROM r, list_order_items(order_id := r.id) i WHERE r.id < 104)
      SELECT max(id) AS last FROM r`;
    expect(await ask(sql, provider)).toEqual([{ last: 105 }]);
    expect(provider.rounds.length).toBeGreaterThan(1);
  });
});

test('an argument that differs each time is refused in the end', async () => {
  await expect(
    ask('SELECT count(*) FROM list_orders(shop_id := CAST(random() * 1e6 AS INTEGER))'),
  ).rejects.toThrow('Arguments must not be random');
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

describe('a row hint', () => {
  test.each<[string, number | undefined]>([
    ['SELECT * FROM list_orders() LIMIT 3', 3],
    ['SELECT id, total_wt * 2 AS double FROM list_orders LIMIT 3 OFFSET 2', 5],
    ['FROM (SELECT * FROM list_orders() LIMIT 4)', 4],
    ['SELECT * FROM list_orders() WHERE id > 1 LIMIT 3', undefined],
    ['SELECT count(*) FROM list_orders() LIMIT 3', undefined],
    ['SELECT DISTINCT id FROM list_orders() LIMIT 3', undefined],
    ['SELECT * FROM list_orders() ORDER BY id LIMIT 3', undefined],
    ['SELECT id FROM list_orders() GROUP BY ALL LIMIT 3', undefined],
    ['SELECT id, row_number() OVER () FROM list_orders() LIMIT 3', undefined],
    ['SELECT id FROM list_orders() QUALIFY rank() OVER () = 1 LIMIT 3', undefined],
    ['SELECT id FROM list_orders() USING SAMPLE 5 LIMIT 3', undefined],
    ['SELECT o.id FROM list_orders() o, shops LIMIT 3', undefined],
    ['SELECT * FROM (SELECT * FROM list_orders() LIMIT 3) a, list_orders() b', undefined],
  ])('%s', async (sql, atMost) => {
    const provider = fakeProvider();
    await ask(sql, provider);
    expect(provider.rounds.flat().find(({ table }) => table === 'list_orders')?.atMost).toBe(
      atMost,
    );
  });
});

describe('the answer', () => {
  test('stops at the most rows and says that there are more', async () => {
    const { rows, more, columns } = await engine.run({
      sql: 'SELECT range AS n FROM range(3000000)',
      caller: 'analyst',
      provider: fakeProvider(),
      maxRows: 10,
      signal: AbortSignal.timeout(20_000),
    });
    expect({ count: rows.length, more, columns }).toEqual({
      count: 10,
      more: true,
      columns: [{ name: 'n', type: 'BIGINT' }],
    });
  });

  test('is whole when it has exactly the most rows', async () => {
    const { rows, more } = await engine.run({
      sql: 'FROM shops',
      caller: 'analyst',
      provider: fakeProvider(),
      maxRows: shops.length,
      signal: AbortSignal.timeout(20_000),
    });
    expect({ count: rows.length, more }).toEqual({ count: 3, more: false });
  });

  test('passes on what the provider throws as it is', async () => {
    await expect(ask('FROM list_orders(broken := 1)')).rejects.toThrow('the platform is down');
  });
});
