/** A guessed column or a period in a condition: the refusal says what was meant, and that runs as it stands. */
import { describe, expect, test } from 'vitest';
import { describedAs, runSql, serverOver } from '../../server-over.ts';

const close = `get_daily_close("date" := 'yesterday')`;
const orders = "list_orders(period := 'yesterday')";
const trend = "turnover_trend(period := 'yesterday')";

describe.each(describedAs)('over a description that is %s', (description) => {
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
    [
      'customer_id',
      orders,
      /did you mean (relation_data_id)\?/,
      `SELECT $1 FROM ${orders} LIMIT 1`,
    ],
  ])('%s of %s means what can be pasted', async (guess, from, meant, pasted) => {
    const server = await serverOver('memory', { description });
    const sql = `SELECT ${guess} FROM ${from}`;
    const { text, isError } = await server.ask('query', { sql });
    expect(isError).toBe(true);
    const [, found = ''] = meant.exec(text) ?? expect.unreachable(text);
    const answer = await runSql(server, pasted.replace('$1', found));
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
  ])('a condition %s says the period', async (condition, period) => {
    const server = await serverOver('memory', { description });
    const sql = `SELECT count(*) FROM list_orders WHERE ${condition}`;
    const { text } = await server.ask('query', { sql });
    expect(text).toContain(`${period})`);
  });
});
