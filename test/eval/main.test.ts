import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { main } from '../../eval/main.ts';
import { questions } from '../../eval/questions/questions.ts';
import { table } from '../../eval/table.ts';
import { binary } from '../spawn.ts';
import { startScriptedModel } from './scripted-model.ts';

let folder: string;
let printed: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'eval-'));
  printed = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

function run(env: Record<string, string>, ...asked: string[]): Promise<number> {
  const kept = join(folder, 'evaluation.json');
  const print = (line: string) => void printed.push(line);
  return main({ env, asked, program: binary, kept, print });
}

describe('npm run eval', () => {
  test('says what it needs where it has nothing', async () => {
    expect(await run({})).toBe(2);
    const text = printed.join('\n');
    for (const name of ['EVAL_API', 'EVAL_KEY', 'EVAL_MODEL'])
      expect(text).toContain(`  ${name}: `);
    expect(text).not.toContain('EVAL_URL');
  });

  test('says what is wrong, and which questions there are', async () => {
    const env = { EVAL_API: 'openai', EVAL_KEY: 'k', EVAL_MODEL: 'm' };
    expect(await run({ ...env, EVAL_URL: 'not an address' })).toBe(2);
    expect(printed).toContain('  EVAL_URL: "not an address" is no address');
    expect(await run(env, 'no-such-question')).toBe(2);
    expect(printed.at(-1)).toContain('teapots');
  });

  test('asks the built server as a host does, and prints a table', async () => {
    const teapots = questions.find(({ id }) => id === 'teapots');
    const { url } = await startScriptedModel((_, [result]) =>
      result === undefined
        ? { call: 'query', input: { sql: teapots?.sql } }
        : { answer: result.replaceAll(/[{},]/g, '\n') },
    );
    const env = { EVAL_API: 'anthropic', EVAL_URL: url.anthropic, EVAL_KEY: 'k', EVAL_MODEL: 'm' };
    expect(await run(env, 'teapots')).toBe(0);
    const text = printed.join('\n');
    expect(text).toContain('right  teapots (text)');
    expect(text).toMatch(/^total +1 of 1 +1 +2,020 /m);
    // Some of the questions are no run to compare with.
    expect(() => readFileSync(join(folder, 'evaluation.json'))).toThrow();
  });
});

describe('the table', () => {
  const result = { missing: [], calls: 1, tokens: { read: 9000, written: 500 } };

  test('has both channels of each question, totals, and what has changed', () => {
    const last = {
      date: '2026-11-01T09:00:00Z',
      model: 'an-older-model',
      results: [
        { id: 'teapots', channel: 'text', right: true, ...result },
        { id: 'teapots', channel: 'structured', right: true, ...result },
      ],
    } as const;
    const run = {
      date: '2026-11-20T09:00:00Z',
      model: 'a-model',
      results: [
        { id: 'teapots', channel: 'text', right: true, ...result },
        { id: 'teapots', channel: 'structured', right: false, ...result, calls: 12 },
        { id: 'unpaid', channel: 'text', right: true, ...result },
        { id: 'unpaid', channel: 'structured', right: true, ...result },
      ],
    } as const;
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
});
