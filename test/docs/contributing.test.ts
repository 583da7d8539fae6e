/** The examples of CONTRIBUTING.md, in a copy of this checkout. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import lawsByKind from '../laws.json' with { type: 'json' };
import { folderWith } from '../setup/folder.ts';
import { fencedBlocks } from './markdown.ts';

const run = promisify(execFile);

const blocks = fencedBlocks('CONTRIBUTING.md').filter(
  ({ language }) => !/^(sh|text)$/.test(language),
);
const examples = blocks.filter(({ about }) => about !== '');
const files = [...new Set(examples.map(({ about }) => about))];

/** The laws that hold new things of each kind, and the tests that the examples bring. */
const laws = new Set([
  ...Object.values(lawsByKind).flat(),
  ...files.filter((file) => file.endsWith('.test.ts')),
]);

/** Each part of a block goes on from the line that it begins with, where there is one, or else follows at the end. */
function add(block: string, file: string): string {
  return block.split('\n// ...\n').reduce((text, part) => {
    const [first = ''] = part.split('\n');
    const lines = text.split('\n');
    const at = lines.indexOf(first);
    if (at === -1) return `${text}${text && '\n'}${part}\n`;
    return [...lines.slice(0, at), part, ...lines.slice(at + 1)].join('\n');
  }, file);
}

/** Copies this checkout, with what is not committed yet, and adds the examples. */
async function copyWithExamples(): Promise<string> {
  const copy = folderWith();
  const git = ['ls-files', '-co', '--exclude-standard', '-z'];
  const listed = execFileSync('git', git, { encoding: 'utf8' }).split('\0');
  // A file that is deleted and not committed yet is still listed.
  const there = listed.filter((file) => file !== '' && existsSync(file));
  await Promise.all(there.map((file) => cp(file, join(copy, file))));
  await symlink(resolve('node_modules'), join(copy, 'node_modules'), 'junction');
  const author = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.com'];
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    [...author, 'commit', '-qm', 'A checkout'],
  ])
    execFileSync('git', words, { cwd: copy });
  for (const { about, text } of examples) {
    const file = join(copy, about);
    await writeFile(file, add(text, await readFile(file, 'utf8').catch(() => '')));
  }
  return copy;
}

const checkout = process.cwd();
const copy = await copyWithExamples();
// What the laws open closes with this file, as with one of their own.
await import(join(copy, 'test/setup/each-file.ts'));

/** Runs an npm script in the copy, and gives what it printed where it failed. */
function problemsOf(...script: string[]): Promise<string> {
  return run('npm', ['run', '--silent', ...script], { cwd: copy, maxBuffer: 2 ** 26 }).then(
    () => '',
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

describe('the examples of CONTRIBUTING.md', () => {
  beforeAll(() => process.chdir(copy));
  afterAll(() => process.chdir(checkout));

  test('the examples name their files: an endpoint, a prompt, an analysis and what each needs', () => {
    expect(examples).toEqual(blocks);
    const homes = ['src/endpoints', 'prompts', 'src/analysis'];
    for (const home of homes) expect(files.join()).toContain(home);
  });

  test('the table of new things names the laws that hold each kind', () => {
    const rows = readFileSync('CONTRIBUTING.md', 'utf8').match(/^\| \[.*--for.*$/gm) ?? [];
    const kinds = rows.flatMap(
      (row) => /^\| \[(\w+)\].*`npm run check -- --for \1`/.exec(row)?.[1] ?? [],
    );
    expect(kinds.toSorted()).toEqual(Object.keys(lawsByKind).toSorted());
  });

  test('the examples pass the whole check once generated docs follow', {
    timeout: 600_000,
  }, async () => {
    expect(await problemsOf('check', '--', '--for', 'prompt')).toContain('Failed: check:docs');
    expect(await problemsOf('docs')).toBe('');
    expect(await problemsOf('check')).toBe('');
  });

  describe.each([...laws])('the law of %s holds the examples', async (law) => {
    // As they are loaded, laws read files by their place in the checkout.
    process.chdir(copy);
    await import(join(copy, law)).finally(() => process.chdir(checkout));
  });
});
