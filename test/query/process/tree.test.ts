import { expect, test } from 'vitest';
import { fakeProvider, runSql } from '../fake-tables.ts';

const facts = [{ path: 'direct_paid', measure: 'turnover', value: 12.5, period: 'today' }];

/** What the tree of a statement says. */
async function shapeOf(sql: string) {
  const view = {
    kind: 'view',
    sql: 'SELECT price FROM list_order_items()',
    parameters: {},
  } as const;
  const provider = fakeProvider({ report: facts }, { prices: view });
  return (await runSql(sql, { provider })).shape;
}

test.each([
  ["SELECT 'list_order_items' AS list_order_items FROM shops -- list_order_items()", ['shops']],
  ['WITH list_order_items AS (FROM shops) FROM list_order_items', ['shops']],
  ['FROM shops, prices', ['shops', 'prices', 'list_order_items']],
])('knows the tables that are read: %s', async (sql, tables) => {
  expect((await shapeOf(sql)).tables).toEqual(tables);
});

test.each([
  ["value, 'period' AS x FROM report /* measure */", ['value'], false],
  ['value AS measure FROM report r WHERE r.path IS NULL', ['value', 'r.path', 'r', 'path'], false],
  ['address.city FROM shops', ['address', 'address.city', 'city'], false],
  ['"address.city" FROM shops', ['address', 'address.city', 'city'], false],
  ['* FROM report WHERE value > 1', ['value'], true],
  ['report FROM report', ['report'], true],
])('knows the columns that are named: SELECT %s', async (sql, named, meansAll) => {
  const shape = await shapeOf(`SELECT ${sql}`);
  expect([...shape.mentioned].sort()).toEqual(named.toSorted());
  expect(shape.meansAll).toBe(meansAll);
});

test.each([
  ['path FROM report WHERE measure = $$balance$$', []],
  ["path FROM report WHERE 'direct_paid' = path AND measure = 'balance'", ['direct_paid']],
  ["1 FROM report WHERE path IN ('a', 'b') OR path LIKE 'c%'", ['a', 'b', 'c%']],
  ["sum(value) FILTER (starts_with(lower(path), 'a')) FROM report", ['a']],
  ["'b' FROM report WHERE path BETWEEN 'c' AND 'd' -- path = 'a'", ['c', 'd']],
])('knows what a column is compared with: SELECT %s', async (sql, texts) => {
  const { comparedWith } = await shapeOf(`SELECT ${sql}`);
  expect([...new Set(comparedWith.get('path') ?? [])]).toEqual(texts);
});

test.each([
  ['period, sum(value) FROM report GROUP BY period', true],
  ['r.period, sum(value) FROM report r GROUP BY ALL', true],
  ["sum(value), 'period' AS period FROM report GROUP BY measure -- period", false],
  ['value FROM report WHERE period IS NULL', false],
])('knows whether rows are grouped by their period: SELECT %s', async (sql, isGrouped) => {
  expect((await shapeOf(`SELECT ${sql}`)).groupedBy.has('period')).toBe(isGrouped);
});
