import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { analysisTools } from '../../src/analysis/tools.ts';
import { samples } from '../samples.ts';
import { environment } from '../spawn.ts';

const run = promisify(execFile);

/** The tools that run statements. */
const needing = analysisTools.filter((it) => it.needsEngine).map(({ tool }) => tool);

const catalogueSchema = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });
const reportSchema = z.array(
  z.object({
    check: z.string(),
    ok: z.boolean(),
    detail: z.string(),
    remedy: z.string().nullable(),
  }),
);

describe('the npm package', () => {
  let folder: string;
  let files: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    // Packed as it would be published, and unpacked. The binary was built once for all tests.
    // Not --global: with it npm brings optional parts whatever it is told.
    await run(
      'npm',
      [
        ...['install', inject('packageFolder'), '--install-links', '--ignore-scripts'],
        ...['--omit=optional', '--prefix', folder, '--offline', '--no-audit', '--no-fund'],
      ],
      { env: environment(), shell: process.platform === 'win32' },
    );
    const installed = join(modules(), packageJson.name);
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(installed, join(entry.parentPath, entry.name)));
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true }));

  test('holds the binary, the prompts and what people read, and nothing else', async () => {
    const others = files.filter((path) => !/^(dist|prompts|docs)\//.test(path));
    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const documents = files.filter((path) => path.startsWith('docs/'));
    expect(documents.sort()).toEqual((await readdir('docs')).map((file) => `docs/${file}`).sort());
    expect(
      files.filter((path) => path.startsWith('prompts/')).every((it) => it.endsWith('.md')),
    ).toBe(true);
    expect(files).toEqual(expect.arrayContaining(['dist/cli.js', 'dist/query-engine.js']));
  });

  test('needs nothing that it does not bring, but for the query engine', async () => {
    const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).toHaveProperty('optionalDependencies', {
      '@duckdb/node-api': expect.stringMatching(/^\d/),
    });
    const brought = (await readdir(modules())).filter((name) => !name.startsWith('.'));
    expect(brought).toEqual([packageJson.name.split('/')[0]]);
  });

  test('runs its demo in an empty folder, with Node alone on the path', async () => {
    const stdout = await command('demo');
    expect(stdout).toContain(`${samples.length - needing.length} tools`);
    const files = await readdir('prompts');
    const texts = await Promise.all(files.map((file) => readFile(join('prompts', file), 'utf8')));
    // Those that ask statements are not offered either.
    const offered = texts.filter((text) => !/\bquery\b/.test(text));
    expect(offered.length).toBeGreaterThan(0);
    expect(stdout).toContain(`${offered.length} prompts`);
    expect(stdout).toContain('How was yesterday?');
    expect(stdout).not.toContain('\u001b');
  });

  test('does without the query engine where it was left out, and says so', async () => {
    const { tools } = catalogueSchema.parse(
      JSON.parse(await command('tools', '--json', '--sandbox')),
    );
    const all = samples.map(({ tool }) => tool).sort();
    expect([...tools.map(({ name }) => name), ...needing].sort()).toEqual(all);
    const checks = reportSchema.parse(JSON.parse(await command('doctor', '--json', '--sandbox')));
    expect(checks.at(-1)).toMatchObject({ check: 'query engine', ok: true });
    expect(checks.at(-1)?.detail).toContain('is not installed');
    expect(checks.at(-1)?.remedy).toContain('optional parts');
    await expect(command('query', 'SELECT 1', '--sandbox')).rejects.toThrow('is not installed');
  });

  /** Runs the installed command in an empty folder, with Node alone on the path. */
  async function command(...args: string[]): Promise<string> {
    const isWindows = process.platform === 'win32';
    const bin = join(modules(), '.bin', isWindows ? 'commerce-mcp.cmd' : 'commerce-mcp');
    const env = { PATH: dirname(process.execPath), NODE_OPTIONS: process.env.NODE_OPTIONS };
    return (await run(bin, args, { cwd: folder, env, shell: isWindows })).stdout;
  }

  /** Where npm has put the package. */
  function modules(): string {
    return join(folder, 'node_modules');
  }
});
