import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { analysisTools } from '../../src/analysis/tools.ts';
import { samples } from '../samples.ts';
import { folderWith } from '../setup/folder.ts';
import { environment } from '../spawn.ts';

const run = promisify(execFile);

/** The tools that run statements. */
const needing = analysisTools.filter(({ kind }) => kind === 'statement').map(({ tool }) => tool);

describe('the npm package', () => {
  let folder: string;
  /** Where npm has put it. */
  let modules: string;

  beforeAll(async () => {
    folder = folderWith();
    modules = join(folder, 'node_modules');
    // Packed as it would be published, and unpacked. The binary was built once for all tests.
    // Not --global: with it npm brings optional parts whatever it is told.
    const args = [
      ...['install', inject('packageFolder'), '--install-links', '--ignore-scripts'],
      ...['--omit=optional', '--prefix', folder, '--offline', '--no-audit', '--no-fund'],
    ];
    await run('npm', args, { env: environment(), shell: process.platform === 'win32' });
  });

  test('the package holds the binary, the prompts, the definitions and what people read, and nothing else', async () => {
    const list = (path: string) => readdir(join(modules, packageJson.name, path));
    const files = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    const folders = ['briefs', 'definitions', 'dist', 'docs', 'prompts'];
    expect((await list('.')).sort()).toEqual([...files, ...folders].sort());
    expect(await list('docs')).toEqual(await readdir('docs'));
    for (const file of await list('prompts')) expect(file).toMatch(/\.md$/);
    const programs = await list('dist');
    expect(programs).toEqual(expect.arrayContaining(['cli.js', 'query-engine.js']));
    const maps = [...programs, ...(await list('dist/chunks'))].filter((file) =>
      /\.map$/.test(file),
    );
    expect(maps).toEqual([]);
  });

  test('the package needs nothing that it does not bring, except the query engine', async () => {
    expect(packageJson).not.toHaveProperty('dependencies');
    expect(Object.keys(packageJson.optionalDependencies)).toEqual(['@duckdb/node-api']);
    const brought = (await readdir(modules)).filter((name) => !name.startsWith('.'));
    expect(brought).toEqual([packageJson.name.split('/')[0]]);
  });

  test('the package runs its demo in an empty folder, with Node alone on the path', async () => {
    const stdout = await command('demo');
    expect(stdout).toContain(`${samples.length - needing.length} tools`);
    expect(stdout).toContain('How was yesterday, per shop, against a week earlier?');
    expect(stdout).not.toContain('\u001b');
  });

  test('the package does without the query engine where it was left out, and says so', async () => {
    const listed = await command('tools', '--json', '--sandbox');
    const { tools }: { tools: { name: string }[] } = JSON.parse(listed);
    const all = samples.map(({ tool }) => tool).sort();
    expect([...tools.map(({ name }) => name), ...needing].sort()).toEqual(all);
    const checks: object[] = JSON.parse(await command('doctor', '--json', '--sandbox'));
    expect(checks).toContainEqual({
      check: 'query engine',
      ok: true,
      detail: expect.stringContaining('is not installed'),
      remedy: expect.stringContaining('optional parts'),
    });
    await expect(command('query', 'SELECT 1', '--sandbox')).rejects.toThrow('is not installed');
  });

  /** Runs the installed command in an empty folder, with Node alone on the path. */
  async function command(...args: string[]): Promise<string> {
    const isWindows = process.platform === 'win32';
    const bin = join(modules, '.bin', isWindows ? 'commerce-mcp.cmd' : 'commerce-mcp');
    const env = { PATH: dirname(process.execPath), NODE_OPTIONS: process.env.NODE_OPTIONS };
    return (await run(bin, args, { cwd: folder, env, shell: isWindows })).stdout;
  }
});
