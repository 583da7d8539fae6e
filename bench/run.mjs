// `npm run bench`: every figure beside its baseline, as a table and in bench/results.json.
// Names after it run some of them: `npm run bench -- start-up query`.
// BENCH_RELEASE=DIST/cli.js measures an earlier build too, in `calls` and `per-call`, for bench/reached.md.
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './bundle.mjs';
import { calls } from './figures/calls.mjs';
import { context } from './figures/context.mjs';
import { pacing } from './figures/pacing.mjs';
import { perCall } from './figures/per-call.mjs';
import { query } from './figures/query.mjs';
import { startUp } from './figures/start-up.mjs';
import { reachedTable, table } from './table.mjs';

const all = {
  'start-up': startUp,
  calls,
  'per-call': perCall,
  pacing,
  query,
  context,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}. The figures are: ${Object.keys(all).join(', ')}`,
  );
  process.exit(2);
}

const figures = [];
for (const [name, measure] of Object.entries(all)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`${name} ...`);
  figures.push(...(await measure()));
}
console.log(table(figures));

const { BENCH_RELEASE: release } = process.env;
if (release !== undefined) {
  console.error(`the same of ${release} ...`);
  const before = [...(await calls(resolve(release))), ...(await perCall(resolve(release)))];
  await writeFile(join(root, 'bench/reached.md'), reachedTable(figures, before));
}

if (asked.length === 0) {
  const [cpu] = cpus();
  const machine = {
    cpu: cpu.model,
    cores: cpus().length,
    system: process.platform,
    load: loadavg()[0],
  };
  const results = { date: new Date().toISOString(), node: process.version, machine, figures };
  await writeFile(join(root, 'bench/results.json'), `${JSON.stringify(results, null, 2)}\n`);
}
