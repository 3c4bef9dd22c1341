import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/logs/setup.ts', 'test/database.ts'],
    // A machine that is lent out can be ten times slower for a while: no promise is about how long a test takes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // There alone, once more: whoever waits too long for a lock is told 503, which such a machine brings about. Shown as retried.
    retry: process.env.CI === undefined ? 0 : 2,
    // Files share what they import: to import it anew for each costs more than a quarter of the tests themselves.
    isolate: false,
    maxWorkers: 2,
  },
});
