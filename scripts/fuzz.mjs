// `npm run fuzz [-- SECONDS]`: every property of hostile input, each for so long (60 when left out), with
// inputs that no run has tried. It says how many there were, and with which seed one that failed comes back.
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
