/** The examples of CONTRIBUTING.md, in a copy of this checkout. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fencedBlocks } from './markdown.ts';

const run = promisify(execFile);

const blocks = fencedBlocks('CONTRIBUTING.md').filter(({ language }) => language !== 'sh');
const examples = blocks.filter(({ about }) => about !== '');
const files = [...new Set(examples.map(({ about }) => about))];

/** The laws over the whole catalogue, and the tests that the examples bring. */
const laws = [
  'test/endpoints/index.test.ts',
  'test/sandbox/http/contract.test.ts',
  'test/mcp/tools/catalogue.test.ts',
  'test/mcp/tools/context-cost.test.ts',
  'test/mcp/prompts/own-prompts.test.ts',
  'test/faults/every-tool.test.ts',
  'test/config.test.ts',
  'test/platform-rules.test.ts',
  ...files.filter((file) => file.endsWith('.test.ts')),
];

/** The block goes on from the line that it begins with, where there is one, or else follows at the end. */
function add(block: string, text: string): string {
  const [first = ''] = block.split('\n');
  const lines = text.split('\n');
  const at = lines.indexOf(first);
  if (at === -1) return `${text}${text && '\n'}${block}\n`;
  return [...lines.slice(0, at), block, ...lines.slice(at + 1)].join('\n');
}

describe('the examples of CONTRIBUTING.md', () => {
  let copy: string;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'contributing-'));
    const git = ['ls-files', '-co', '--exclude-standard', '-z'];
    const listed = execFileSync('git', git, { encoding: 'utf8' }).split('\0');
    // A file that is deleted and not committed yet is still listed.
    for (const file of listed.filter((it) => it !== '' && existsSync(it)))
      await cp(file, join(copy, file));
    await symlink(resolve('node_modules'), join(copy, 'node_modules'), 'junction');
    execFileSync('git', ['init', '-q'], { cwd: copy });
    for (const { about, text } of examples) {
      const file = join(copy, about);
      await writeFile(file, add(text, await readFile(file, 'utf8').catch(() => '')));
    }
    execFileSync('git', ['add', '-A'], { cwd: copy });
  });

  afterAll(() => rm(copy, { recursive: true }));

  /** Runs a program of node_modules in the copy, and gives what it printed where it failed. */
  async function problemsOf(program: string, ...args: string[]): Promise<string> {
    const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_)/.test(name));
    const script = resolve('node_modules', program);
    return run(process.execPath, [script, ...args], {
      cwd: copy,
      env: Object.fromEntries(own),
    }).then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    );
  }

  test('name their files: an endpoint, a prompt, an analysis, a setting and what each needs', () => {
    expect(examples).toEqual(blocks);
    const homes = ['src/endpoints', 'prompts', 'src/analysis', 'src/config.ts'];
    for (const home of homes) expect(files.join()).toContain(home);
  });

  test('are in the style of the project', async () => {
    const written = files.filter((file) => file.endsWith('.ts'));
    expect(await problemsOf('@biomejs/biome/bin/biome', 'check', ...written)).toBe('');
  });

  test('compile', async () => {
    expect(await problemsOf('typescript/bin/tsc', '--noEmit')).toBe('');
  });

  test('are what the laws want', async () => {
    // What names no file is left out without a word.
    expect(laws.filter((law) => !existsSync(join(copy, law)))).toEqual([]);
    expect(await problemsOf('vitest/vitest.mjs', 'run', '--maxWorkers=2', ...laws)).toBe('');
  }, 300_000);
});
