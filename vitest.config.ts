import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, or the end of a run is one worker at work while the others have nothing left. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const LONG = ['/test/sim/money', '/test/pages/'];
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((name) => moduleId.includes(name));
      return place < 0 ? LONG.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/logs/setup.ts', 'test/support/postgres-setup.ts'],
    // A machine that is lent out can be ten times slower for a while: no promise is about how long a test takes.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // Files share what they import: to import it anew for each costs more than a quarter of the tests themselves.
    isolate: false,
    // For two cores: while one waits for a browser, a receiver or a program's start, two have something to do.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
