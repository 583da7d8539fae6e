import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { examineEngine } from '../../../../src/cli/commands/doctor/engine.ts';

const config = { queryMs: 30_000, queryMemoryMb: 128 };

describe('examineEngine', () => {
  test('is well where a statement is answered', async () => {
    expect(await examineEngine(config)).toEqual({
      verdict: 'ok',
      detail: expect.stringMatching(/^DuckDB v\d+\.\d+\.\d+ answers/),
    });
  });

  test('says what is missing without it, and that the rest works', async () => {
    const { verdict, detail, remedy } = await examineEngine(config, { lacks: 'It is gone.' });
    expect(verdict).toBe('warning');
    expect(detail).toBe('It is gone. The tool query is not offered; everything else works.');
    expect(remedy).toContain('without --omit=optional');
  });

  test('fails where it is there and does not start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'engine-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const broken = join(folder, 'engine.mjs');
    await writeFile(broken, 'process.exit(1);');
    const { verdict, remedy } = await examineEngine(config, { entry: broken });
    expect(verdict).toBe('failed');
    expect(remedy).toContain('Install the package again');
  });
});
