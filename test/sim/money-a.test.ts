// The first half of the seeds of every test run. The second half is in money-b.test.ts, so that two test workers can
// run them at the same time. `npm run sim` runs 2,000 seeds, or as many as `--seeds` says.

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency keys are correct in seeds 1 to 250', {
  timeout: 600_000,
}, async () => {
  expect(await runSeeds(1, 250)).toEqual([]);
});
