// `npm run fuzz [-- SECONDS]`: runs each property of hostile input for so many seconds (default 60) with new inputs.
// It prints how many there were, and the seed that repeats a failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const seconds = Number(process.argv[2] ?? 60);
if (!(seconds > 0)) {
  console.error('npm run fuzz -- SECONDS: a number above 0, 60 when left out');
  process.exit(2);
}
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status, signal } = spawnSync(process.execPath, [vitest, 'run'], {
  cwd: root,
  env: { PROPERTY_SEED: 'roam', ...process.env, FUZZ_SECONDS: String(seconds) },
  stdio: 'inherit',
});
if (signal) console.error(`vitest ended by ${signal}`);
process.exitCode = status ?? 1;
