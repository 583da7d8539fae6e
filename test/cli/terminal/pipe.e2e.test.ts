import { beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { closeAfterwards } from '../../setup/closing.ts';
import { account, type Sandbox } from '../../spawn.ts';
import { runHere } from '../run-here.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  closeAfterwards(sandbox.close);
});

/** The sentences of a pipe: the first line and those that begin with `#`, but for values by their names. */
function pipedSentences(text: string): string[] {
  const [first = '', ...others] = text.trimEnd().split('\n');
  const said = others.filter((line) => /^# (?!- |[a-z_.]+: )/.test(line));
  return [first, ...said.map((line) => line.slice(2))];
}

/** Lines that are no rows, no values, no headings of them and no drawing. */
function shownSentences(text: string): string[] {
  const isSentence = (line: string) =>
    line !== '' && !/ {2}|[▁-█▲▼░▓]/.test(line) && !/^[\w.]+$/.test(line);
  return text.split('\n').filter(isSentence);
}

/** On one line, without the minute that may pass between two calls, and without the dot that no heading has. */
function plain(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.replaceAll(/as of [\d: -]+/g, 'as of then').replace(/\.$/, '');
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
  const narrow = plain(await run({ columns: 80 }));
  for (const sentence of pipedSentences(piped)) expect(narrow).toContain(plain(sentence));
  // Where no line is broken, each of its sentences is one.
  const wide = shownSentences(await run({ columns: 2000 }));
  for (const sentence of wide) expect(plain(piped)).toContain(plain(sentence));
});
