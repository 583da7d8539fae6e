import { execFileSync } from 'node:child_process';

/** Builds the binary once per run: the stdio tests spawn what users spawn. */
export default function setup(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}
