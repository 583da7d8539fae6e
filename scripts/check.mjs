// `npm run check`: every stage, whatever the ones before it found, and at the end those that failed.
import { spawnSync } from 'node:child_process';

const stages = [
  'biome check .',
  'tsc --noEmit',
  'tsc --noEmit -p src/views',
  'tsc --noEmit -p test/views',
  'knip',
  'knip --production --include files,exports,types',
  'npm run --silent docs -- --check',
  'publint',
  'npm run --silent weight',
];

const failed = stages.filter((stage) => {
  console.log(`== ${stage}`);
  return spawnSync(stage, { shell: true, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`Failed: ${failed.join('; ')}`);
  process.exitCode = 1;
}
