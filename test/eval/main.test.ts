import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../eval/main.ts';
import { questions } from '../../eval/questions/questions.ts';
import { table } from '../../eval/table.ts';
import { folderWith } from '../setup/folder.ts';
import { binary } from '../spawn.ts';
import { startScriptedModel } from './scripted-model.ts';

async function run(env: Record<string, string>, ...asked: string[]) {
  const printed: string[] = [];
  const folder = folderWith();
  const kept = join(folder, 'evaluation.json');
  const code = await main({ env, asked, program: binary, kept, print: (it) => printed.push(it) });
  return { code, text: printed.join('\n'), isKept: existsSync(kept) };
}

const env = { EVAL_API: 'openai', EVAL_KEY: 'k', EVAL_MODEL: 'm' };

test.each<[what: string, Record<string, string>, asked: string[], says: RegExp]>([
  ['nothing', {}, [], /^ {2}EVAL_API: .*\n {2}EVAL_KEY: .*\n {2}EVAL_MODEL: .*\n(?! {2}EVAL_URL)/m],
  ['a wrong address', { ...env, EVAL_URL: 'x y' }, [], /^ {2}EVAL_URL: "x y" is no address/m],
  ['a question that there is not', env, ['no-such-question'], /teapots/],
])('npm run eval says what it needs where it has %s', async (_, given, asked, says) => {
  const { code, text } = await run(given, ...asked);
  expect(code).toBe(2);
  expect(text).toMatch(says);
});

test.each(['openai', 'anthropic'] as const)(
  'npm run eval asks the built server as a host does with the model of %s, and prints a table',
  async (api) => {
    const teapots = questions.find(({ id }) => id === 'teapots');
    const { url } = await startScriptedModel((_, [result]) =>
      result === undefined
        ? { call: 'query', input: { sql: teapots?.sql } }
        : { answer: result.replaceAll(/[{},]/g, '\n') },
    );
    const to = { ...env, EVAL_API: api, EVAL_URL: url[api] };
    const { code, text, isKept } = await run(to, 'teapots');
    // Some of the questions are no run to compare with.
    expect({ code, isKept }).toEqual({ code: 0, isKept: false });
    expect(text).toContain('right  teapots (text)');
    expect(text).toMatch(/^total +1 of 1 +1 +2,020 /m);
  },
);

const result = (id: string, channel: 'text' | 'structured', right = true, calls = 1) => {
  return { id, channel, right, calls, missing: [], tokens: { read: 9000, written: 500 } };
};

test('the table has both channels of each question, totals, and what has changed', () => {
  const last = {
    date: '2026-11-01T09:00:00Z',
    model: 'an-older-model',
    results: [result('teapots', 'text'), result('teapots', 'structured')],
  };
  const run = {
    date: '2026-11-20T09:00:00Z',
    model: 'a-model',
    results: [
      ...[result('teapots', 'text'), result('teapots', 'structured', false, 12)],
      ...[result('unpaid', 'text'), result('unpaid', 'structured')],
    ],
  };
  expect(table(run, last)).toEqual([
    'question  text    calls  tokens  structured  calls  tokens  last run',
    'teapots   right       1   9,500  WRONG          12   9,500  structured: right',
    'unpaid    right       1   9,500  right           1   9,500  text: not asked, structured: not asked',
    'total     2 of 2      2  19,000  1 of 2         13  19,000',
    '',
    'a-model, 2026-11-20: 3 of 4 right, 15 calls, 38,000 tokens',
    'Last run: an-older-model, 2026-11-01: 2 of 2 right, 2 calls, 19,000 tokens',
  ]);
});
