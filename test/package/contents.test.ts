/** What is shipped, and what must not be: nothing of tests, of a developer's machine, or without its licence. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';

const built = join(inject('packageFolder'), 'dist');

let files: string[];

beforeAll(async () => {
  const entries = await readdir(built, { recursive: true, withFileTypes: true });
  files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
});

describe('what is built', () => {
  test('is the program, its engine, its view and the licences of what is in them', () => {
    const names = files.map((file) => file.slice(built.length + 1));
    expect(names.filter((name) => !/^chunks\/[\w.-]+-[\w-]{8}\.js$/.test(name)).sort()).toEqual([
      'THIRD-PARTY-LICENSES',
      'cli.js',
      'figure.html',
      'order-lines.js',
      'query-engine.js',
    ]);
  });

  test('has no test, no map of the sources and no path of the machine that built it', async () => {
    const traces = [process.cwd(), 'sourceMappingURL=', 'test/mcp', "describe('"];
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      expect(
        traces.filter((trace) => text.includes(trace)),
        file,
      ).toEqual([]);
      expect(text.match(/(?:\/home\/|\/Users\/|\/root\/|[A-Z]:\\\\Users\\\\)\w+/)?.[0]).toBe(
        undefined,
      );
    }
  });

  test('names each package that it holds code of, with its licence', async () => {
    const licences = await readFile(join(built, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['hono', 'zod', 'jose', 'undici', 'pino', 'luxon', 'echarts', 'ioredis'])
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\S* \\([^)]+\\)$`, 'm'));
    expect(licences.split(/^-{80}$/m).length).toBeGreaterThan(40);
  });
});

describe('the lockfile', () => {
  test('knows what each package is that is installed for the program, to the bit', async () => {
    const { packages } = z
      .looseObject({
        packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional() })),
      })
      .parse(JSON.parse(await readFile('package-lock.json', 'utf8')));
    const unknown = Object.entries(packages).filter(
      ([path, { integrity }]) => path !== '' && integrity === undefined,
    );
    expect(unknown.map(([path]) => path)).toEqual([]);
  });
});
