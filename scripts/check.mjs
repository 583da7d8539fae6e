// `npm run check` runs every script `check:...` of package.json and then names the failed ones. `npm run check --
// --for endpoint` runs style, generated docs, types and the laws of a new endpoint, until one fails.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const laws = readJson('test/laws.json');
const { values } = parseArgs({ options: { for: { type: 'string' } } });

function fails(script) {
  console.log(`== ${script}`);
  return spawnSync(`npm run --silent ${script}`, { shell: true, stdio: 'inherit' }).status !== 0;
}

function findFailed(kind) {
  if (kind === undefined) {
    const { scripts } = readJson('package.json');
    return Object.keys(scripts).filter((name) => name.startsWith('check:') && fails(name));
  }
  if (!(kind in laws)) return [`--for takes ${Object.keys(laws).join(', ')}`];
  const scripts = ['check:style', 'check:docs', 'check:types', `test -- ${laws[kind].join(' ')}`];
  const script = scripts.find(fails);
  return script === undefined ? [] : [script];
}

const failed = findFailed(values.for);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
