import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { engineProblem } from '../../src/query/installation.ts';
import { folderWith } from '../setup/folder.ts';

const library = '@duckdb/node-api';
const platform = `${process.platform}-${process.arch}`;

let folder: string;

beforeEach(() => {
  folder = folderWith();
});

describe('engineProblem', () => {
  test('is undefined here, where the tests run statements', () => {
    expect(engineProblem()).toBeUndefined();
  });

  test.each<[what: string, files: string[], problem: object | undefined]>([
    ['nothing is installed', [], { code: 'engine_not_installed', library }],
    ['the library stands alone', ['node-api/index.js'], { code: 'engine_not_installed', library }],
    [
      'the native part is of another system',
      ['node-api/index.js', 'node-bindings/index.js', 'node-bindings-plan9-x64/duckdb.node'],
      { code: 'engine_not_installed', library, platform },
    ],
    [
      'all parts are there',
      ['node-api/index.js', 'node-bindings/index.js', `node-bindings-${platform}/duckdb.node`],
      undefined,
    ],
  ])('tells when %s', async (_, files, problem) => {
    for (const file of files) {
      const path = join(folder, 'node_modules/@duckdb', file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, '');
    }
    const found = engineProblem(join(folder, 'cli.js'));
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(problem);
  });
});
