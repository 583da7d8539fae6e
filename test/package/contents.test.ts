/** What is shipped, and what must not be: nothing of tests, of a developer's machine, or without its licence. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';

const built = join(inject('packageFolder'), 'dist');

/** The text of each file, by its path. */
let files: Map<string, string>;

beforeAll(async () => {
  const entries = await readdir(built, { recursive: true, withFileTypes: true });
  const paths = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
  const read = paths.map(async (path) => {
    const name = path.slice(built.length + 1);
    return [name, await readFile(path, 'utf8')] as const;
  });
  files = new Map(await Promise.all(read));
});

test('the build is the program, its engine, its view and the licences of what is in them', () => {
  const isChunk = (name: string) => /^chunks\/[\w.-]+-[\w-]{8}\.js$/.test(name);
  const others = [
    'cli.js',
    'figure.html',
    'main.js',
    'order-lines.js',
    'query-engine.js',
    'workbook-thread.js',
  ];
  const programs = [...files.keys()].filter((name) => !name.endsWith('.map'));
  expect(programs.filter((name) => !isChunk(name)).sort()).toEqual([
    'THIRD-PARTY-LICENSES',
    ...others,
  ]);
});

test('the build has no test, no source in its maps and no path of the machine that built it', () => {
  const traces = [process.cwd(), 'sourcesContent', 'test/mcp', "describe('"];
  for (const [name, text] of files) {
    const found = traces.filter((trace) => text.includes(trace));
    expect(found, name).toEqual([]);
    expect(text.match(/(?:\/home\/|\/Users\/|\/root\/|[A-Z]:\\\\Users\\\\)\w+/)?.[0]).toBe(
      undefined,
    );
  }
});

test('the build names each package that it holds code of, with its licence', () => {
  const licences = files.get('THIRD-PARTY-LICENSES') ?? '';
  for (const name of ['hono', 'zod', 'jose', 'undici', 'pino', 'luxon', 'echarts', 'ioredis'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\S* \\([^)]+\\)$`, 'm'));
  expect(licences.split(/^-{80}$/m).length).toBeGreaterThan(40);
});

test('the lockfile knows what each package is that is installed for the program, to the bit', async () => {
  const lock: { packages: Record<string, { integrity?: string }> } = JSON.parse(
    await readFile('package-lock.json', 'utf8'),
  );
  const unknown = Object.entries(lock.packages).filter(
    ([path, { integrity }]) => path !== '' && integrity === undefined,
  );
  expect(unknown.map(([path]) => path)).toEqual([]);
});
