import { beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { account, type Sandbox } from '../../spawn.ts';
import { runHere } from '../run-here.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  closeAfterwards(sandbox.close);
});

/** Without what differs: how lines are broken, where cells end, and the second and the id of an answer. */
function plain(text: string): string {
  const line = text.replaceAll(/[\s|]+/g, ' ').trim();
  return line.replaceAll(/\d\d:\d\d:\d\d/g, 'then').replaceAll(/\br_\w+/g, 'r_');
}

test.each([
  ['list_orders', 'period=last_week', 'is_internal=false'],
  ['list_orders', 'period=last_month', 'all=true', 'is_internal=false'],
  ['compare_turnover', 'period=last_week', 'explain=true'],
  ['compare_turnover', 'period=last_week', 'by=shop', 'against=usual'],
  ['turnover_trend', 'period=last_7_days', 'against=week_earlier'],
  ['get_financial_report', 'period=last_week'],
  [
    'query',
    "sql=SELECT shop_id, sum(total_wt) AS omzet FROM list_orders(period := 'yesterday', is_internal := false) GROUP BY ALL",
  ],
  ['search_customers', 'q=nobody of this name'],
  ['list_orders', 'period=yesteday'],
])('a pipe and a terminal say the same of %s %s', async (...args) => {
  const run = async (options: { columns?: number }) => {
    const { stdout, stderr } = await runHere(
      ['call', ...args.filter((it) => it !== undefined)],
      account(sandbox),
      options,
    );
    return stdout || stderr || '';
  };
  const piped = await run({});
  // Where there is room for each line, only the tables are laid out in another way.
  expect(plain(await run({ columns: 2000 }))).toBe(plain(piped));
  const narrow = await run({ columns: 80 });
  for (const sentence of piped.split('\n').filter((line) => line.startsWith('# ')))
    expect(plain(narrow)).toContain(plain(sentence));
});
