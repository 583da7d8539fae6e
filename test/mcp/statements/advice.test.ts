/** What a failed statement is told to write instead, over the bare description as over the full one. */
import { describe, expect, test } from 'vitest';
import { describedAs, runSql, sharedServer } from '../../server-over.ts';

const orders = "list_orders(period := '2026-11-19')";
const close = `get_daily_close("date" := 'yesterday')`;
const trend = "turnover_trend(period := 'yesterday')";

describe.each(describedAs)('a statement, where openapi.json is %s,', (description) => {
  const server = sharedServer({ description });

  test.each<[guess: string, from: string, meant: RegExp, pasted: string]>([
    [
      'total_turnover_wt',
      trend,
      /did you mean (revenue\.total_turnover_wt)\?/,
      `SELECT $1 FROM ${trend}`,
    ],
    [
      'turnover_wt',
      close,
      /did you mean value \.\.\. (WHERE measure = 'turnover_wt')\?/,
      `SELECT value FROM ${close} $1`,
    ],
    [
      'shop_name',
      orders,
      /did you mean shops\.\S+ \.\.\. (JOIN shops ON shops\.id = shop_id)\?/,
      `SELECT shops.name FROM ${orders} $1 LIMIT 1`,
    ],
  ])('that guesses %s of %s is told what can be pasted', async (guess, from, meant, pasted) => {
    const sql = `SELECT ${guess} FROM ${from}`;
    const { text, isError } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    const [, column = ''] = meant.exec(text) ?? expect.unreachable(text);
    const answer = await runSql(server(), pasted.replace('$1', column));
    expect(answer.rows).toHaveLength(1);
  });

  test.each([
    ["date_created >= '2026-11-16'", "period := '2026-11-16..2026-11-20'"],
    [
      "date_created > DATE '2026-11-16' AND date_created < '2026-11-18'",
      "'2026-11-16..2026-11-18'",
    ],
    ["date_created BETWEEN '2026-11-16' AND '2026-11-17 12:00'", "'2026-11-16..2026-11-17'"],
    ["CAST(date_created AS DATE) = '2026-11-16'", "'2026-11-16..2026-11-16'"],
    ["date_created >= '2027-01-01'", "'2027-01-01..2027-01-01'"],
    ["date_created < '2026-11-16'", 'period := ...'],
    ["period = 'last_week'", "period := 'last_week'"],
  ])('with the condition %s is told the period', async (condition, period) => {
    const sql = `SELECT count(*) FROM list_orders WHERE ${condition}`;
    expect((await server.ask('query', { sql })).text).toContain(`${period})`);
  });
});
