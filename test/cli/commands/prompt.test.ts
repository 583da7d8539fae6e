import { expect, test } from 'vitest';
import { folderWith } from '../../setup/folder.ts';
import { runHere } from '../run-here.ts';

test('a prompt is printed filled in, without an account', async () => {
  const { code, stdout } = await runHere(['prompt', 'daily-turnover', 'date=2026-11-02'], {});
  expect(code).toBe(0);
  expect(stdout).toContain('Day: 2026-11-02');
  expect(stdout).not.toMatch(/\{\{|^---/m);
});

test('one of the business itself is there as well, and all are listed', async () => {
  const text = '---\ntitle: Own\ndescription: Of ours\n---\nHello.\n';
  const env = { COMMERCE_DEFINITIONS: folderWith({ 'prompts/own.md': text }) };
  expect(await runHere(['prompt', 'own'], env)).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  const { stdout } = await runHere(['prompt'], env);
  expect(stdout).toMatch(/^prompt .*\n(.*\n)*daily-turnover +date,location +Daily turnover\n/);
  expect(stdout).toMatch(/\nown +Own\n/);
});

test.each([
  [['prompt', 'daly-turnover'], 2, 'daily-turnover'],
  [['prompt', 'daily-turnover', 'yesterday'], 2, 'date=yesterday'],
  [['prompt', 'daily-turnover', 'day=yesterday'], 1, 'date, location'],
])('%j is refused with what was meant', async (args, code, meant) => {
  const refused = await runHere(args, {});
  expect(refused.code).toBe(code);
  expect(refused.stderr).toContain(meant);
});
