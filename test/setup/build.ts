import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the package of this run lies, laid out as a checkout is. */
    packageFolder: string;
  }
}

/** Below node_modules, so that what the binary leaves unbundled is found. */
const runs = resolve('node_modules/.cache/commerce-mcp-tests');

/** What of a checkout is in the package, and some of what is not. */
const shipped = [
  'package.json',
  'prompts',
  'briefs',
  'definitions',
  'docs',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];
const kept = ['CONTRIBUTING.md', 'tsconfig.json', 'scripts'];

/**
 * Builds the package once per run, in a folder of the run: the stdio tests spawn what users spawn,
 * and runs side by side do not touch each other's.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  await mkdir(runs, { recursive: true });
  const folder = await mkdtemp(join(runs, 'run-'));
  for (const path of [...shipped, ...kept]) await cp(path, join(folder, path), { recursive: true });
  execFileSync(process.execPath, ['scripts/build.mjs', join(folder, 'dist')], { stdio: 'inherit' });
  provide('packageFolder', folder);
  return () => rm(folder, { recursive: true });
}
