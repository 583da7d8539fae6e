/** Statements that sent a model the wrong way: what each is told, over the bare description as over the full one. */
import { describe, expect, test } from 'vitest';
import { adviceByWords } from '../../../src/query/process/advice.ts';
import { describedAs, runSql, sharedServer } from '../../server-over.ts';

const days = "list_orders(period := '2026-11-19')";

describe.each(describedAs)('a statement, where openapi.json is %s,', (description) => {
  const server = sharedServer({ description });

  test.each<[what: string, sql: string, advice: string]>([
    [
      'a word of SQL as a name',
      `SELECT max(total_wt) last FROM ${days}`,
      '"last" is a word of SQL: as a name it stands in double quotes',
    ],
    [
      'another one',
      `SELECT sum(total_wt) nulls FROM ${days}`,
      '"nulls" is a word of SQL: as a name it stands in double quotes',
    ],
    [
      'an aggregate beside a column',
      `SELECT shop_id, sum(total_wt) / sum(sum(total_wt)) OVER () + max(total_wt) OVER () FROM ${days} GROUP BY ALL`,
      adviceByWords.aggregates_in_a_step.text,
    ],
    [
      'a name for an id',
      `SELECT count(*) FROM ${days} o WHERE o.shop_id = 'Utrecht Centraal'`,
      "shop_id := 'Utrecht Centraal', where the table takes it",
    ],
    [
      'a condition for an argument',
      "SELECT * FROM list_orders WHERE period = 'yesterday'",
      "In SQL arguments stand in brackets: list_orders(period := 'yesterday').",
    ],
    ['kept rows without quotes', 'SELECT * FROM result(r_12ab)', "FROM result('r_12ab')"],
    ['kept rows as a table', 'SELECT * FROM r_12ab', "FROM result('r_12ab')"],
  ])('with %s is told what to write', async (_, sql, advice) => {
    const { isError, text } = await server().ask('query', { sql });
    expect(isError).toBe(true);
    expect(text).toContain(advice);
  });

  test.each(['NULL::INT', 'nullif(1, 1)', '[]', "(SELECT id FROM shops WHERE name = 'nowhere')"])(
    'whose argument is %s says that it got no value',
    async (value) => {
      const sql = `SELECT count(*) AS n FROM list_orders(period := '2026-11-19', shop_id := ${value})`;
      const { rows, warnings } = await runSql(server(), sql);
      expect(rows).toEqual([{ n: 0 }]);
      expect(warnings).toMatchObject([
        { code: 'no_values', table: 'list_orders', argument: 'shop_id' },
      ]);
    },
  );

  test('whose argument is the word NULL is asked without it', async () => {
    const count = async (more: string) =>
      (
        await runSql(
          server(),
          `SELECT count(*) AS n FROM list_orders(period := '2026-11-19'${more})`,
        )
      ).rows;
    expect(await count(', shop_id := NULL')).toEqual(await count(''));
  });

  test.each([
    `SELECT id FROM ${days} LIMIT 0`,
    `SELECT EXISTS(SELECT 1 FROM ${days} LIMIT 1) AS any_order`,
    `SELECT period, count(*) AS n FROM list_orders(period := ['2026-11-18..2026-11-19', '2026-11-19']) GROUP BY period`,
    `SELECT period, count(*) AS n FROM list_orders(period := ['2026-11-18..2026-11-19', '2026-11-19']) GROUP BY ALL`,
  ])('whose answer is exact brings no warning: %s', async (sql) => {
    const { warnings, context } = await runSql(server(), sql);
    expect(warnings).toEqual([]);
    expect(context.complete).toBe(true);
  });

  test('with a long argument shows how many values it has', async () => {
    const ids = Array.from({ length: 40 }, (_, nth) => 1001 + nth).join(', ');
    const sql = `SELECT count(*) FROM list_product_prices(product_ids := [${ids}])`;
    expect((await runSql(server(), sql)).text).toContain('product_ids 40 values');
  });
});
