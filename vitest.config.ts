import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** TEST_NOW=2028-02-29T12:00:00+01:00 runs everything from that moment on, spawned programs too. */
const { TEST_NOW, PROPERTY_SEED = '20261120', FUZZ_SECONDS } = process.env;
if (TEST_NOW !== undefined) {
  const preload = new URL('test/setup/shifted-date.mjs', import.meta.url);
  preload.searchParams.set('aheadMs', String(Date.parse(TEST_NOW) - Date.now()));
  process.env.NODE_OPTIONS = `--import=${preload}`;
}

/** PROPERTY_SEED=roam tries cases that no run has tried, and more of them; PROPERTY_RUNS multiplies them. */
const isRoaming = PROPERTY_SEED === 'roam';
const seed = isRoaming ? String(Date.now() % 2 ** 31) : PROPERTY_SEED;
const { PROPERTY_RUNS = isRoaming ? '3' : '1' } = process.env;
if (isRoaming)
  console.log(`Property tests: again with PROPERTY_SEED=${seed} PROPERTY_RUNS=${PROPERTY_RUNS}`);

/**
 * Suites of minutes: a browser, packages as they are installed, a copy of the checkout, runs of an evaluation, and
 * those that wait for real deadlines or walk all that two accounts can be told.
 */
const slow = [
  'test/{views,package,eval}/**/*.test.ts',
  'test/docs/{contributing,programs}.test.ts',
  'test/core/process/child-process.e2e.test.ts',
  'test/mcp/account-fences.e2e.test.ts',
  'test/mcp/http/{attackers,fleet.e2e,large-files.e2e}.test.ts',
  'test/mcp/server/long-calls.e2e.test.ts',
  'test/mcp/statements/hostile-size.e2e.test.ts',
];

/** Files of some ten seconds go first: else the run waits for the last of them at its end. */
const longest =
  /(http\/attackers|clients\.e2e|connect\.e2e|sign-ins\.e2e|processes|same-rows|survey|briefs|definitions|accounts|demo|commands|statements)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longest.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((it) => !isLong(it))];
  }
}

const common = {
  setupFiles: ['test/setup/each-file.ts'],
  // A module is loaded once by a worker, not by each file: what a test changes of the process, it puts back.
  isolate: false,
  // What takes a moment takes seconds beside a busy neighbour.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
  // Some tests wait, so a small machine has more workers than cores. Each costs three seconds of computing: it loads
  // and compiles all modules, and starts an engine for its statements.
  maxWorkers: 4,
  // The days of the platform are Amsterdam's whatever the machine's zone: prove it in another one.
  env: { TZ: 'America/New_York', PROPERTY_SEED: seed, PROPERTY_RUNS },
};

/** A text file that is imported is its text, as in the build. */
const texts = {
  name: 'texts',
  enforce: 'pre' as const,
  load: (file: string) =>
    /\/src\/.*\.(txt|html)$/.test(file)
      ? `export default ${JSON.stringify(readFileSync(file, 'utf8'))}`
      : undefined,
};

/** The files of a project. They stand in one queue, by the names of their projects. */
const project = (name: string, include: string[], exclude: string[] = []) => ({
  plugins: [texts],
  test: { ...common, name, include, exclude },
});

export default defineConfig({
  test: {
    // Once for all projects.
    globalSetup: ['test/setup/build.ts'],
    sequence: { sequencer: LongestFirst },
    // FUZZ_SECONDS=60 runs the properties of hostile input alone, each for so long.
    projects: FUZZ_SECONDS
      ? [project('fuzz', ['test/**/{any-*,fuzz}.test.ts'])]
      : [project('server', ['test/**/*.test.ts'], slow), project('slow', slow)],
  },
});
