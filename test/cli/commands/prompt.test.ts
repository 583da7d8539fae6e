import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeAfterwards } from '../../setup/closing.ts';
import { runHere } from '../run-here.ts';

test('a prompt is printed filled in, without an account', async () => {
  const { code, stdout } = await runHere(['prompt', 'daily-turnover', 'date=2026-11-02'], {});
  expect(code).toBe(0);
  expect(stdout).toContain('Day: 2026-11-02');
  expect(stdout).not.toMatch(/\{\{|^---/m);
});

test('one of the business itself is there as well, and all are listed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-prompts-'));
  closeAfterwards(() => rm(folder, { recursive: true }));
  mkdirSync(join(folder, 'prompts'));
  const text = '---\ntitle: Own\ndescription: Of ours\n---\nHello.\n';
  writeFileSync(join(folder, 'prompts', 'own.md'), text);
  const env = { COMMERCE_DEFINITIONS: folder };
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
