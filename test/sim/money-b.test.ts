// The second half of the seeds of every test run (see money-a.test.ts).

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency keys are correct in seeds 1001 to 2000', {
  timeout: 1_800_000,
}, async () => {
  expect(await runSeeds(1_001, 1_000)).toEqual([]);
});
