import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/logs/setup.ts', 'test/database.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Files share what they import: to import it anew for each costs more than a quarter of the tests themselves.
    isolate: false,
    maxWorkers: 2,
  },
});
