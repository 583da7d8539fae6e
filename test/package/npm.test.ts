import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { environment } from '../mcp/spawn.ts';
import { samples } from '../samples.ts';

const run = promisify(execFile);

const packedSchema = z.tuple([
  z.looseObject({ filename: z.string(), files: z.array(z.looseObject({ path: z.string() })) }),
]);

describe('the npm package', () => {
  let folder: string;
  let files: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-'));
    // The binary was built once for all tests: packing does not build it again.
    const built = inject('packageFolder');
    const packed = await npm(
      'pack',
      built,
      '--json',
      '--ignore-scripts',
      `--pack-destination=${folder}`,
    );
    const [{ filename, files: listed }] = packedSchema.parse(JSON.parse(packed));
    const ofCheckout = await npm('pack', '--json', '--ignore-scripts', '--dry-run');
    const [{ files: besides }] = packedSchema.parse(JSON.parse(ofCheckout));
    files = [...new Set([...listed, ...besides].map(({ path }) => path))];
    await npm('install', '--global', '--prefix', folder, '--offline', join(folder, filename));
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true }));

  test('holds the binary, the prompts and what people read, and nothing else', () => {
    const others = files.filter((path) => !/^(dist|prompts)\//.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(
      files.filter((path) => path.startsWith('prompts/')).every((it) => it.endsWith('.md')),
    ).toBe(true);
    expect(files).toContain('dist/cli.js');
  });

  test('needs nothing that it does not bring', async () => {
    const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    const modules = join(folder, process.platform === 'win32' ? '' : 'lib', 'node_modules');
    expect(await readdir(modules)).toEqual(['commerce-mcp']);
  });

  test('runs its demo in an empty folder, with Node alone on the path', async () => {
    const bin = join(
      folder,
      process.platform === 'win32' ? 'commerce-mcp.cmd' : 'bin/commerce-mcp',
    );
    const { stdout } = await run(bin, ['demo'], {
      cwd: folder,
      env: { PATH: dirname(process.execPath), NODE_OPTIONS: process.env.NODE_OPTIONS },
      shell: process.platform === 'win32',
    });
    expect(stdout).toContain(`${samples.length} tools`);
    expect(stdout).toContain(`${(await readdir('prompts')).length} prompts`);
    expect(stdout).toContain('How was yesterday?');
    expect(stdout).not.toContain('\u001b');
  });
});

async function npm(...args: string[]): Promise<string> {
  const settings = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { stdout } = await run('npm', [...args, ...settings], {
    env: environment(),
    shell: process.platform === 'win32',
  });
  return stdout;
}
