// The first half of the seeds of every test run. The second half is in money-b.test.ts, so that two test workers can
// run them at the same time.

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency keys are correct in seeds 1 to 1000', {
  timeout: 1_800_000,
}, async () => {
  expect(await runSeeds(1, 1_000)).toEqual([]);
});
