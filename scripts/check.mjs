// `npm run check`: every script `check:...` of package.json, whatever the ones before it found; in the end it names
// those that failed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const failed = Object.keys(scripts).filter((name) => {
  if (!name.startsWith('check:')) return false;
  console.log(`== ${name}`);
  return spawnSync(`npm run --silent ${name}`, { shell: true, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
