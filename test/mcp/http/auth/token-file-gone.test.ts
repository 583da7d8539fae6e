import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTokenSource } from '../../../../src/mcp/http/auth/token-file.ts';

test('a tokens file that is gone opens nothing after a minute, and all again when it is back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tokens');
  const entry = 'alice:a-long-random-token';
  await writeFile(file, entry);
  let nowMs = 0;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const settings = { httpTokens: 'bob:another-long-token', httpTokensFile: file };
  const source = await openTokenSource(settings, log, () => nowMs);
  const names = async () => (await source.current()).map(({ caller }) => caller.name);
  await rm(file);
  expect(await names()).toEqual(['bob', 'alice']);
  expect(await source.problem()).toContain('stay for a minute');
  nowMs = 60_000;
  expect(await names()).toEqual(['bob']);
  expect(await source.problem()).toContain('open nothing');
  await writeFile(file, entry);
  expect(await names()).toEqual(['bob', 'alice']);
  expect(await source.problem()).toBeUndefined();
});
