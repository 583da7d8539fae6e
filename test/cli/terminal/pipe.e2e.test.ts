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
  ['list_orders', 'period=last_month', 'all=true', 'is_internal=false'],
  ['compare_turnover', 'period=last_week', 'explain=true'],
  ['get_financial_report', 'period=last_week'],
])('a pipe and a terminal say the same of %s %s', async (...args) => {
  const run = async (options: { columns?: number }) => {
    const { code, stdout } = await runHere(['call', ...args], account(sandbox), options);
    expect(code).toBe(0);
    return stdout;
  };
  const piped = await run({});
  // Where there is room for each line, only the tables are laid out in another way.
  expect(plain(await run({ columns: 2000 }))).toBe(plain(piped));
  const narrow = await run({ columns: 80 });
  for (const sentence of piped.split('\n').filter((line) => line.startsWith('# ')))
    expect(plain(narrow)).toContain(plain(sentence));
});
