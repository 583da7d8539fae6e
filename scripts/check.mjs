// `npm run check`: every script `check:...` of package.json, whatever the ones before it found; in the end it names
// those that failed. `npm run check -- --for endpoint`: types, and the laws that hold a new one of this kind.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const { scripts } = readJson('package.json');
const laws = readJson('test/laws.json');
const { values } = parseArgs({ options: { for: { type: 'string' } } });
const kind = values.for;
if (kind !== undefined && !(kind in laws)) {
  console.error(`--for takes ${Object.keys(laws).join(', ')}`);
  process.exit(2);
}
const checks =
  kind === undefined
    ? Object.keys(scripts).filter((name) => name.startsWith('check:'))
    : ['check:types', 'check:style', `test -- ${laws[kind].join(' ')}`];
const failed = checks.filter((name) => {
  console.log(`== ${name}`);
  return spawnSync(`npm run --silent ${name}`, { shell: true, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
