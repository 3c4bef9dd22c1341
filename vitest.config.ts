import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/logs/setup.ts', 'test/database.ts'],
    // A machine that is lent out can be ten times slower for a while: no promise is about how long a test takes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Files share what they import: to import it anew for each costs more than a quarter of the tests themselves.
    isolate: false,
    // For two cores: while one waits for a browser, a receiver or a program's start, two have something to do.
    maxWorkers: 3,
  },
});
