// The seeds of every test run (test-seeds.ts). `npm run sim` runs 2,000 seeds, or as many as `--seeds` says.

import { expect, it } from 'vitest';
import { runTestSeeds } from './seeds.ts';

it('money, events and idempotency keys are correct in every chosen seed', { timeout: 600_000 }, async () => {
  expect(await runTestSeeds()).toEqual([]);
});
