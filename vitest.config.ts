import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/build.ts'],
    testTimeout: 30_000,
    // Most of the longest tests wait for deadlines of spawned servers: more workers than cores.
    maxWorkers: 4,
    // The days of the platform are Amsterdam's whatever the machine's zone: prove it in another one.
    env: { TZ: 'America/New_York' },
  },
});
